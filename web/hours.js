// The rows of a forecast: hours of local time from the present one on, with sunrise and sunset between them.

const HOUR = 3_600_000;
/** The hours after the present one, as many as RunFree and pacectl have. */
export const AHEAD = 5;

const isIn = ({ from, to }, time) => Date.parse(from) <= time && time < Date.parse(to);

/**
 * The rows in their order: { time, end, conditions, overlays } of an hour, or { time, sun: 'rise' | 'set' }, with times
 * in milliseconds since 1970. An hour has what prevails at its beginning, the first one what prevails at `now`; its
 * overlays are those of a part of it. `sun`: the times of the block of STATE, or null.
 */
export function hoursOf(periods, now, sun) {
  const first = new Date(now).setMinutes(0, 0, 0);
  const rows = [];
  for (let time = first; time <= first + AHEAD * HOUR; time += HOUR) {
    const begin = Math.max(time, now);
    const end = time + HOUR;
    const conditions = periods.find((period) => isIn(period, begin));
    if (!conditions) continue;
    const overlays = periods.flatMap((period) => period.overlays ?? [])
      .filter(({ from, to }) => Date.parse(from) < end && Date.parse(to) > begin);
    rows.push({ time, end, conditions, overlays });
  }
  const last = rows.at(-1)?.end;
  for (const name of ['rise', 'set']) {
    const time = Date.parse(sun?.[name]);
    if (time > now && time < last) rows.push({ time, sun: name });
  }
  return rows.sort((one, other) => one.time - other.time);
}

/** The most probable of what may be instead of the conditions of an hour; undefined if nothing has a probability. */
export function perhapsOf({ overlays }) {
  const known = overlays.filter(({ probability_percent: chance }) => Number.isFinite(chance));
  return known.sort((one, other) => other.probability_percent - one.probability_percent)[0];
}
