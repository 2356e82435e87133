// Elevation profiles as SVG: several lines on common axes, climbs, and the present place.

import { element, setText, svg } from './dom.js';
import { height, way } from './format.js';
import { t } from './i18n.js';

/**
 * A profile in an element; its height is that of the CSS class `profile`.
 *
 * set({ lines: [{ distances, altitudes, colour, width, isFilled }], climbs: [{ start, top }], active, position }), all
 * in metres. `active` is the index of the climb to highlight, `position` the present distance. A null altitude breaks a
 * line.
 */
export class Profile {
  constructor(parent, { label = t('profile.label') } = {}) {
    this.drawing = svg('svg', { preserveAspectRatio: 'none', 'aria-hidden': 'true', viewBox: '0 0 1000 1000' });
    this.high = element('span', { class: 'high' });
    this.low = element('span', { class: 'low' });
    this.from = element('span', {});
    this.to = element('span', {});
    this.figure = element('div', { class: 'profile', role: 'img', 'aria-label': label },
      element('div', { class: 'plot' }, this.drawing, this.high, this.low),
      element('div', { class: 'axis', 'aria-hidden': 'true' }, this.from, this.to));
    this.label = label;
    parent.append(this.figure);
  }

  destroy() {
    this.figure.remove();
  }

  set({ lines, climbs = [], active = null, position = null }) {
    const drawn = lines.filter((line) => line.altitudes?.some(Number.isFinite));
    const all = drawn.flatMap((line) => line.altitudes.filter(Number.isFinite));
    if (all.length === 0) {
      this.drawing.replaceChildren();
      return;
    }
    const [lowest, highest] = [all.reduce((a, b) => Math.min(a, b)), all.reduce((a, b) => Math.max(a, b))];
    const length = Math.max(...drawn.map((line) => line.distances.at(-1)), 1);
    // A level course does not fill the drawing with noise.
    const span = Math.max(highest - lowest, 20);
    const scale = {
      x: (metres) => metres / length * 1000,
      y: (metres) => 960 - (metres - lowest) / span * 880,
    };
    this.drawing.replaceChildren(
      ...climbs.map((climb, index) => svg('rect', {
        class: index === active ? 'climb active' : 'climb', x: scale.x(climb.start), y: 0, height: 1000,
        width: Math.max(scale.x(climb.top) - scale.x(climb.start), 2) })),
      ...drawn.flatMap(({ distances, altitudes, ...looks }) =>
        drawLine({ xs: distances, ys: altitudes, ...looks }, scale)));
    this.drawPosition(position, scale);
    setText(this.high, height(highest));
    setText(this.low, height(lowest));
    setText(this.from, way(0));
    setText(this.to, way(length));
    this.figure.setAttribute('aria-label',
      t('profile.text', { label: this.label, low: height(lowest), high: height(highest), length: way(length) }));
    this.scale = scale;
  }

  /** Moves the position alone. */
  setPosition(position) {
    if (this.scale) this.drawPosition(position, this.scale);
  }

  drawPosition(position, scale) {
    this.marker?.remove();
    this.marker = null;
    if (!Number.isFinite(position)) return;
    const x = scale.x(position);
    this.marker = svg('g', {}, svg('rect', { class: 'done', x: 0, y: 0, width: Math.max(x, 0), height: 1000 }),
      svg('line', { class: 'now', x1: x, x2: x, y1: 0, y2: 1000 }));
    this.drawing.append(this.marker);
  }
}

/**
 * The paths of a line, and of the area below it. `scale`: functions x and y into a drawing that is 1000 high. An
 * unknown y breaks the line.
 */
export function drawLine({ xs, ys, colour = '--elevation', width = 2, dash = null, isFilled = false }, scale) {
  const paint = colour.startsWith('--') ? `var(${colour})` : colour;
  const parts = runs(xs, ys).map((run) => run.map(([x, y], index) =>
    `${index === 0 ? 'M' : 'L'}${scale.x(x).toFixed(1)} ${scale.y(y).toFixed(1)}`).join(''));
  const stroke = svg('path', { class: 'line', d: parts.join('') });
  stroke.style.stroke = paint;
  stroke.style.strokeWidth = `${width}px`;
  if (dash) stroke.style.strokeDasharray = dash;
  if (!isFilled) return [stroke];
  const area = svg('path', { class: 'area', d: runs(xs, ys).map((run, index) =>
    `${parts[index]}L${scale.x(run.at(-1)[0]).toFixed(1)} 1000L${scale.x(run[0][0]).toFixed(1)} 1000Z`).join('') });
  area.style.fill = paint;
  return [area, stroke];
}

/** The parts of a line between unknown values. */
function runs(xs, ys) {
  const made = [];
  let isOpen = false;
  ys.forEach((y, index) => {
    const isKnown = Number.isFinite(y);
    if (isKnown && !isOpen) made.push([]);
    if (isKnown) made.at(-1).push([xs[index], y]);
    isOpen = isKnown;
  });
  return made;
}
