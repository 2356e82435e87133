// Lists whose rows are moved by their grips: by pointer, and by keyboard with announcements.

import { iconButton } from './buttons.js';
import { element } from './dom.js';
import { t } from './i18n.js';

/** How near to the edge of the window a pointer scrolls it, and how far in a frame, in px. */
const EDGE = 70;
const STEP = 9;

let helpNode = null;

/** How to use a grip by keyboard: one text in the page for all grips. */
function help() {
  helpNode ??= element('p', { id: 'sort-help', hidden: true }, t('sort.help'));
  if (!helpNode.isConnected) document.body.append(helpNode);
  return helpNode.id;
}

/** The grip of a row. */
export function gripOf(name) {
  return iconButton('grip', t('sort.grip', { name }), undefined,
    { class: 'grip', 'aria-pressed': 'false', 'aria-describedby': help() });
}

/**
 * Makes the children of a list movable. `nameOf(row)` names a row in announcements, `say(text)` announces.
 * `onMove(from, to)` is called once a row has been dropped at another place, `onEnd()` after each drop and cancel.
 *
 * A grabbed row stays in the document while its neighbours move: it keeps the focus and the pointer.
 */
export class Sortable {
  constructor(list, { nameOf, say, onMove, onEnd = () => {} }) {
    Object.assign(this, { list, nameOf, say, onMove, onEnd, row: null });
    list.classList.add('sortable');
    list.addEventListener('pointerdown', (event) => this.pointerDown(event));
    list.addEventListener('click', (event) => this.click(event));
    list.addEventListener('keydown', (event) => this.key(event));
    list.addEventListener('focusout', () => { if (this.row && !this.pointer) this.drop(); });
  }

  /** Whether a row is grabbed: then the owner leaves the list alone. */
  get isActive() {
    return this.row !== null;
  }

  get index() {
    return [...this.list.children].indexOf(this.row);
  }

  rowOf(target) {
    const grip = target.closest?.('.grip');
    return grip && this.list.contains(grip) ? [...this.list.children].find((row) => row.contains(grip)) : null;
  }

  // Grabbing and dropping

  grab(row) {
    this.row = row;
    this.from = this.index;
    row.classList.add('grabbed');
    row.querySelector('.grip').setAttribute('aria-pressed', 'true');
  }

  place() {
    return { name: this.nameOf(this.row), place: this.index + 1, count: this.list.children.length };
  }

  drop() {
    const [from, to] = [this.from, this.index];
    this.say(t('sort.dropped', this.place()));
    this.release();
    if (from !== to) this.onMove(from, to);
    this.onEnd();
  }

  cancel() {
    this.moveTo(this.from);
    this.say(t('sort.cancelled', this.place()));
    this.release();
    this.onEnd();
  }

  release() {
    this.row.classList.remove('grabbed');
    this.row.style.transform = '';
    this.row.querySelector('.grip').setAttribute('aria-pressed', 'false');
    this.row = null;
    this.pointer = null;
  }

  moveTo(index) {
    const bounded = Math.min(Math.max(index, 0), this.list.children.length - 1);
    while (this.index < bounded) this.row.before(this.row.nextElementSibling);
    while (this.index > bounded) this.row.after(this.row.previousElementSibling);
  }

  // The keyboard; a click without a pointer is Space, Enter or a screen reader

  click(event) {
    const row = this.rowOf(event.target);
    if (!row || event.detail > 0 || this.pointer) return;
    if (this.row === row) this.drop();
    else {
      if (this.row) this.drop();
      this.grab(row);
      this.say(t('sort.grabbed', this.place()));
    }
  }

  key(event) {
    if (!this.row) return;
    const places = { ArrowUp: this.index - 1, ArrowDown: this.index + 1, Home: 0, End: this.list.children.length - 1 };
    if (event.key === 'Escape') this.cancel();
    else if (event.key in places && !this.pointer) {
      this.moveTo(places[event.key]);
      this.row.scrollIntoView({ block: 'nearest' });
      this.say(t('sort.moved', this.place()));
    } else return;
    event.preventDefault();
    event.stopPropagation();
  }

  // The pointer

  pointerDown(event) {
    const row = this.rowOf(event.target);
    if (!row || this.row || event.button !== 0) return;
    event.preventDefault();
    const grip = event.target.closest('.grip');
    grip.focus();
    grip.setPointerCapture(event.pointerId);
    this.grab(row);
    this.pointer = { y: event.clientY, offset: event.clientY - row.getBoundingClientRect().top };
    const listeners = new AbortController();
    const { signal } = listeners;
    const end = (finish) => () => {
      listeners.abort();
      if (this.row === row) finish();
    };
    grip.addEventListener('pointermove', (move) => this.pointerMove(move.clientY), { signal });
    grip.addEventListener('pointerup', end(() => this.drop()), { signal });
    grip.addEventListener('pointercancel', end(() => this.cancel()), { signal });
    grip.addEventListener('lostpointercapture', end(() => this.cancel()), { signal });
    this.scroll();
  }

  pointerMove(y) {
    if (!this.pointer) return;
    this.pointer.y = y;
    const top = y - this.pointer.offset - this.list.getBoundingClientRect().top;
    const middle = top + this.row.offsetHeight / 2;
    const half = (other) => other.offsetTop + other.offsetHeight / 2;
    const next = () => this.row.nextElementSibling;
    const previous = () => this.row.previousElementSibling;
    while (next() && middle > half(next())) this.row.before(next());
    while (previous() && middle < half(previous())) this.row.after(previous());
    this.row.style.transform = `translateY(${top - this.row.offsetTop}px)`;
  }

  /** Scrolls the window while the pointer is at its edge. */
  scroll() {
    if (!this.pointer) return;
    const { y } = this.pointer;
    const by = y < EDGE ? -STEP : y > innerHeight - EDGE ? STEP : 0;
    const before = scrollY;
    if (by !== 0) scrollBy(0, by);
    if (scrollY !== before) this.pointerMove(y);
    requestAnimationFrame(() => this.scroll());
  }
}
