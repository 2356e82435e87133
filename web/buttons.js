// Buttons with small drawings, which are hidden from screen readers: the button has the name.

import { element, svg } from './dom.js';

const paths = {
  grip: 'M9 5h.01M15 5h.01M9 12h.01M15 12h.01M9 19h.01M15 19h.01',
  eye: 'M2 12s3.5-7 10-7 10 7 10 7-3.5 7-10 7S2 12 2 12zM12 9a3 3 0 1 0 0 6 3 3 0 0 0 0-6z',
  hidden: 'M2 12s3.5-7 10-7 10 7 10 7-3.5 7-10 7S2 12 2 12zM4 20 20 4',
  open: 'M6 9l6 6 6-6',
  up: 'M12 20V4M5 11l7-7 7 7',
  down: 'M12 4v16M5 13l7 7 7-7',
  left: 'M20 12H4M11 5l-7 7 7 7',
  right: 'M4 12h16M13 5l7 7-7 7',
  plus: 'M12 4v16M4 12h16',
  reset: 'M4 4v6h6M4.6 10A8 8 0 1 1 4 13.5',
  undo: 'M9 5 4 10l5 5M4 10h10a6 6 0 0 1 0 12h-3',
};

/** A drawing of 20 px by its name. */
export function icon(name) {
  return svg('svg', { class: 'icon', viewBox: '0 0 24 24', width: '20', height: '20', 'aria-hidden': 'true',
    fill: 'none', stroke: 'currentColor', 'stroke-width': name === 'grip' ? '3.4' : '2', 'stroke-linecap': 'round',
    'stroke-linejoin': 'round' }, svg('path', { d: paths[name] }));
}

/** A button with a text, and a drawing before it if `drawing` names one. */
export function textButton(label, onclick, { drawing, ...properties } = {}) {
  return element('button', { type: 'button', onclick, ...properties }, drawing ? icon(drawing) : null, label);
}

/** A button with a drawing and a name. `class` is added. */
export function iconButton(drawing, label, onclick, { class: more = '', ...properties } = {}) {
  return element('button', { class: `icon-only ${more}`, type: 'button', onclick, 'aria-label': label, title: label,
    ...properties }, icon(drawing));
}

/** Gives a button with a drawing another name. */
export function nameButton(button, label) {
  button.setAttribute('aria-label', label);
  button.title = label;
}
