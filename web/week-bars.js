// The weeks as bars, stacked by sport. A bar is a button that chooses its week.

import { element, setText } from './dom.js';
import { METRES_PER_FOOT, METRES_PER_MILE, distance, distanceUnit, duration, height, heightUnit } from './format.js';
import { date, isMetric, number, t } from './i18n.js';
import { axisTop, noonOf } from './periods.js';
import { rove } from './roving.js';
import { sports } from './tables.js';

/** Each measure as text, and its unit of the axis. */
export const shown = {
  distance: { text: distance, unit: () => [isMetric() ? 1000 : METRES_PER_MILE, distanceUnit()] },
  time: { text: duration, unit: () => [3_600_000, 'h'] },
  ascent: { text: height, unit: () => [isMetric() ? 1 : METRES_PER_FOOT, heightUnit()] },
  count: { text: (value) => number(value), unit: () => [1, ''] },
};

const DAY = { day: 'numeric', month: 'short' };

/** The days of a period, such as 23 – 29 Nov 2026. */
export function rangeText(since, until) {
  const year = { ...DAY, year: 'numeric' };
  if (since === until) return date(noonOf(since), { weekday: 'short', ...year });
  const isOneYear = since.slice(0, 4) === until.slice(0, 4);
  return `${date(noonOf(since), isOneYear ? DAY : year)} – ${date(noonOf(until), year)}`;
}

export class WeekBars {
  /** `onChoose(week)`: a bar was pressed. */
  constructor(onChoose) {
    this.onChoose = onChoose;
    this.top = element('span', {});
    this.half = element('span', {});
    this.bars = element('div', { class: 'weeks', role: 'group' });
    this.names = element('div', { class: 'names', 'aria-hidden': 'true' });
    this.said = element('p', { class: 'said figures', 'aria-hidden': 'true' });
    this.legend = element('ul', { class: 'sports' });
    this.settle = rove(this.bars, () => [...this.bars.children],
      (list, at, key) => list[at + ({ ArrowLeft: -1, ArrowRight: 1 }[key] ?? NaN)]);
    for (const type of ['focusin', 'pointerover']) {
      this.bars.addEventListener(type, ({ target }) => this.say(target.closest('button')?.week));
    }
    this.bars.addEventListener('pointerleave', () => this.say());
    this.node = element('div', { class: 'week-bars' }, this.said, element('div', { class: 'graph' },
      element('div', { class: 'scale', 'aria-hidden': 'true' }, this.top, this.half), this.bars), this.names,
    this.legend);
  }

  set(weeks, measure, chosen) {
    Object.assign(this, { weeks, measure, chosen });
    const [unit, unitName] = shown[measure].unit();
    const top = axisTop(Math.max(...weeks.map(({ total }) => total)) / unit);
    setText(this.top, `${number(top, top < 2 && top % 1 ? 1 : 0)} ${unitName}`);
    setText(this.half, number(top / 2, top / 2 % 1 && top < 20 ? 1 : 0));
    this.bars.setAttribute('aria-label', t('activities.weeks_of', { measure: t(`activities.measure_${measure}`) }));
    this.bars.replaceChildren(...weeks.map((week) => this.bar(week, top * unit)));
    this.settle([...this.bars.children].find(({ week }) => week.since === chosen) ?? this.bars.lastChild);
    this.names.replaceChildren(...monthNames(weeks));
    this.legend.replaceChildren(...legend(weeks, measure));
    this.say();
  }

  bar(week, top) {
    const parts = sports.filter((sport) => week.sports[sport] > 0).map((sport) => {
      const part = element('span', { dataset: { sport } });
      part.style.height = `${week.sports[sport] / top * 100}%`;
      return part;
    });
    const button = element('button', { type: 'button', 'aria-label': this.textOf(week),
      'aria-pressed': String(week.since === this.chosen), onclick: () => this.onChoose(week) }, parts);
    button.week = week;
    return button;
  }

  textOf({ since, until, total, activities }) {
    const count = t('activities.count', { count: number(activities) });
    const value = this.measure === 'count' ? [] : [shown[this.measure].text(total)];
    return [rangeText(since, until), ...value, count].join(' · ');
  }

  /** Says a week: that under the pointer, else the chosen one, else the mean. */
  say(week = this.weeks.find(({ since }) => since === this.chosen)) {
    if (week) return setText(this.said, this.textOf(week));
    const whole = this.weeks.slice(0, -1);
    const mean = whole.reduce((sum, { total }) => sum + total, 0) / whole.length;
    setText(this.said, t('activities.mean_week', { value: this.measure === 'count' ? number(mean, 1)
      : shown[this.measure].text(this.measure === 'time' ? Math.round(mean / 60_000) * 60_000 : mean) }));
  }
}

/** The names of the months below the weeks in which they begin. */
function monthNames(weeks) {
  const [first] = weeks;
  let last = -3;
  return weeks.map(({ since, until }, index) => {
    const isNew = until.slice(8) <= '07' || since === first.since;
    const isShown = isNew && index - last >= 3 && index < weeks.length - 1;
    if (isShown) last = index;
    return element('span', {}, isShown ? element('span', {}, date(noonOf(until), { month: 'short' })) : '');
  });
}

/** The sports of the bars with their sums; one sport needs no legend. */
function legend(weeks, measure) {
  const sums = sports.map((sport) => [sport, weeks.reduce((sum, week) => sum + (week.sports[sport] ?? 0), 0)])
    .filter(([, sum]) => sum > 0);
  if (sums.length < 2) return [];
  return sums.map(([sport, sum]) => element('li', {}, element('i', { dataset: { sport } }),
    element('span', {}, t(`sport.${sport}`)), element('span', { class: 'figures soft' }, shown[measure].text(sum))));
}
