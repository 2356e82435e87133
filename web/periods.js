// Days, weeks and months of activities, and sums over them. A day is a text such as 2026-03-01, in local time.

const twoDigits = (value) => String(value).padStart(2, '0');

/** The name of the day of a moment. */
export function dayName(time) {
  const at = new Date(time);
  return `${at.getFullYear()}-${twoDigits(at.getMonth() + 1)}-${twoDigits(at.getDate())}`;
}

/** A moment of a day that no change of clocks moves to another one. */
export const noonOf = (day) => new Date(`${day}T12:00:00`);

export function plusDays(day, days) {
  const at = noonOf(day);
  at.setDate(at.getDate() + days);
  return dayName(at);
}

export const daysBetween = (from, to) => Math.round((noonOf(to) - noonOf(from)) / 86_400_000);

export const mondayOf = (day) => plusDays(day, -((noonOf(day).getDay() + 6) % 7));

/** The month so many months later: plusMonths('2026-11', 2) is 2027-01. */
export function plusMonths(month, months) {
  const [year, number] = month.split('-').map(Number);
  const all = year * 12 + number - 1 + months;
  return `${Math.floor(all / 12)}-${twoDigits(all % 12 + 1)}`;
}

/** What can be summed of an activity. */
export const measures = {
  distance: ({ distance_m: metres }) => metres,
  time: ({ elapsed_ms: elapsed }) => elapsed,
  ascent: ({ ascent_m: ascent }) => ascent ?? 0,
  count: () => 1,
};

export const sumOf = (summaries, measure) => summaries.reduce((sum, one) => sum + measures[measure](one), 0);

/** Those of the days from `since` to `until`, both included. */
export const within = (summaries, since, until) => summaries.filter(({ started }) => {
  const day = started && dayName(started);
  return day && day >= since && day <= until;
});

/** The last weeks up to today's, the oldest first: { since, until, activities, total, sports: { run: 1, … } }. */
export function weeksOf(summaries, today, count, measure) {
  const monday = mondayOf(today);
  const weeks = Array.from({ length: count }, (_, index) => {
    const since = plusDays(monday, 7 * (index + 1 - count));
    return { since, until: plusDays(since, 6), activities: 0, total: 0, sports: {} };
  });
  const bySince = new Map(weeks.map((week) => [week.since, week]));
  for (const one of summaries) {
    const week = one.started && bySince.get(mondayOf(dayName(one.started)));
    if (!week) continue;
    const value = measures[measure](one);
    week.activities += 1;
    week.total += value;
    week.sports[one.sport] = (week.sports[one.sport] ?? 0) + value;
  }
  return weeks;
}

/** A round number at or above a value, for the top of an axis. */
export function axisTop(value) {
  if (!(value > 0)) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  const step = [1, 1.2, 1.6, 2, 3, 4, 5, 6, 8, 10].find((one) => one * power >= value * (1 - 1e-9));
  return Number((step * power).toPrecision(2));
}

/** Each day with activities: { activities, elapsed_ms, distance_m, sport } with the sport that took longest. */
export function daysOf(summaries) {
  const days = new Map();
  for (const { started, sport, elapsed_ms: elapsed, distance_m: metres } of summaries) {
    if (!started) continue;
    const name = dayName(started);
    const day = days.get(name) ?? { activities: 0, elapsed_ms: 0, distance_m: 0, longest: -1, sport };
    day.activities += 1;
    day.elapsed_ms += elapsed;
    day.distance_m += metres;
    if (elapsed > day.longest) Object.assign(day, { longest: elapsed, sport });
    days.set(name, day);
  }
  return days;
}

/** The weeks of a month as lists of seven days from Monday, null for those of other months. */
export function monthGrid(month) {
  const first = `${month}-01`;
  const weeks = [];
  for (let monday = mondayOf(first); monday < `${month}-32`; monday = plusDays(monday, 7)) {
    weeks.push(Array.from({ length: 7 }, (_, index) => plusDays(monday, index))
      .map((day) => (day.startsWith(month) ? day : null)));
  }
  return weeks;
}

/** How large a day's disc is, from 0 to 1: by area, so that an hour is half of two. Two hours are whole. */
export const discOf = ({ elapsed_ms: elapsed }) => Math.min(Math.max(Math.sqrt(elapsed / 7_200_000), 0.6), 1);

// Trends

/** How many periods before are usual. */
const USUAL = { week: 8, month: 6, year: 1 };
/** Days into the first of these periods in which a first activity still counts as one of the whole of it. */
const GRACE = { week: 6, month: 30, year: 30 };

/** The first day of the week, month or year of a day. */
const firstOf = { week: mondayOf, month: (day) => `${day.slice(0, 7)}-01`, year: (day) => `${day.slice(0, 4)}-01-01` };

function earlier(by, first, count) {
  if (by === 'week') return plusDays(first, -7 * count);
  return `${plusMonths(first.slice(0, 7), by === 'month' ? -count : -12 * count)}-01`;
}

/**
 * The period of today and those before, each up to the same day: { since, now: [activities], factor }. `factor` is the
 * measure over its mean in the periods before, null where nothing is known of one of them.
 */
export function trendOf(summaries, today, by, measure) {
  const since = firstOf[by](today);
  const days = daysBetween(since, today);
  const begun = summaries.filter(({ started }) => started).map(({ started }) => dayName(started)).sort()[0];
  const before = Array.from({ length: USUAL[by] }, (_, index) => earlier(by, since, index + 1));
  const now = within(summaries, since, today);
  const usual = before.reduce((sum, first) => {
    // A short month ends before the same day.
    const next = earlier(by, first, -1);
    const last = [plusDays(first, days), plusDays(next, -1)].sort()[0];
    return sum + sumOf(within(summaries, first, last), measure);
  }, 0) / before.length;
  const isKnown = begun !== undefined && begun <= plusDays(before.at(-1), GRACE[by]) && usual > 0;
  return { since, now, factor: isKnown ? sumOf(now, measure) / usual : null };
}
