// A page that opens by itself at the foot of a climb of the course, and closes at its top.

import { altitudeAt, ClimbProgress, partsOf } from './climb-figures.js';
import { element, setText, show, svg } from './dom.js';
import { decimal, elapsed, height, heightFigures, heightUnit, percent, way } from './format.js';
import { t } from './i18n.js';
import { opensAtClimbs } from './motion.js';

/** Milliseconds for which the figures of a climb stay at its top. */
const STAY = 8000;
/** Pixels of a part that has room for its grade. */
const LABEL = 24;
/** Pixels above, below and beside the line of the profile. */
const [OVER, UNDER, SIDE] = [12, 26, 9];
/** Hatches for paper, in pixels between two strokes, of the bands 2 to 4. Below is white, above is black. */
const HATCHES = [14, 8, 4];

const rounded = (value) => `${decimal(value, 0) ?? '--'} %`;

export class ClimbPage {
  /** `course`: of course.js, whose `shape` is the profile. `view`: the place of the data fields. */
  constructor(view, course) {
    Object.assign(this, { view, course, progress: new ClimbProgress(), left: null, drawn: null });
    this.title = element('h2');
    this.drawing = svg('svg', { 'aria-hidden': 'true' });
    this.plot = element('div', { class: 'climb-plot', role: 'img' }, this.drawing);
    this.values = element('dl', { class: 'climb-values' });
    this.node = element('section', { class: 'climb-page', hidden: true },
      element('div', { class: 'climb-body' }, this.title, this.plot, this.values));
    view.append(this.node);
    new ResizeObserver(() => {
      this.drawn = null;
      if (this.shown) this.draw(this.shown);
    }).observe(this.plot);
  }

  render(state) {
    const { inside, top } = this.progress.take(state) ?? {};
    if (top) return this.showTop(top);
    if (inside) {
      // The climb that somebody has turned away from stays away, but for another run.
      const name = `${state.activity} ${this.course.key} ${inside.number}`;
      if (name === this.left || !opensAtClimbs()) return this.open(false);
      this.name = name;
      clearTimeout(this.timer);
      this.isTop = false;
      // paced extrapolates the place for a while.
      this.node.classList.toggle('is-old', !state.position || state.position.stale);
      return this.showInside(inside);
    }
    return this.isTop ? undefined : this.open(false);
  }

  /** Turns away from the page; returns whether it was open. */
  leave() {
    if (this.node.hidden) return false;
    this.left = this.name;
    this.close();
    return true;
  }

  close() {
    clearTimeout(this.timer);
    this.isTop = false;
    this.open(false);
  }

  open(isOpen) {
    if (!isOpen) this.shown = null;
    show(this.node, isOpen);
    document.querySelector('main').classList.toggle('climbing', isOpen);
  }

  showInside(inside) {
    this.open(true);
    this.node.classList.remove('is-top');
    setText(this.title, t('course.climb', inside));
    this.node.setAttribute('aria-label', this.title.textContent);
    this.fill([['climb.grade', rounded(inside.grade)], ['climb.ahead', rounded(inside.ahead)],
      ['climb.to_top', way(inside.top)], ['climb.ascent', height(inside.ascent)],
      ['climb.rise', riseText(inside.rise)]]);
    this.shown = inside;
    this.draw(inside);
  }

  showTop(top) {
    if (this.node.hidden) return;
    this.node.classList.add('is-top');
    setText(this.title, t('course.climb_top', { title: t('course.climb', top) }));
    this.fill([['climb.time', elapsed(top.milliseconds)], ['climb.climbed', height(top.ascent)],
      ['climb.length', way(top.length)], ['climb.mean', percent(top.grade)], ['climb.rise', riseText(top.rise)]]);
    this.shown = { number: top.number, progress: Infinity };
    this.draw(this.shown);
    this.isTop = true;
    this.timer = setTimeout(() => this.close(), STAY);
  }

  /** The first two values are the large ones. */
  fill(rows) {
    while (this.values.children.length < rows.length) {
      this.values.append(element('div', {}, element('dt'), element('dd', { class: 'figures' })));
    }
    rows.forEach(([key, text], index) => {
      const [title, value] = this.values.children[index].children;
      setText(title, t(key));
      setText(value, text);
    });
  }

  // The profile

  draw({ number, progress }) {
    const { shape } = this.course;
    const climb = shape?.climbs[number - 1];
    const { clientWidth: width, clientHeight: high } = this.plot;
    const theme = document.documentElement.dataset.theme;
    const key = `${this.course.key} ${number} ${Boolean(shape)} ${theme}`;
    if (key !== this.drawn && width > 0) {
      this.drawn = key;
      this.parts = climb ? partsOf(shape, climb) : [];
      show(this.plot, this.parts.length > 0);
      if (this.parts.length > 0) this.drawParts(shape, climb, width, high);
    }
    this.move(progress);
  }

  drawParts(shape, climb, width, high) {
    const { start_m: start, top_m: top } = climb;
    const steps = Array.from({ length: 121 }, (_, index) => start + (top - start) * index / 120);
    const altitudes = steps.map((one) => altitudeAt(shape, one)).filter(Number.isFinite);
    const [lowest, highest] = [Math.min(...altitudes), Math.max(...altitudes)];
    const x = (metres) => SIDE + (metres - start) / (top - start) * (width - 2 * SIDE);
    const y = (metres) => high - UNDER - (altitudeAt(shape, metres) - lowest) / Math.max(highest - lowest, 1)
      * Math.max(high - UNDER - OVER, 1);
    const point = (metres) => `${x(metres).toFixed(1)} ${y(metres).toFixed(1)}`;
    this.scale = { x, y, start, top };
    const shapes = this.parts.map(({ from, to, grade, band }) => {
      const line = [from, ...steps.filter((one) => one > from && one < to), to].map(point).join('L');
      const [left, right] = [from, to].map((one) => x(one).toFixed(1));
      const area = svg('path', { class: `grade-${band}`, d: `M${left} ${high}L${line}L${right} ${high}Z` });
      if (x(to) - x(from) < LABEL) return [area];
      const label = svg('text', { x: (x(from) + x(to)) / 2, y: high - 7, 'text-anchor': 'middle' });
      label.textContent = decimal(grade, 0);
      return [area, label];
    });
    this.done = svg('rect', { class: 'done', x: 0, y: 0, width: 0, height: high });
    this.dot = svg('circle', { class: 'here', r: 8 });
    this.drawing.setAttribute('viewBox', `0 0 ${width} ${high}`);
    this.drawing.replaceChildren(hatches(), ...shapes.map(([area]) => area), this.done,
      svg('path', { class: 'crest', d: `M${steps.map(point).join('L')}` }),
      ...shapes.flatMap(([, label]) => label ?? []), this.dot);
    const words = this.parts.map(({ grade }) => rounded(grade)).join(', ');
    this.plot.setAttribute('aria-label', t('climb.profile', { grades: words }));
  }

  /** Moves the position alone. */
  move(progress) {
    if (!this.parts?.length || !this.scale) return;
    const { x, y, start, top } = this.scale;
    const here = Math.min(Math.max(progress, start), top);
    this.done.setAttribute('width', x(here).toFixed(1));
    this.dot.setAttribute('cx', x(here).toFixed(1));
    this.dot.setAttribute('cy', y(here).toFixed(1));
  }
}

function riseText(rise) {
  return rise === undefined ? '--' : `${heightFigures(rise)} ${heightUnit()}/h`;
}

/** The patterns by which paper tells grades. */
function hatches() {
  return svg('defs', {}, ...HATCHES.map((gap, index) => svg('pattern', { id: `hatch-${index + 2}`, width: gap,
    height: gap, patternUnits: 'userSpaceOnUse', patternTransform: 'rotate(45)' },
  svg('rect', { width: 2, height: gap }))));
}
