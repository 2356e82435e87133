// Stretches of a track: their figures, splits, laps, and where best efforts are.

import { isOwn } from './own-fields.js';
import { rowAt, timeAt } from './track.js';

/** The mean of a column over the time of its rows, and its largest value; NaN if it is unknown. */
function meanAndMost({ elapsed }, values, from, to) {
  let [sum, time, most] = [0, 0, NaN];
  for (let row = from + 1; row <= to; row += 1) {
    if (Number.isNaN(values[row])) continue;
    const seconds = Math.max(elapsed[row] - elapsed[row - 1], 0);
    sum += values[row] * seconds;
    time += seconds;
    if (!(values[row] <= most)) most = values[row];
  }
  return [time > 0 ? sum / time : NaN, most];
}

/**
 * The figures of the way from one row to another: metres, seconds, speed in metres a second, heart, mostHeart, power,
 * cadence, ascent, descent and grade in percent, and the means of other programs' fields; NaN if unknown.
 */
export function figuresOf(track, from, to) {
  const metres = track.metres[to] - track.metres[from];
  const seconds = track.elapsed[to] - track.elapsed[from];
  const [heart, mostHeart] = meanAndMost(track, track.heart, from, to);
  const hasAltitude = track.altitude.some(Number.isFinite);
  const own = Object.keys(track).filter(isOwn).map((key) => [key, meanAndMost(track, track[key], from, to)[0]]);
  const climbed = (values) => (hasAltitude ? values[to] - values[from] : NaN);
  return {
    metres, seconds, speed: seconds > 0 ? metres / seconds : NaN, heart, mostHeart,
    power: meanAndMost(track, track.power, from, to)[0], cadence: meanAndMost(track, track.cadence, from, to)[0],
    ascent: climbed(track.ascent), descent: climbed(track.descent),
    grade: metres > 0 ? (track.altitude[to] - track.altitude[from]) / metres * 100 : NaN, ...Object.fromEntries(own),
  };
}

/** The least part of a split that is a split of its own at the end. */
const REST = 0.02;

/** The splits of a length: { number, from, to } and their figures. Times are those between rows. */
export function splitsOf(track, length) {
  const { count, metres } = track;
  const whole = metres[count - 1] ?? 0;
  const ends = Array.from({ length: Math.floor(whole / length) }, (_, index) => (index + 1) * length);
  if (whole - (ends.at(-1) ?? 0) > REST * length) ends.push(whole);
  return ends.map((end, index) => {
    const begin = index * length;
    const [from, to] = [rowAt(metres, begin), rowAt(metres, end)];
    const seconds = timeAt(track, end) - timeAt(track, begin);
    return { ...figuresOf(track, from, to), number: index + 1, from, to, metres: end - begin, seconds,
      speed: seconds > 0 ? (end - begin) / seconds : NaN };
  });
}

/** The rows of each lap by its number: a Map of { from, to }. The way begins at the last row of the lap before. */
export function lapRows({ count, lap }) {
  const rows = new Map();
  for (let row = 0; row < count; row += 1) {
    const own = rows.get(lap[row]);
    if (own) own.to = row;
    else rows.set(lap[row], { from: Math.max(row - 1, 0), to: row });
  }
  return rows;
}

const UNITS = { s: 1, min: 60 };

/** The rows of a best effort of `activities.get`; null without its length. */
export function bestRows({ elapsed }, { best, elapsed_ms: time, from_elapsed_ms: from }) {
  const [, length, unit] = /^power-(\d+)(s|min)$/.exec(best) ?? [];
  const seconds = time === undefined ? length * UNITS[unit] : time / 1000;
  if (!Number.isFinite(seconds) || from === undefined || elapsed.length < 2) return null;
  return { from: rowAt(elapsed, from / 1000), to: rowAt(elapsed, from / 1000 + seconds) };
}

/** Where badges were earned: the first row whose distance exceeds theirs, if it has a position. */
export function badgePlaces(badges, { count, metres, latitude }) {
  return badges.filter((badge) => badge.distance_m > 0).flatMap((badge) => {
    const at = rowAt(metres, badge.distance_m);
    const row = metres[at] > badge.distance_m ? at : metres.findIndex((way) => way > badge.distance_m);
    return row >= 0 && row < count && Number.isFinite(latitude[row]) ? [{ ...badge, row }] : [];
  });
}
