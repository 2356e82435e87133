// The charts of a track on one axis, with a common cursor and a stretch that can be selected.

import { chartsOf, meansOf, rangeOf, ticksOf } from './chart-scale.js';
import { aheadOf, commonMetres } from './compare.js';
import { element, setText, show, svg } from './dom.js';
import { METRES_PER_MILE, decimal, distance, distanceUnit, elapsed } from './format.js';
import { figureColour, figureText, figureTitle } from './figure-words.js';
import { isMetric, t } from './i18n.js';
import { drawLine } from './profile.js';
import { rowAt } from './track.js';

/** A line has so many means across, and an axis so many ticks. */
const MEANS = 500;
const TICKS = 5;
/** Pixels that a pointer moves before it selects. */
const STILL = 8;
/** The parts of the axis that a key moves the cursor by. */
const STEPS = { ArrowLeft: -0.01, ArrowDown: -0.01, ArrowRight: 0.01, ArrowUp: 0.01, PageDown: -0.1, PageUp: 0.1 };
const AHEAD = { key: 'ahead', column: 'ahead' };

/** A time of an axis: 0:07, 12:30 or 1:02:03. */
function timeText(seconds) {
  const whole = Math.floor(seconds);
  return whole < 60 ? `0:${String(whole).padStart(2, '0')}` : elapsed(whole * 1000);
}

/** The figures of a text without their unit. */
const figuresOnly = (text) => text?.split(' ')[0] ?? '';

/**
 * Charts in an element. `losses` are those of track.js. `onCursor(row)`: the cursor has moved; `onStretch(stretch)`: a
 * stretch { from, to } of rows is selected, null: none; `onZoom(stretch)`: the
 * charts show a stretch alone, null: all; `onMark(mark)`: a mark of setMarks() was tapped.
 */
export class Charts {
  constructor(parent, { track, sport, losses = [], ...calls }) {
    Object.assign(this, { track, sport, losses, ...calls, marks: [], other: null, stretch: null });
    this.hasDistance = track.metres[track.count - 1] > 0;
    this.isByTime = !this.hasDistance;
    this.window = { from: 0, to: track.count - 1 };
    /** Null until somebody looks at a place. */
    this.row = null;
    this.charts = chartsOf(track);
    this.build(parent);
    this.draw();
  }

  get isEmpty() {
    return this.charts.length === 0;
  }

  build(parent) {
    const choice = (isByTime, key) =>
      element('button', { type: 'button', onclick: () => this.setAxis(isByTime) }, t(key));
    this.choices = [choice(false, 'field.distance'), choice(true, 'field.time')];
    this.out = element('button', { type: 'button', hidden: true, onclick: () => this.zoom(null) }, t('charts.out'));
    this.where = element('p', { class: 'where' });
    this.lane = element('div', { class: 'marks', 'aria-hidden': 'true' });
    this.plots = element('div', { class: 'plots' });
    this.flags = element('div', { class: 'flags' });
    this.band = element('div', { class: 'band', hidden: true });
    this.cursor = element('div', { class: 'cursor' });
    this.field = element('div', { class: 'field' }, this.lane, this.plots, this.flags, this.band, this.cursor);
    this.ticks = element('div', { class: 'ticks' });
    this.place = element('div', { class: 'place profile', role: 'slider', tabIndex: 0, 'aria-label': t('charts.place'),
      'aria-valuemin': '0', 'aria-valuemax': String(this.track.count - 1) }, this.field, this.ticks);
    this.choice = element('div', { class: 'pair', role: 'group', 'aria-label': t('charts.axis') }, this.choices);
    show(this.choice, this.hasDistance);
    this.node = element('div', { class: 'charts' }, element('div', { class: 'row' }, this.choice, this.out, this.where),
      this.place, element('p', { class: 'soft hint' }, t('charts.hint')));
    parent.append(this.node);
    this.listen();
  }

  // What is shown

  get axis() {
    return this.isByTime ? this.track.elapsed : this.track.metres;
  }

  axisText(value) {
    return this.isByTime ? timeText(value) : distance(value);
  }

  /** Where a stretch begins and ends: 1.20 – 3.45 km. */
  rangeText({ from, to }) {
    const [begin, end] = [from, to].map((row) => this.axisText(this.axis[row]));
    return `${figuresOnly(begin)} – ${end}`;
  }

  setAxis(isByTime) {
    this.isByTime = isByTime;
    this.draw();
  }

  /** Shows another track along the same distance; null shows one alone. */
  setOther(other) {
    this.other = other;
    this.charts = chartsOf(this.track);
    if (other) {
      this.track.ahead = aheadOf(this.track, other);
      this.isByTime = false;
      this.charts.unshift(AHEAD);
    }
    show(this.choice, this.hasDistance && !other);
    this.draw();
  }

  /** Marks on the charts: [{ row, sign, title, hasLine }]. */
  setMarks(marks) {
    this.marks = marks;
    this.drawMarks();
  }

  /** Shows a stretch alone; null shows all. */
  zoom(stretch) {
    this.window = stretch ?? { from: 0, to: this.track.count - 1 };
    show(this.out, stretch !== null);
    this.draw();
    this.onZoom(stretch);
  }

  select(stretch) {
    this.stretch = stretch;
    this.drawBand();
    this.onStretch(stretch);
  }

  /** Moves the cursor to a row. */
  move(row) {
    this.row = Math.min(Math.max(row, this.window.from), this.window.to);
    this.drawCursor();
    this.onCursor(this.row);
  }

  // Drawing

  draw() {
    const { from, to } = this.window;
    [this.low, this.high] = [this.axis[from], Math.max(this.axis[to], this.axis[from] + 1)];
    this.choices.forEach((button, index) =>
      button.setAttribute('aria-pressed', String(this.isByTime === (index === 1))));
    this.outputs = new Map();
    this.plots.replaceChildren(...this.charts.map((chart) => this.drawChart(chart)));
    this.drawTicks();
    this.drawMarks();
    this.drawBand();
    if (this.row === null) this.drawCursor();
    else this.move(this.row);
  }

  share(row) {
    return (this.axis[row] - this.low) / (this.high - this.low);
  }

  /** The tracks with the rows that the window shows of each. */
  stretches() {
    const { track, other, window } = this;
    if (!other) return [{ track, ...window }];
    const [from, to] = [this.low, this.high].map((metres) => rowAt(other.metres, metres));
    return [{ track, ...window }, { track: other, from, to }];
  }

  drawChart(chart) {
    const { key, column, isFilled } = chart;
    const all = key === 'ahead' ? [{ track: this.track, ...this.window }] : this.stretches();
    const [low, high] = key === 'ahead' ? this.rangeOfAhead() : rangeOf(chart, all) ?? [0, 1];
    const scale = {
      x: (value) => (value - this.low) / (this.high - this.low) * 1000,
      y: (value) => Math.min(Math.max(970 - (value - low) / (high - low) * 940, 10), 990),
    };
    const lines = all.flatMap(({ track, from, to }, index) => {
      const axis = this.isByTime ? track.elapsed : track.metres;
      const lost = Math.max(10, 4 * track.elapsed[track.count - 1] / track.count);
      const means = meansOf(track, axis, track[column],
        { from, to, low: this.low, high: this.high, count: MEANS, lost });
      const looks = index === 1 ? { colour: '--course', dash: '5 4' } : { colour: figureColour(key), isFilled };
      return drawLine({ xs: means.xs, ys: means.values, ...looks }, scale);
    });
    const zero = key === 'ahead'
      ? [svg('line', { class: 'zero', x1: 0, x2: 1000, y1: scale.y(0), y2: scale.y(0) })] : [];
    const drawing = svg('svg', { preserveAspectRatio: 'none', 'aria-hidden': 'true', viewBox: '0 0 1000 1000' },
      ...this.drawLosses(chart.loss, scale), ...zero, ...lines);
    // No <output>: it would be read out at each step, and the slider says it all.
    const output = element('b', {});
    this.outputs.set(key, output);
    const ends = [low, high].map((value) => (key === 'ahead' ? `${value < 0 ? '-' : '+'}${timeText(Math.abs(value))}`
      : figuresOnly(figureText(key, value, this.sport))));
    return element('figure', { dataset: { chart: key } }, element('figcaption', {}, figureTitle(key, this.sport),
      element('small', {}, ends.join(' – ')), output), element('div', { class: 'plot' }, drawing));
  }

  rangeOfAhead() {
    const known = this.track.ahead.subarray(this.window.from, this.window.to + 1).filter(Number.isFinite);
    const most = known.reduce((value, one) => Math.max(value, one), 5);
    return [known.reduce((value, one) => Math.min(value, one), -5), most];
  }

  drawLosses(key, scale) {
    const parts = this.other ? [] : this.losses.find((loss) => loss.key === key)?.parts ?? [];
    return parts.map(([from, to]) => {
      const [left, right] = [scale.x(this.axis[from]), scale.x(this.axis[to])];
      return svg('rect', { class: 'lost', x: left, width: Math.max(right - left, 3), y: 0, height: 1000 });
    });
  }

  drawTicks() {
    const unit = this.isByTime ? 1 : isMetric() ? 1000 : METRES_PER_MILE;
    const ticks = ticksOf(this.low, this.high, TICKS, { unit, isTime: this.isByTime });
    const decimals = ticks.length > 1 && (ticks[1] - ticks[0]) / unit < 1 ? 1 : 0;
    const text = (value) => (this.isByTime ? timeText(value) : `${decimal(value / unit, decimals)} ${distanceUnit()}`);
    this.ticks.replaceChildren(...ticks.map((value) => {
      const part = (value - this.low) / (this.high - this.low);
      const tick = element('span', { class: part < 0.06 ? 'first' : part > 0.94 ? 'last' : '' }, text(value));
      tick.style.left = `${part * 100}%`;
      return tick;
    }));
  }

  drawMarks() {
    const inside = this.marks.filter(({ row }) => row >= this.window.from && row <= this.window.to);
    show(this.lane, inside.length > 0);
    this.lane.replaceChildren(...inside.map((mark) => {
      const node = element('span', { title: mark.title }, mark.sign);
      node.style.left = `${this.share(mark.row) * 100}%`;
      node.addEventListener('pointerdown', (event) => event.stopPropagation());
      node.addEventListener('click', () => this.onMark(mark));
      return node;
    }));
    this.flags.replaceChildren(...inside.filter(({ hasLine }) => hasLine).map(({ row }) => {
      const line = element('i', {});
      line.style.left = `${this.share(row) * 100}%`;
      return line;
    }));
  }

  drawBand() {
    const { stretch, window } = this;
    const isAll = stretch?.from === window.from && stretch?.to === window.to;
    show(this.band, stretch !== null && !isAll);
    if (!stretch) return;
    const [left, right] = [stretch.from, stretch.to].map((row) => Math.min(Math.max(this.share(row), 0), 1));
    Object.assign(this.band.style, { left: `${left * 100}%`, width: `${(right - left) * 100}%` });
  }

  drawCursor() {
    const { row, track } = this;
    show(this.cursor, row !== null);
    if (row === null) return this.place.setAttribute('aria-valuenow', '0');
    this.cursor.style.left = `${this.share(row) * 100}%`;
    const where = [this.hasDistance ? distance(track.metres[row]) : null, timeText(track.elapsed[row])].filter(Boolean);
    const values = this.charts.map(({ key }) => [key, this.valueText(key)]);
    for (const [key, text] of values) setText(this.outputs.get(key), text ?? '–');
    setText(this.where, where.join(' · '));
    this.place.setAttribute('aria-valuenow', String(row));
    this.place.setAttribute('aria-valuetext', [...where, ...values.filter(([, text]) => text)
      .map(([key, text]) => `${figureTitle(key, this.sport)} ${text}`), this.stretchText()].filter(Boolean).join(', '));
  }

  /** A value at the cursor, with the grade at the altitude, and that of the other track at the same distance. */
  valueText(key) {
    const { track, other, row, sport } = this;
    const own = figureText(key, track[key][row], sport);
    if (key === 'altitude' && !other) {
      return [own, figureText('grade', track.grade[row], sport)].filter(Boolean).join(' · ') || null;
    }
    if (!other || key === 'ahead') return own;
    const beyond = track.metres[row] > commonMetres(track, other);
    const its = beyond ? null : figureText(key, other[key][rowAt(other.metres, track.metres[row])], sport);
    return its === null ? `${own ?? '–'} / –` : `${figuresOnly(own) || '–'} / ${its}`;
  }

  stretchText() {
    if (!this.stretch) return null;
    return t('charts.selected', { range: this.rangeText(this.stretch) });
  }

  // Pointers and keys

  listen() {
    this.place.addEventListener('pointerdown', (event) => this.press(event));
    this.place.addEventListener('pointermove', (event) => this.drag(event));
    this.place.addEventListener('pointerup', () => { this.pressed = null; });
    this.place.addEventListener('pointercancel', () => this.giveUp());
    this.place.addEventListener('keydown', (event) => this.key(event));
    this.place.addEventListener('focus', () => this.move(this.row ?? this.window.from));
  }

  rowOf({ clientX }) {
    const box = this.field.getBoundingClientRect();
    const share = Math.min(Math.max((clientX - box.left) / box.width, 0), 1);
    return rowAt(this.axis, this.low + share * (this.high - this.low));
  }

  press(event) {
    if (event.button !== 0) return;
    this.pressed = { x: event.clientX, row: this.rowOf(event), before: this.stretch };
    this.place.setPointerCapture(event.pointerId);
    this.move(this.pressed.row);
  }

  drag(event) {
    const row = this.rowOf(event);
    const { pressed } = this;
    if (pressed && (pressed.isSelecting || Math.abs(event.clientX - pressed.x) > STILL)) {
      pressed.isSelecting = true;
      this.selectBetween(pressed.row, row);
    }
    if (pressed || event.pointerType === 'mouse') this.move(row);
  }

  /** The finger scrolls the page: what it selected is none. */
  giveUp() {
    if (this.pressed?.isSelecting) this.select(this.pressed.before);
    this.pressed = null;
  }

  selectBetween(one, other) {
    const [from, to] = [Math.min(one, other), Math.max(one, other)];
    this.select(to > from ? { from, to } : null);
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const { from, to } = this.window;
    const target = { Home: from, End: to }[event.key];
    if (event.key in STEPS || target !== undefined) this.step(target ?? this.stepped(STEPS[event.key]), event.shiftKey);
    else if (event.key === 'Escape' && this.stretch) this.select(null);
    else if (event.key === 'Enter' && this.stretch) this.zoom(this.stretch);
    else return;
    event.preventDefault();
  }

  stepped(part) {
    const row = rowAt(this.axis, this.axis[this.row] + part * (this.high - this.low));
    if (part < 0) return Math.min(row, this.row - 1);
    return Math.max(row, this.row + 1);
  }

  step(row, selects) {
    if (!selects) this.anchor = null;
    else this.anchor ??= this.row;
    const next = Math.min(Math.max(row, this.window.from), this.window.to);
    if (selects) this.selectBetween(this.anchor, next);
    this.move(next);
  }
}
