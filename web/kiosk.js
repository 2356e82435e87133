// A page without navigation on a screen of its own: its size and rotation, and the keys of a board without a pointer.

import { element } from './dom.js';
import { t } from './i18n.js';
import { keep, kept } from './store.js';

const KEY = 'paced.kiosk';
const ROTATIONS = [0, 90, 180, 270];
const [SMALLEST, LARGEST] = [50, 300];
/** Milliseconds that Escape is held. */
const HOLD = 1000;

/** { size, rotate }: those of the address, which the browser keeps, else the kept ones. */
function view() {
  const asked = new URLSearchParams(location.search);
  const [keptSize, keptRotation] = (kept(KEY) ?? '').split(' ');
  const size = Number(asked.get('size') ?? (keptSize || 100));
  const rotate = Number(asked.get('rotate') ?? (keptRotation || 0));
  const made = { size: size >= SMALLEST && size <= LARGEST ? size : 100,
    rotate: ROTATIONS.includes(rotate) ? rotate : 0 };
  keep(KEY, made.size === 100 && made.rotate === 0 ? null : `${made.size} ${made.rotate}`);
  return made;
}

/**
 * Shows the page larger, smaller or turned, if it is to be: as a frame, so that its own size is that of the turned
 * screen. False if it is shown as it is.
 */
export function frame() {
  if (window.parent !== window) return false;
  const { size, rotate } = view();
  if (size === 100 && rotate === 0) return false;
  const page = element('iframe', { src: location.href, title: t('nav.live'), class: 'turned' });
  const place = () => {
    const sides = rotate % 180 === 0 ? [innerWidth, innerHeight] : [innerHeight, innerWidth];
    const [width, height] = sides.map((side) => `${side * 100 / size}px`);
    const transform = `translate(-50%, -50%) rotate(${rotate}deg) scale(${size / 100})`;
    Object.assign(page.style, { width, height, transform });
  };
  place();
  addEventListener('resize', place);
  // The keys are those of the frame.
  for (const name of ['load', 'focus']) page.addEventListener(name, () => page.contentWindow.focus());
  addEventListener('focus', () => page.contentWindow.focus());
  document.body.replaceChildren(page);
  // The code of a link is the frame's.
  history.replaceState(null, '', location.pathname + location.search);
  return true;
}

/** Enter laps or starts, Space pauses and resumes, M marks, Escape held stops. Arrows turn pages anyway. */
export class KioskKeys {
  constructor(controls) {
    this.controls = controls;
    this.timer = null;
    document.addEventListener('keydown', (event) => this.press(event), { capture: true });
    document.addEventListener('keyup', (event) => {
      if (event.key === 'Escape') this.release();
    });
    addEventListener('blur', () => this.release());
  }

  press(event) {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    if (event.key === 'Escape') return this.hold(event);
    const dialog = document.querySelector('dialog[open]');
    if (dialog) return this.choose(event, dialog);
    const call = { Enter: () => this.advance(), ' ': () => this.pause(), m: () => this.mark() }[event.key];
    // A control that has the focus keeps its keys.
    if (!call || event.target.closest?.('button, a, input, select, textarea, summary, .map')) return;
    event.preventDefault();
    if (!event.repeat) call();
  }

  /** Enter: the next lap, or the start. */
  advance() {
    const { controls } = this;
    ({ idle: controls.start, active: controls.lap })[controls.state?.run]?.click();
  }

  pause() {
    const { controls } = this;
    ({ active: controls.pause, paused: controls.resume })[controls.state?.run]?.click();
  }

  mark() {
    const { controls } = this;
    if (['active', 'paused'].includes(controls.state?.run)) controls.mark.node.click();
  }

  /** A short Escape closes a question; one that opened it by being held does not. */
  hold(event) {
    const isOpen = document.querySelector('dialog[open]') !== null;
    if (event.repeat || !isOpen) event.preventDefault();
    if (event.repeat || isOpen || !['active', 'paused'].includes(this.controls.state?.run)) return;
    this.timer = setTimeout(() => this.controls.askHowToStop(), HOLD);
  }

  release() {
    clearTimeout(this.timer);
  }

  /** Arrows move between the answers of a question: boards have no Tab. */
  choose(event, dialog) {
    const by = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1 }[event.key];
    if (by === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    const answers = [...dialog.querySelectorAll('button')];
    answers.at((answers.indexOf(document.activeElement) + by) % answers.length).focus();
  }
}
