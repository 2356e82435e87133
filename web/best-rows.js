// Bests of this year beside those of all time, and the power curve. Without elements, so that node can test it.

/** The seconds of each best power. */
const SECONDS = { 'power-5s': 5, 'power-30s': 30, 'power-1min': 60, 'power-5min': 300, 'power-20min': 1200,
  'power-60min': 3600 };

/** Each sport with its bests: [{ sport, rows: [{ best, all, year }] }]. `year` is absent without one in this year. */
export function besideYear(all, ofYear) {
  const sports = [...new Set(all.map(({ sport }) => sport))];
  return sports.map((sport) => ({ sport, rows: all.filter((one) => one.sport === sport).map((one) => ({
    best: one.best, all: one, year: ofYear.find((other) => other.sport === sport && other.best === one.best) })) }));
}

/** Whether the best of this year is that of all time. */
export const isSame = ({ all, year }) => year !== undefined && year.activity === all.activity;

/** The points of a power curve: [{ seconds, watts }], the shortest first. */
export function curveOf(bests) {
  return bests.filter((one) => one && SECONDS[one.best] && one.power_w > 0)
    .map(({ best, power_w: watts }) => ({ seconds: SECONDS[best], watts })).sort((a, b) => a.seconds - b.seconds);
}

/** Where a time is on a logarithmic axis from 5 s to an hour, from 0 to 1. */
export const shareOf = (seconds) => Math.log(seconds / 5) / Math.log(3600 / 5);
