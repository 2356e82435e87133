// The list of activities, with totals, search and import.

import { getLines } from './api.js';
import { element, setText, show } from './dom.js';
import { METRES_PER_MILE, distance, distanceUnit, duration, height } from './format.js';
import {
  Uploader, activityAddress, activityTitle, averageOf, groupBy, markList, marksOf, sportOptions, whole, withUnit,
} from './history.js';
import { clock, date, errorText, isMetric, t } from './i18n.js';
import { countText, monthText, Overview } from './overview.js';
import { labelled, select, start } from './page.js';
import { dayName, daysBetween, plusDays } from './periods.js';
import { PlaceFilter } from './place-filter.js';
import { keepForVisit, keptForVisit } from './store.js';
import { Thumbnails } from './thumbnails.js';
import { trashLink } from './trash-link.js';
import { importedActivities } from './upload-results.js';
import { rangeText } from './week-bars.js';

const PAGE = 50;
/** So many are read at once while a text is searched. */
const SEARCHED = 500;
const PAUSE_OF_TYPING = 300;
const FILTERS = 'paced.filters';

const session = await start({ needs: 'history', name: 'activities', offline: true });

function sumOf(totals) {
  const sum = (key) => totals.reduce((all, one) => all + one[key], 0);
  return { activities: sum('activities'), distance_m: sum('distance_m'), elapsed_ms: sum('elapsed_ms') };
}

// The list

const thumbnails = new Thumbnails();
const DAY = { weekday: 'short', day: 'numeric', month: 'short' };

/** Day and time of day; the heading of the month has the year. */
const startOf = ({ started }) => (started ? `${date(started, DAY)}, ${clock(started)}` : t('activities.undated'));

function entry(summary) {
  const { sport, ascent_m: ascent } = summary;
  const facts = [duration(summary.elapsed_ms), averageOf(summary, sport), whole(summary.average_bpm, 'bpm'),
    ascent >= 1 ? `↑ ${height(ascent)}` : null];
  const about = [summary.name !== undefined && t(`sport.${sport}`), startOf(summary)];
  return element('li', {}, element('a', { class: 'entry drawn', href: activityAddress(summary.id) },
    thumbnails.make(summary), element('span', { class: 'name' }, activityTitle(summary)),
    element('span', { class: 'details' }, about.filter(Boolean).join(' · '), ' ', markList(marksOf(summary))),
    element('span', { class: 'big' }, withUnit(distance(summary.distance_m))),
    element('span', { class: 'facts' }, facts.map((fact) => element('span', {}, fact ?? '')))));
}

/** What a text is searched in: name, uuid, sport and date in several forms. */
function searchedText({ name, sport, started, uuid }) {
  const dates = started ? [dayName(started), date(started, { dateStyle: 'full' }), date(started),
    date(started, { dateStyle: 'short' })] : [t('activities.undated')];
  return [name ?? '', uuid ?? '', t(`sport.${sport}`), sport, ...dates].join(' ').toLowerCase();
}

class List {
  constructor(filters) {
    this.filters = filters;
    this.node = element('div', { class: 'months' });
    this.state = element('p', { role: 'status' });
    this.more = element('button', { class: 'more', type: 'button', hidden: true, onclick: () => this.older() },
      t('activities.older'));
  }

  /** Begins anew with the present filters. */
  async load(signal) {
    this.signal = signal;
    this.last = undefined;
    this.month = null;
    this.count = 0;
    show(this.more, false);
    const { sport, since, until } = this.filters;
    // The totals know days and sports only.
    const totals = this.filters.isByDays()
      ? await getLines('/api/activities/totals', { by: 'month', sport, since, until }, signal) : [];
    this.months = groupBy(totals, (total) => total.month);
    const found = await this.find();
    this.node.replaceChildren();
    this.add(found);
  }

  async older() {
    this.more.disabled = true;
    const found = await session.attempt(() => this.find());
    this.more.disabled = false;
    if (found) this.add(found)?.querySelector('a').focus();
  }

  /** The next activities that match: some PAGE of them, fewer at the end. */
  async find() {
    const words = this.filters.text.toLowerCase().split(/\s+/).filter(Boolean);
    const matches = (summary) => words.length === 0 || words.every((word) => searchedText(summary).includes(word));
    const limit = words.length === 0 ? PAGE : SEARCHED;
    const found = [];
    const query = this.filters.query();
    setText(this.state, t('activities.reading'));
    this.isAtEnd = false;
    while (found.length < PAGE && !this.isAtEnd) {
      const page = await getLines('/api/activities', { limit, before: this.last, ...query }, this.signal);
      found.push(...page.filter(matches));
      this.last = page.at(-1)?.id;
      this.isAtEnd = page.length < limit;
    }
    return found;
  }

  /** The first element that was added. */
  add(found) {
    const made = found.map((summary) => {
      this.enterMonth(summary);
      const item = entry(summary);
      this.items.append(item);
      return item;
    });
    this.count += found.length;
    show(this.more, !this.isAtEnd);
    setText(this.state, this.count > 0 ? '' : t(this.filters.isEmpty() ? 'activities.none' : 'activities.no_match'));
    return made[0];
  }

  /** Begins the list of a month. Activities without a date stay in that of their neighbours. */
  enterMonth({ started }) {
    const month = started ? dayName(started).slice(0, 7) : this.month ?? '';
    if (month === this.month) return;
    this.month = month;
    const title = element('h2', {}, month ? monthText(month) : t('activities.undated'));
    const totals = this.months.get(month === '' ? undefined : month);
    this.items = element('ul', { class: 'list' });
    this.node.append(element('div', { class: 'month' }, title,
      totals ? element('p', { class: 'soft figures' }, monthTotal(sumOf(totals))) : null), this.items);
  }
}

const monthTotal = ({ activities, distance_m: metres, elapsed_ms: elapsed }) =>
  [countText(activities), distance(metres), duration(elapsed)].join(' · ');

// The page

/** The chosen days, with the way to those before and after, and back to all. */
class ChosenDays {
  constructor(filters, choose) {
    Object.assign(this, { filters, choose });
    const step = (text, label, steps) => element('button', { type: 'button', 'aria-label': t(label),
      onclick: () => this.step(steps) }, text);
    this.text = element('h2', { 'aria-live': 'polite' });
    this.node = element('div', { class: 'steps chosen', hidden: true }, step('‹', 'activities.earlier_days', -1),
      this.text, step('›', 'activities.later_days', 1),
      element('button', { type: 'button', onclick: () => choose('', '') }, t('activities.all_days')));
  }

  step(steps) {
    const { since, until } = this.filters;
    const days = steps * (daysBetween(since, until) + 1);
    this.choose(plusDays(since, days), plusDays(until, days));
  }

  show() {
    const { since, until } = this.filters;
    const isRange = since !== '' && until !== '' && since <= until;
    if (isRange) setText(this.text, rangeText(since, until));
    show(this.node, isRange);
  }
}

/** What the list is restricted to; '' for no restriction. `shortest` and `longest` are in the user's unit. */
class Filters {
  constructor() {
    Object.assign(this, { text: '', sport: '', since: '', until: '', shortest: '', longest: '', near: '', radius: 0 });
    const isBack = performance.getEntriesByType('navigation')[0]?.type === 'back_forward';
    if (isBack) Object.assign(this, JSON.parse(keptForVisit(FILTERS)));
  }

  /** Keeps all but the place for who comes back from an activity. */
  keep() {
    keepForVisit(FILTERS, JSON.stringify({ ...this, near: '', radius: 0 }));
  }

  /** The arguments of the interface. A text is searched on the page. */
  query() {
    const { sport, since, until, near } = this;
    const metres = (text) => (text === '' ? '' : Math.round(Number(text) * (isMetric() ? 1000 : METRES_PER_MILE)));
    return { sport, since, until, min_m: metres(this.shortest), max_m: metres(this.longest), near,
      radius: near && this.radius };
  }

  isByDays() {
    return [this.text.trim(), this.shortest, this.longest, this.near].every((value) => value === '');
  }

  isEmpty() {
    return this.isByDays() && [this.sport, this.since, this.until].every((value) => value === '');
  }
}

class Page {
  constructor() {
    this.filters = new Filters();
    const choose = (since, until) => this.choose(since, until);
    this.overview = new Overview(session, this.filters, choose);
    this.chosen = new ChosenDays(this.filters, choose);
    this.list = new List(this.filters);
    const why = session.whyNoCommand();
    session.main.append(element('div', { class: 'title' }, element('h1', {}, t('nav.activities')), trashLink()),
      element('div', { class: 'stack' }, this.overview.periods, this.overview.chart, element('div', { class: 'folds' },
        this.search(), this.overview.table.node, why ? null : this.uploader().node),
      why ? element('p', { class: 'soft' }, why) : null, this.chosen.node),
      this.list.node, this.list.state, this.list.more);
    this.load({ isNew: true });
  }

  /** Shows some days only; all for ''. */
  choose(since, until) {
    Object.assign(this.filters, { since, until });
    for (const key of ['since', 'until']) this.inputs[key].value = this.filters[key];
    this.load();
  }

  search() {
    const change = (key, wait = 0) => ({ target }) => {
      this.filters[key] = target.value;
      clearTimeout(this.timer);
      this.timer = setTimeout(() => this.load(), wait);
    };
    const { filters } = this;
    const text = element('input', { type: 'search', autocomplete: 'off', value: filters.text,
      oninput: change('text', PAUSE_OF_TYPING) });
    const sport = select([['', t('activities.all_sports')], ...sportOptions()], filters.sport, (value) => {
      this.filters.sport = value;
      this.load();
    });
    this.inputs = {};
    const day = (key) => {
      this.inputs[key] = element('input', { type: 'date', value: filters[key], onchange: change(key) });
      return labelled(t(`activities.${key}`), this.inputs[key]);
    };
    const length = (key) => labelled(t(`activities.${key}`, { unit: distanceUnit() }), element('input', {
      type: 'number', min: 0, step: 'any', inputMode: 'decimal', value: filters[key],
      oninput: change(key, PAUSE_OF_TYPING) }));
    const place = new PlaceFilter(() => {
      Object.assign(this.filters, { near: place.near, radius: place.radius });
      this.load();
    });
    const whole = labelled(t('activities.search'), text);
    whole.className = 'wide';
    const sports = labelled(t('activities.sport'), sport);
    sports.className = 'wide';
    return element('details', { class: 'card', open: matchMedia('(min-width: 700px)').matches },
      element('summary', {}, t('activities.find')), element('form', { class: 'filters', role: 'search',
        onsubmit: (event) => event.preventDefault() }, whole, sports, day('since'), day('until'),
      ...place.nodes, length('shortest'), length('longest')));
  }

  uploader() {
    const sport = select([['', t('activities.sport_of_file')], ...sportOptions()], '', () => {});
    const again = element('input', { type: 'checkbox' });
    return new Uploader({
      path: '/api/activities', title: t('activities.import'), help: t('activities.import_help'),
      controls: [labelled(t('activities.sport'), sport),
        element('label', { class: 'check' }, again, element('span', {}, t('activities.again')))],
      query: () => ({ ...(sport.value && { sport: sport.value }), ...(again.checked && { again: 1 }) }),
      describe: errorText, onDone: () => this.load({ isNew: true }), resultOf: importedActivities,
    });
  }

  /** `isNew`: there may be other activities than before. */
  async load({ isNew = false } = {}) {
    this.abort?.abort();
    this.abort = new AbortController();
    const { signal } = this.abort;
    this.chosen.show();
    this.filters.keep();
    await session.attempt(() => Promise.all([this.list.load(signal), this.overview.load(isNew)]));
    if (!signal.aborted && this.list.count === 0 && this.list.state.textContent === t('activities.reading')) {
      setText(this.list.state, '');
    }
  }
}

new Page();
