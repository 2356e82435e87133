// What the charts of a track show and where: columns, ranges, means over a width of the screen, and ticks.

import { fieldOf } from './fields.js';
import { isOwn } from './own-fields.js';

/**
 * The charts from top to bottom. `least`: the least span that is no flat line; `room`: the least span of the axis;
 * `isAboveZero`: zeros are stops; `isSigned`: values may be below zero; `loss`: of track.js.
 */
const CHARTS = [
  { key: 'speed', column: 'speed', least: 0.3, loss: 'position' },
  { key: 'heart', column: 'heart', least: 3, room: 20, loss: 'heart' },
  { key: 'power', column: 'power', least: 5, isFromZero: true, loss: 'power' },
  { key: 'cadence', column: 'cadence', least: 3, isAboveZero: true },
  { key: 'altitude', column: 'altitude', least: 3, room: 20, isFilled: true, loss: 'position' },
  { key: 'temperature', column: 'temperature', least: 2, room: 4 },
];
/** The part of the values at each end that does not set the range: noise and short stops. */
const OUTSIDE = 0.01;
/** That of altitudes: a summit is short, but not as short as a wrong position. */
const OUTSIDE_OF_HEIGHTS = 0.003;

/** The values at these parts of a column, in the order of size; unknown ones left out, and zeros if asked. */
function partsOf(values, from, to, isAboveZero, parts) {
  const known = values.subarray(from, to + 1).filter((value) => Number.isFinite(value) && !(isAboveZero && value <= 0))
    .sort();
  return known.length === 0 ? null : parts.map((part) => known[Math.round(part * (known.length - 1))]);
}

/** The chart of another program's field: what its decimals do not show is no change. */
function ownChart(key) {
  const least = 10 ** -fieldOf(key).decimals;
  return { key, column: key, least, room: 4 * least, isSigned: true };
}

/** The charts that a track has: those with values that vary. */
export function chartsOf(track) {
  return [...CHARTS, ...Object.keys(track).filter(isOwn).map(ownChart)].filter(({ column, least, isAboveZero }) => {
    const ends = partsOf(track[column], 0, track.count - 1, isAboveZero, [OUTSIDE, 1 - OUTSIDE]);
    return ends !== null && ends[1] - ends[0] >= least;
  });
}

/** The range of a chart over stretches of tracks [{ track, from, to }]: [low, high]. */
export function rangeOf({ column, room = 0, isFromZero, isAboveZero, isSigned, key }, stretches) {
  const outside = key === 'altitude' ? OUTSIDE_OF_HEIGHTS : OUTSIDE;
  const all = stretches.map(({ track, from, to }) =>
    partsOf(track[column], from, to, isAboveZero, [outside, 1 - outside])).filter(Boolean);
  if (all.length === 0) return null;
  const low = Math.min(...all.map(([least]) => least));
  const high = Math.max(...all.map(([, most]) => most));
  const more = Math.max((room - (high - low)) / 2, 0);
  if (isFromZero) return [0, Math.max(high, 1)];
  if (isSigned) return [low - more, high + more];
  return [key === 'altitude' ? low : Math.max(low - more, 0), high + (key === 'altitude' ? 2 * more : more) || 1];
}

/**
 * A line of means, one for each of `count` columns between two places of an axis: { xs, values }. An unknown stretch of
 * `lost` seconds or more, and a row that begins a part, break the line by NaN.
 */
export function meansOf({ elapsed }, axis, values, { from, to, low, high, count, lost = 10 }) {
  const [xs, means] = [[], []];
  let [column, sumX, sum, known] = [-1, 0, 0, 0];
  let last = -Infinity;
  const flush = () => {
    if (known === 0) return;
    xs.push(sumX / known);
    means.push(sum / known);
    [sumX, sum, known] = [0, 0, 0];
  };
  for (let row = from; row <= to; row += 1) {
    const value = values[row];
    if (Number.isNaN(value)) continue;
    const at = Math.floor((axis[row] - low) / (high - low) * count);
    const isBroken = elapsed[row] - last > lost;
    if (at !== column || isBroken) flush();
    if (isBroken && xs.length > 0) {
      xs.push(axis[row]);
      means.push(NaN);
    }
    [column, last] = [at, elapsed[row]];
    sumX += axis[row];
    sum += value;
    known += 1;
  }
  flush();
  return { xs, values: means };
}

const STEPS = { number: [1, 2, 5], time: [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14_400] };

/** Round places of an axis between two ends, at most so many. `unit`: what 1 is, such as the metres of a mile. */
export function ticksOf(low, high, most, { unit = 1, isTime = false } = {}) {
  const least = (high - low) / unit / most;
  if (!(least > 0)) return [];
  const power = 10 ** Math.floor(Math.log10(least));
  const step = isTime ? STEPS.time.find((one) => one >= least) ?? 14_400 * Math.ceil(least / 14_400)
    : [...STEPS.number, 10].map((one) => one * power).find((one) => one >= least * (1 - 1e-9));
  const first = Math.ceil(low / unit / step - 1e-9);
  const count = Math.max(Math.floor(high / unit / step + 1e-9) - first + 1, 0);
  return Array.from({ length: count }, (_, index) => (first + index) * step * unit);
}
