// Two activities along the same distance: where each is at the same time, and their figures beside each other.

import { timeAt } from './track.js';

/** The distance that both have. */
export const commonMetres = (a, b) => Math.min(a.metres[a.count - 1] ?? 0, b.metres[b.count - 1] ?? 0);

/** How many seconds the first one is ahead at a distance; negative: it is behind. */
export const secondsAhead = (a, b, metres) => timeAt(b, metres) - timeAt(a, metres);

/** The seconds that the first one is ahead at each of its rows; NaN beyond the end of the other. */
export function aheadOf(a, b) {
  const end = commonMetres(a, b);
  return Float64Array.from(a.metres, (metres) => (metres <= end ? secondsAhead(a, b, metres) : NaN));
}

/** What summaries are compared by: [key, how its text and its difference are made]. */
const ROWS = [
  ['distance_m', 'distance'], ['elapsed_ms', 'time'], ['average_pace_s_per_m', 'rate'], ['average_bpm', 'bpm'],
  ['max_bpm', 'bpm'], ['average_power_w', 'watt'], ['average_cadence_rpm', 'turns'], ['ascent_m', 'height'],
  ['descent_m', 'height'], ['energy_kcal', 'energy'],
];

/** Rows of figures that both summaries have: { key, kind, values: [a, b] }. */
export function comparedFigures(a, b) {
  return ROWS.filter(([key]) => Number.isFinite(a[key]) && Number.isFinite(b[key]))
    .map(([key, kind]) => ({ key, kind, values: [a[key], b[key]] }));
}

/** The activities in the order in which they are offered: near the same start, of the same sport, the newest first. */
export function comparable(activities, own, near = new Set()) {
  const rank = ({ id, sport }) => (near.has(id) ? 0 : 2) + (sport === own.sport ? 0 : 1);
  return activities.filter(({ id, open }) => id !== own.id && !open)
    .sort((one, other) => rank(one) - rank(other) || (other.started ?? '').localeCompare(one.started ?? ''));
}
