// What the activities amount to: the present periods, bars of weeks, a calendar, and a table of all periods.

import { getLines } from './api.js';
import { Calendar } from './calendar.js';
import { Diary } from './diary.js';
import { element, show } from './dom.js';
import { METRES_PER_MILE, distanceFigures, distanceUnit, duration } from './format.js';
import { paged, table, withUnit } from './history.js';
import { date, isMetric, number, t } from './i18n.js';
import { labelled, select } from './page.js';
import { dayName, measures, sumOf, trendOf, weeksOf } from './periods.js';
import { sports } from './tables.js';
import { WeekBars } from './week-bars.js';

const PERIODS = ['week', 'month', 'year'];
const ARROWS = { up: '▲', down: '▼', level: '=' };

export const countText = (count) => t('activities.count', { count: number(count) });
export const monthText = (name) => date(`${name}-15T12:00:00`, { month: 'long', year: 'numeric' });

export class Overview {
  /** `filters`: those of the page. `choose(since, until)`: these days were chosen, or no longer if they are ''. */
  constructor(session, filters, choose) {
    Object.assign(this, { session, filters, choose });
    this.diary = new Diary((query) => getLines('/api/activities', query));
    this.periods = element('div', { class: 'card periods' });
    this.bars = new WeekBars(({ since, until }) => this.toggle(since, until));
    this.calendar = new Calendar({ onChoose: (day) => this.toggle(day, day), onMove: (month) => this.show(month) });
    this.measure = 'distance';
    this.measures = labelled(t('activities.measure'), select(Object.keys(measures).map((name) =>
      [name, t(`activities.measure_${name}`)]), this.measure, (name) => {
      this.measure = name;
      this.draw();
    }));
    this.views = ['weeks', 'calendar'].map((view) => element('button', { type: 'button', value: view,
      onclick: () => this.view(view) }, t(`activities.view_${view}`)));
    this.chart = element('section', { class: 'card', 'aria-label': t('activities.views') },
      element('div', { class: 'chart-head' }, element('div', { class: 'switch' }, this.views), this.measures),
      this.bars.node, this.calendar.node);
    this.table = new TotalsTable(session, filters);
    this.weeks = matchMedia('(min-width: 700px)').matches ? 52 : 26;
    this.view('weeks');
  }

  view(view) {
    for (const button of this.views) button.setAttribute('aria-pressed', String(button.value === view));
    show(this.bars.node, view === 'weeks');
    show(this.measures, view === 'weeks');
    show(this.calendar.node, view === 'calendar');
  }

  /** A press on what is chosen takes the choice back. */
  toggle(since, until) {
    const isChosen = this.filters.since === since && this.filters.until === until;
    this.choose(...isChosen ? ['', ''] : [since, until]);
  }

  /** `isNew`: reads the activities anew. */
  async load(isNew) {
    const days = [`${new Date().getFullYear() - 1}-01-01`, `${this.calendar.first}-01`];
    await this.diary.reach(days.sort()[0], isNew);
    this.draw();
    await this.table.load();
  }

  async show(month) {
    await this.session.attempt(() => this.diary.reach(`${month}-01`));
    this.draw();
  }

  draw() {
    const { sport, since, until } = this.filters;
    const summaries = this.diary.all.filter((one) => sport === '' || one.sport === sport);
    const today = dayName(new Date());
    this.periods.replaceChildren(...PERIODS.map((by) => periodCard(by, trendOf(summaries, today, by, 'distance'))));
    const isFocused = this.chart.contains(document.activeElement) && document.activeElement.matches('button');
    const label = isFocused ? document.activeElement.getAttribute('aria-label') : null;
    this.bars.set(weeksOf(summaries, today, this.weeks, this.measure), this.measure, since !== until ? since : null);
    this.calendar.set(summaries, since === until ? since : null);
    this.table.setSports(summaries, today);
    // What had the focus was made anew.
    const isSame = (one) => one.getAttribute('aria-label') === label;
    if (label) [...this.chart.querySelectorAll('button')].find(isSame)?.focus();
  }
}

/** How the present period compares: its sign and its sentence; nothing where nothing is known of the ones before. */
function trendText(by, factor) {
  if (factor === null || factor === 0) return null;
  const change = Math.round((factor - 1) * 100);
  const way = Math.abs(change) < 3 ? 'level' : change > 0 ? 'up' : 'down';
  const key = factor >= 2 ? 'times' : way;
  const base = t(by === 'year' ? 'activities.last_year' : 'activities.than_usual');
  return { way, short: way === 'level' ? '=' : `${change > 0 ? '+' : '−'}${number(Math.abs(change))} %`,
    text: t(`activities.trend_${key}`, { percent: number(Math.abs(change)), factor: number(factor, 1), base }) };
}

function periodCard(by, { now, factor }) {
  const trend = trendText(by, factor);
  return element('dl', { class: 'period' }, element('dt', {}, t(`activities.this_${by}`)),
    element('dd', { class: 'big' }, withUnit(`${amountOf(sumOf(now, 'distance'))} ${distanceUnit()}`)),
    element('dd', {}, now.length === 0 ? countText(0) : `${countText(now.length)} · ${duration(sumOf(now, 'time'))}`),
    trend ? element('dd', { class: `trend ${trend.way}` },
      element('span', { 'aria-hidden': 'true' }, ARROWS[trend.way]), ` ${trend.text}`) : null);
}

/** A distance without a unit; a long one without decimals. */
const amountOf = (metres) => {
  const value = metres / (isMetric() ? 1000 : METRES_PER_MILE);
  return value < 100 ? distanceFigures(metres) : number(value);
};

/** The name of a period of the totals: 2026-W09, 2026-03 or 2026. */
function periodText(by, total) {
  const name = total[by];
  if (name === undefined) return t('activities.undated');
  if (by === 'month') return date(`${name}-15T12:00:00`, { month: 'short', year: 'numeric' });
  return by === 'week' ? t('activities.week_name', { week: Number(name.slice(6)), year: name.slice(0, 4) }) : name;
}

/** Tables: the present periods by sport, and all periods. Folded. */
class TotalsTable {
  constructor(session, filters) {
    Object.assign(this, { session, filters });
    this.by = 'month';
    this.present = element('div', {});
    this.rows = element('div', { class: 'stack all-periods' });
    this.node = element('details', { class: 'card', ontoggle: () => this.load() },
      element('summary', {}, t('activities.totals')),
      element('div', { class: 'stack' }, this.present, labelled(t('activities.totals_by'),
        select(PERIODS.map((by) => [by, t(`activities.by_${by}`)]), this.by, (by) => {
          this.by = by;
          this.load();
        })), this.rows));
  }

  setSports(summaries, today) {
    const columns = [[t('activities.sport')], ...PERIODS.map((by) => [t(`activities.by_${by}`), true])];
    const isOfThisYear = ({ started }) => started && dayName(started).slice(0, 4) === today.slice(0, 4);
    const rows = sports.map((sport) => [sport, summaries.filter((one) => one.sport === sport)])
      .filter(([, list]) => list.some(isOfThisYear)).map(([sport, list]) => [t(`sport.${sport}`), ...PERIODS.map((by) =>
        presentCell(by, trendOf(list, today, by, 'distance')))]);
    const title = t('activities.present', { unit: distanceUnit() });
    show(this.present, rows.length > 0);
    this.present.replaceChildren(element('h2', {}, title), table(title, columns, rows),
      element('p', { class: 'soft' }, t('activities.usual')));
  }

  async load() {
    if (!this.node.open) return;
    const { by } = this;
    const { sport } = this.filters;
    const totals = await this.session.attempt(() => getLines('/api/activities/totals', { by, sport }));
    if (totals && by === this.by) this.rows.replaceChildren(...periodTable(by, totals));
  }
}

function presentCell(by, { now, factor }) {
  const trend = trendText(by, factor);
  return element('span', { class: 'present' }, amountOf(sumOf(now, 'distance')),
    trend ? element('span', { class: `trend ${trend.way}`, title: trend.text }, trend.short) : null);
}

function periodTable(by, totals) {
  const columns = [[t(`activities.by_${by}`)], [t('activities.sport')], [t('activities.number'), true],
    [distanceUnit(), true], [t('field.time'), true]];
  const frame = table(t('activities.totals'), columns, []);
  const more = paged(frame.querySelector('tbody'), totals, (total) => element('tr', {},
    element('td', {}, periodText(by, total)), element('td', {}, t(`sport.${total.sport}`)),
    element('td', { class: 'number' }, number(total.activities)),
    element('td', { class: 'number' }, distanceFigures(total.distance_m)),
    element('td', { class: 'number' }, duration(total.elapsed_ms))), 24);
  return [frame, more];
}
