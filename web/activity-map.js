// The map of an activity: its line in the colours of a value, where it was won what, the cursor and a stretch.

import { element, show } from './dom.js';
import { figureText, figureTitle } from './figure-words.js';
import { mapPoints } from './history.js';
import { t } from './i18n.js';
import { RouteMap } from './map.js';
import { labelled, select } from './page.js';
import { FASTEST, colouredStretches, speedColour } from './speed-line.js';
import { hasPosition, linesOf } from './track.js';

/** What can colour the line, and whether much of it is red: effort, not success. */
const COLOURS = { speed: false, heart: true, power: true, grade: true, cadence: false };
const METRES_PER_DEGREE = 111_195;
/** The width of the own line beside another, which is seen on it where both have the same way. */
const WIDE = 11;
/** Metres between two starts from which on a map of both lines would show neither. */
const FAR = 100_000;
/** Pixels around a stretch that is looked at. */
const ROOM = 50;

const isPaper = () => document.documentElement.dataset.theme === 'e-ink';

/** Whether a column has more than one value. */
function varies(values) {
  let first = NaN;
  return values.some((value) => {
    if (Number.isNaN(first)) first = value;
    return Number.isFinite(value) && value !== first;
  });
}

/** `lines`: of track.js. `onPlace({ latitude, longitude })`: the map was tapped beside a point. */
export class ActivityMap {
  constructor(parent, { track, lines, sport, onPlace }) {
    Object.assign(this, { track, lines, sport, points: [], stretch: null, other: null, colour: 'speed' });
    this.place = (row) => [track.latitude[row], track.longitude[row]];
    this.base = mapPoints(lines.map((line) => line.map(this.place)));
    this.legend = element('p', { class: 'legend' });
    this.chart = element('div', { class: 'chart' });
    const keys = Object.keys(COLOURS).filter((key) => varies(track[key]));
    this.choice = labelled(t('activity.colour'), select(keys.map((key) => [key, figureTitle(key, sport)]), 'speed',
      (key) => this.setColour(key)));
    this.choice.className = 'colour';
    show(this.choice, keys.length > 1);
    parent.append(this.chart, this.choice, this.legend);
    this.map = new RouteMap(this.chart, { label: t('activity.route'), buttons: 'view',
      onPoint: (point) => point.open?.(), onClick: onPlace });
    this.themed = () => this.draw();
    addEventListener('paced-theme', this.themed);
    this.setColour('speed');
    this.setPoints([]);
  }

  destroy() {
    removeEventListener('paced-theme', this.themed);
    this.map.destroy();
  }

  setColour(key) {
    this.colour = key;
    this.coloured = colouredStretches(this.track, this.lines, key);
    this.draw();
  }

  /** Points besides start and end; what a point `open`s is called when it is tapped. */
  setPoints(points) {
    this.points = points;
    this.drawPoints();
  }

  /** Beside another activity without the points, which would hide its line. */
  drawPoints() {
    const [first, last] = [this.lines[0][0], this.lines.at(-1).at(-1)];
    const end = (row, label, shape) => ({ ...this.pointOf(row), label, shape });
    this.map.setPoints([...this.other ? [] : this.points, end(last, t('activity.end'), 'flag'),
      end(first, t('activity.start'), 'dot')]);
  }

  pointOf(row) {
    return { latitude: this.track.latitude[row], longitude: this.track.longitude[row] };
  }

  setCursor(row) {
    this.map.setPosition(row !== null && hasPosition(this.track, row) ? this.pointOf(row) : null);
  }

  setStretch(stretch) {
    this.stretch = stretch;
    this.draw();
  }

  /** Shows the line of another track beside this one, unless it is in another region. */
  setOther(track) {
    const lines = linesOf(track);
    if (lines.length === 0 || this.isFar(track, lines[0][0])) return;
    this.other = mapPoints(lines.map((line) => line.map((row) => [track.latitude[row], track.longitude[row]])));
    show(this.choice, false);
    this.draw();
    this.drawPoints();
  }

  isFar({ latitude, longitude }, row) {
    const [north, east] = this.place(this.lines[0][0]);
    const across = Math.cos(north * Math.PI / 180);
    return Math.hypot(latitude[row] - north, (longitude[row] - east) * across) * METRES_PER_DEGREE > FAR;
  }

  /** Shows a stretch alone; null shows all. */
  look(stretch) {
    const points = stretch ? this.pointsOf(stretch).filter(Boolean) : [];
    if (points.length === 0) return this.map.fit();
    const [north, east] = [0, 1].map((part) => points.reduce(([low, high], point) =>
      [Math.min(low, point[part]), Math.max(high, point[part])], [Infinity, -Infinity]));
    const middle = (north[0] + north[1]) / 2;
    const across = (east[1] - east[0]) * METRES_PER_DEGREE * Math.cos(middle * Math.PI / 180);
    const { clientWidth: wide, clientHeight: high } = this.chart;
    this.map.look(middle, (east[0] + east[1]) / 2, Math.max(across / Math.max(wide - 2 * ROOM, 50),
      (north[1] - north[0]) * METRES_PER_DEGREE / Math.max(high - 2 * ROOM, 50), 0.25));
  }

  lookAt(row) {
    this.map.look(...this.place(row), 4);
  }

  pointsOf({ from, to }) {
    return mapPoints(this.lines.map((line) => line.filter((row) => row >= from && row <= to).map(this.place)));
  }

  draw() {
    const { scale, stretches } = this.coloured;
    const isColoured = scale !== null && !this.other;
    const line = isColoured ? colouredLines(this.base, stretches, COLOURS[this.colour])
      : [{ points: this.base, colour: '--trail', width: this.other ? WIDE : 4 }];
    const other = this.other ? [{ points: this.other, colour: '--course', width: 3, dash: [6, 6] }] : [];
    this.map.setLines([...this.corridor(), ...line, ...other]);
    this.legend.replaceChildren(...isColoured ? this.legendOf(scale) : []);
    this.legend.dataset.red = COLOURS[this.colour] ? 'high' : 'low';
    show(this.legend, isColoured);
  }

  /** Two edges along the stretch, in the colour of the text: seen in each theme and beside each colour. */
  corridor() {
    if (!this.stretch) return [];
    const points = this.pointsOf(this.stretch);
    return [['--text', 18], ['--map-back', 13]].map(([colour, width]) => ({ points, colour, width, casing: null }));
  }

  /** What the colours mean. */
  legendOf({ slow, median, fast }) {
    const isSpeed = this.colour === 'speed';
    const word = (key, value) => element('span', {}, t(`activity.${key}`,
      { rate: figureText(this.colour, value, this.sport) ?? '–' }));
    return [word(isSpeed ? 'slow' : 'low', slow), element('i', { 'aria-hidden': 'true' }),
      word(isSpeed ? 'fast' : 'high', fast),
      word(!isPaper() ? 'median' : isSpeed ? 'median_paper' : 'high_paper', median)];
  }
}

/** A dark line below the colours; on paper thicker lines are more. */
function colouredLines(base, stretches, isRedHigh) {
  const colours = stretches.map((points, number) => ({ points, casing: null, ...isPaper()
    ? { colour: '--text', width: [2, 4, 7][Math.floor(number * 3 / (FASTEST + 1))] }
    : { colour: speedColour(isRedHigh ? FASTEST - number : number), width: 5 } }))
    .filter(({ points }) => points.length > 0);
  return isPaper() ? colours : [{ points: base, colour: '--speed-casing', width: 8, casing: null }, ...colours];
}
