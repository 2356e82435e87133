// The seconds of an activity as typed arrays, from the file CSV of pacectl: one number a row and column. Map, charts,
// splits, stretches and comparisons read these arrays.

import { ownField } from './own-fields.js';

const COLUMNS = {
  since: 'since_start_s', elapsed: 'elapsed_s', lap: 'lap', metres: 'distance_m', latitude: 'latitude_deg',
  longitude: 'longitude_deg', altitude: 'altitude_m', heart: 'heart_rate_bpm', cadence: 'cadence_rpm',
  power: 'power_w', temperature: 'temperature_c', ascent: 'ascent_m', descent: 'descent_m', grade: 'grade_percent',
};
/** Columns that only grow: an unknown value is the last known one. */
const GROWING = ['elapsed', 'metres', 'ascent', 'descent'];
/** Seconds before and after a row that its speed is taken over. */
const AROUND = 5;
const METRES_PER_DEGREE = 111_195;

/**
 * A track: { count, since, elapsed, …, speed }. Times are seconds; an unknown value is NaN, but distance, ascent and
 * descent are the last known ones. The speed is that of the distance, so that all figures agree. A file without
 * distances has those of its positions, in proportion to `whole`, the metres of the activity. `own` are the names of
 * other programs' fields; their columns have the prefix of these.
 */
export function trackOf(csv, whole = 0, own = []) {
  const [head, ...lines] = csv.trimEnd().split(/\r?\n/);
  const names = head.split(',');
  const count = lines.length;
  const track = { count };
  const wanted = [...Object.entries(COLUMNS), ...own.map((name) => [ownField(name), name])];
  const columns = wanted.map(([key, name]) => {
    track[key] = new Float64Array(count).fill(NaN);
    return [track[key], names.indexOf(name)];
  }).filter(([, index]) => index >= 0);
  lines.forEach((line, row) => {
    const cells = line.split(',');
    for (const [values, index] of columns) if (cells[index]) values[row] = Number(cells[index]);
  });
  if (!track.metres.some((metres) => metres > 0)) measure(track, whole);
  for (const key of GROWING) grow(track[key]);
  track.speed = speedsOf(track);
  return track;
}

function grow(values) {
  let last = 0;
  for (let row = 0; row < values.length; row += 1) {
    if (values[row] > last) last = values[row];
    values[row] = last;
  }
}

/** Sets distances by the positions, without the ways over pauses and gaps. */
function measure(track, whole) {
  const { latitude, longitude, metres } = track;
  let way = 0;
  for (const line of linesOf(track)) {
    line.forEach((row, index) => {
      if (index > 0) {
        const before = line[index - 1];
        const across = Math.cos(latitude[row] * Math.PI / 180);
        const east = (longitude[row] - longitude[before] + 540) % 360 - 180;
        way += Math.hypot(latitude[row] - latitude[before], east * across) * METRES_PER_DEGREE;
      }
      metres[row] = way;
    });
  }
  if (way > 0 && whole > 0) metres.forEach((value, row) => { metres[row] = value * whole / way; });
}

function speedsOf({ count, elapsed, metres }) {
  const speeds = new Float64Array(count).fill(NaN);
  let [from, to] = [0, 0];
  for (let row = 0; row < count; row += 1) {
    while (from < row && elapsed[row] - elapsed[from] > AROUND) from += 1;
    while (to < count - 1 && elapsed[to + 1] - elapsed[row] <= AROUND) to += 1;
    // Rows that are far apart have the speed between them.
    const [first, last] = from === to ? [Math.max(row - 1, 0), Math.min(row + 1, count - 1)] : [from, to];
    const time = elapsed[last] - elapsed[first];
    if (time > 0) speeds[row] = (metres[last] - metres[first]) / time;
  }
  return speeds;
}

/** The first row whose value is at least this, in a column that grows; the last row if there is none. */
export function rowAt(values, value) {
  let [low, high] = [0, values.length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (values[middle] < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The active time at which a distance was reached, between rows. */
export function timeAt({ elapsed, metres }, distance) {
  const row = rowAt(metres, distance);
  if (row === 0 || metres[row] <= distance || metres[row] === metres[row - 1]) return elapsed[row];
  const part = (distance - metres[row - 1]) / (metres[row] - metres[row - 1]);
  return elapsed[row - 1] + part * (elapsed[row] - elapsed[row - 1]);
}

/** Seconds between two rows from which on they belong to two parts: a device may write a row in several seconds. */
const longestWait = ({ count, elapsed }) => Math.max(30, 10 * (elapsed[count - 1] ?? 0) / Math.max(count, 1));

/** Whether a row begins a part: it is the first one, or comes after a pause or a gap. */
export function breaksOf(track) {
  const { count, since, elapsed } = track;
  const longest = longestWait(track);
  return Uint8Array.from({ length: count }, (_, row) => {
    if (row === 0) return 1;
    const wait = since[row] - since[row - 1];
    return wait > longest || wait - (elapsed[row] - elapsed[row - 1]) >= 1 ? 1 : 0;
  });
}

export const hasPosition = ({ latitude, longitude }, row) =>
  Number.isFinite(latitude[row]) && Number.isFinite(longitude[row]);

/** The rows with a position as lines without pauses and gaps, as the report has them. */
export function linesOf(track) {
  const breaks = breaksOf(track);
  const lines = [];
  for (let row = 0; row < track.count; row += 1) {
    if (breaks[row]) lines.push([]);
    if (hasPosition(track, row)) lines.at(-1).push(row);
  }
  return lines.filter((line) => line.length > 0);
}

/** What an activity can lose, with its column. Cadence is none: a sensor that stands still is silent. */
const LOSABLE = { heart: 'heart', power: 'power', position: 'latitude' };
/** A value is lost from so many seconds on: a beat that comes late is none. */
const LOST = 3;

/**
 * What was lost where: [{ key, seconds, parts: [[first, last], …] }], only of what the activity has at all. A part is
 * from the last row that has the value to the first one that has it again.
 */
export function lossesOf(track) {
  const { count, elapsed } = track;
  const longest = longestWait(track);
  return Object.entries(LOSABLE).flatMap(([key, column]) => {
    const values = track[column];
    if (!values.some(Number.isFinite)) return [];
    const parts = [];
    let [last, seconds] = [0, 0];
    for (let row = 0; row < count; row += 1) {
      const isKnown = Number.isFinite(values[row]);
      if (!isKnown && row < count - 1) continue;
      // Rows that a device left out are no loss, unless they are many.
      const hasUnknown = row - last > 1 || !isKnown;
      const lost = elapsed[isKnown && hasUnknown ? row - 1 : row] - elapsed[last];
      if (lost >= (hasUnknown ? LOST : longest)) {
        parts.push([last, row]);
        seconds += lost;
      }
      last = row;
    }
    return [{ key, seconds, parts }];
  });
}
