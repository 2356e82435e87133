// The button that marks a place: a tap marks at once, holding it asks for a kind and a text.

import { element } from './dom.js';
import { t } from './i18n.js';

/** Milliseconds that the button is held. */
const HOLD = 600;

/** `onTap()`, and `onHeld()`: held, or its menu is asked for by the right button or by keys. */
export class MarkButton {
  constructor(label, onTap, onHeld) {
    Object.assign(this, { onTap, onHeld, timer: null, wasHeld: false });
    this.node = element('button', { class: 'make_mark', type: 'button', title: t('mark.hint'),
      'aria-description': t('mark.hint') }, label);
    const on = (name, call) => this.node.addEventListener(name, call);
    on('pointerdown', ({ button }) => this.press(button));
    for (const name of ['pointerup', 'pointercancel', 'pointerleave', 'blur']) on(name, () => clearTimeout(this.timer));
    // A browser that asks for its menu when a finger rests comes before or after the time.
    on('contextmenu', (event) => {
      event.preventDefault();
      this.hold();
    });
    on('click', () => {
      if (!this.wasHeld) this.onTap();
      this.wasHeld = false;
    });
    // A key that repeats marks once.
    on('keydown', (event) => {
      if (event.repeat && event.key === 'Enter') event.preventDefault();
      else this.wasHeld = false;
    });
  }

  press(button) {
    this.wasHeld = false;
    clearTimeout(this.timer);
    if (button === 0) this.timer = setTimeout(() => this.hold(), HOLD);
  }

  hold() {
    clearTimeout(this.timer);
    if (this.wasHeld || this.node.disabled) return;
    this.wasHeld = true;
    this.onHeld();
  }
}
