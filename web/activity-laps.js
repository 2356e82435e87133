// Laps and splits: bars by speed, a table with the units in its head, and the stretch of each.

import { element, show } from './dom.js';
import {
  METRES_PER_MILE, distanceFigures, distanceUnit, duration, heightFigures, heightUnit, paceFigures, paceUnit,
  speedFigures, speedUnit,
} from './format.js';
import { fieldOf, fieldTitle, fieldValue } from './fields.js';
import { card, paged } from './history.js';
import { isMetric, number, t } from './i18n.js';
import { ownField } from './own-fields.js';
import { lapRows, splitsOf } from './stretch.js';

const ROWS_AT_ONCE = 100;
/** The part of all that a bar has room for its figures with. */
const ROOMY = 0.09;
/** From so many bars on they are closer. */
const MANY = 40;
/** The height of the slowest bar in percent: differences are seen, and none is nothing. */
const LOWEST = 30;

/** Laps of `activities.get` in the form of splits. `fields`: of other programs, with an average of each lap. */
function lapsOf(laps, fields, track) {
  const rows = track ? lapRows(track) : new Map();
  return laps.map((lap, index) => ({
    ...Object.fromEntries(fields.map(({ name, lap_averages: means }) => [ownField(name), means?.[index] ?? NaN])),
    number: lap.number, metres: lap.distance_m, seconds: lap.elapsed_ms / 1000, heart: lap.average_bpm,
    power: lap.average_power_w, ascent: lap.ascent_m,
    speed: lap.average_pace_s_per_m > 0 ? 1 / lap.average_pace_s_per_m : NaN, ...rows.get(lap.number),
  }));
}

const rateFigures = (speed, sport) => (sport === 'ride' ? speedFigures(speed) : paceFigures(1 / speed));
const wholeFigures = (value) => (Number.isFinite(value) ? number(value) : null);

/** The column of another program's field. */
const ownColumn = ({ name }) => {
  const key = ownField(name);
  const cell = (part) => (Number.isFinite(part[key]) ? fieldValue(key, part[key]).text : null);
  return [fieldTitle(key), fieldOf(key).unit, cell, 'own'];
};

/** Columns: [title, unit, cell, class]. Those that no row has are left out. */
function columnsOf(parts, sport, fields) {
  return [
    [t('field.distance'), distanceUnit(), ({ metres }) => (metres > 0 ? distanceFigures(metres) : null)],
    [t('field.time'), '', ({ seconds }) => duration(Math.round(seconds * 1000)).replace(/ s$/, '')],
    [t(sport === 'ride' ? 'field.speed' : 'field.pace'), sport === 'ride' ? speedUnit() : paceUnit(),
      ({ speed }) => (speed > 0 ? rateFigures(speed, sport) : null)],
    [t('laps.heart'), 'bpm', ({ heart }) => wholeFigures(heart)],
    [t('field.ascent'), heightUnit(), ({ ascent }) => (Number.isFinite(ascent) ? heightFigures(ascent) : null)],
    [t('field.power'), 'W', ({ power }) => wholeFigures(power)], ...fields.map(ownColumn),
  ].filter(([, , cell]) => parts.some((part) => cell(part)));
}

/** `onSelect(stretch)`: a lap or split is chosen, with its rows and its name. */
export class LapsCard {
  constructor({ laps, fields, track, sport, onSelect }) {
    Object.assign(this, { fields, sport, onSelect });
    const splits = track ? splitsOf(track, isMetric() ? 1000 : METRES_PER_MILE) : [];
    this.kinds = [
      { title: t('activity.laps'), name: 'laps.lap', parts: lapsOf(laps, fields, track) },
      { title: t('laps.splits', { unit: distanceUnit() }), name: 'laps.split', parts: splits },
    ].filter(({ parts }) => parts.length > 1);
    if (this.kinds.length === 0) return;
    this.buttons = this.kinds.map((kind) =>
      element('button', { type: 'button', onclick: () => this.show(kind) }, kind.title));
    const choice = element('div', { class: 'pair', role: 'group', 'aria-label': t('laps.kind') }, this.buttons);
    show(choice, this.kinds.length > 1);
    this.body = element('div', { class: 'stack' });
    this.node = card(this.kinds.length > 1 ? t('laps.title') : this.kinds[0].title, choice, this.body);
    this.show(this.kinds[0]);
  }

  show(kind) {
    this.kinds.forEach((one, index) => this.buttons[index].setAttribute('aria-pressed', String(one === kind)));
    this.choices = [];
    this.body.replaceChildren(this.bars(kind), ...this.table(kind));
    this.mark(this.stretch ?? null);
  }

  /** Marks the bar and the row of the stretch that is selected. */
  mark(stretch) {
    this.stretch = stretch;
    for (const { part, row, bar, button } of this.choices ?? []) {
      const isChosen = stretch !== null && stretch.from === part.from && stretch.to === part.to;
      for (const node of [row, bar]) node?.classList.toggle('chosen', isChosen);
      button?.setAttribute('aria-pressed', String(isChosen));
    }
  }

  choose(kind, part) {
    const { from, to } = part;
    if (from !== undefined) this.onSelect({ from, to, name: t(kind.name, { number: part.number }) });
  }

  bars(kind) {
    const speeds = kind.parts.map(({ speed }) => speed).filter((speed) => speed > 0);
    const [least, most] = [Math.min(...speeds), Math.max(...speeds)];
    const all = kind.parts.reduce((sum, { metres }) => sum + metres, 0);
    const style = kind.parts.length > MANY ? 'lap-bars many' : 'lap-bars';
    return element('div', { class: style, 'aria-hidden': 'true' }, kind.parts.map((part, index) => {
      const share = most > least ? (part.speed - least) / (most - least) : 1;
      const hasText = part.speed > 0 && part.metres > ROOMY * all;
      const fill = element('i', {}, hasText ? element('b', {}, rateFigures(part.speed, this.sport)) : null);
      fill.style.height = `${part.speed > 0 ? LOWEST + share * (100 - LOWEST) : 2}%`;
      const bar = element('span', { class: part.speed === most && most > least ? 'fastest' : '',
        onclick: () => this.choose(kind, part) }, fill);
      // A short lap is still seen.
      bar.style.flexGrow = Math.max(part.metres, 0.1 * Math.max(...kind.parts.map(({ metres }) => metres)));
      this.choices[index] = { part, bar };
      return bar;
    }));
  }

  table(kind) {
    const columns = columnsOf(kind.parts, this.sport, this.fields);
    const head = columns.map(([title, unit, , own]) => element('th', { scope: 'col', class: `number ${own ?? ''}` },
      title, element('small', {}, unit)));
    const body = element('tbody');
    let index = 0;
    const more = paged(body, kind.parts, (part) => {
      const title = t(kind.name, { number: part.number });
      const button = element('button', { type: 'button', 'aria-label': title, onclick: () => this.choose(kind, part) },
        number(part.number));
      const row = element('tr', {}, element('td', {}, button),
        columns.map(([, , cell, own]) => element('td', { class: `number ${own ?? ''}` }, cell(part) ?? '')));
      Object.assign(this.choices[index], { row, button });
      index += 1;
      return row;
    }, ROWS_AT_ONCE);
    return [element('div', { class: 'scroll laps', role: 'region', 'aria-label': kind.title, tabIndex: 0 },
      element('table', {}, element('thead', {}, element('tr', {}, element('th', { scope: 'col' },
        element('span', { class: 'unseen' }, t('laps.number'))), head)), body)), more];
  }
}
