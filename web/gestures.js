// Fingers and keys on the live page: a swipe or an arrow turns the page, anything shows what a low screen hides.

const AWAKE = 5000;
/** Pixels of a swipe. */
const FAR = 50;

/** `onTurn(by)` turns the page. The parts are those that a swipe moves. */
export class Gestures {
  constructor(parts, onTurn) {
    this.onTurn = onTurn;
    for (const part of parts) this.listenForSwipes(part);
    document.addEventListener('keydown', (event) => this.key(event));
    for (const name of ['pointerdown', 'keydown']) document.addEventListener(name, () => this.wake());
  }

  /** Buttons, pager and links are shown for a while: on a low screen they lie over the fields. */
  wake() {
    document.body.classList.add('awake');
    clearTimeout(this.timer);
    this.timer = setTimeout(() => document.body.classList.remove('awake'), AWAKE);
  }

  key(event) {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    const isElsewhere = event.target.closest?.('input, select, textarea, dialog, .map, .bar');
    if (by === undefined || isElsewhere || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    this.onTurn(by);
  }

  listenForSwipes(part) {
    let from = null;
    const isSwipe = (event) => Math.abs(event.clientX - from.x) > FAR
      && Math.abs(event.clientX - from.x) > 1.5 * Math.abs(event.clientY - from.y);
    part.addEventListener('pointerdown', (event) => {
      from = event.isPrimary ? { x: event.clientX, y: event.clientY } : null;
    });
    part.addEventListener('pointerup', (event) => {
      if (from && isSwipe(event)) this.onTurn(event.clientX < from.x ? 1 : -1);
      from = null;
    });
    part.addEventListener('pointercancel', () => { from = null; });
  }
}
