// The laps of the run in progress, as a table; the newest first.

import { rpc } from './api.js';
import { element, setText, show } from './dom.js';
import {
  decimal, distance, distanceFigures, distanceUnit, elapsed, paceFigures, paceUnit, rate, speedFigures, speedUnit,
} from './format.js';
import { t } from './i18n.js';

const MOST = 500;

/** A lap in words: its time, distance and pace or speed. */
export function lapText(lap, sport) {
  return [elapsed(lap.elapsed_ms), distance(lap.distance_m), rate(lap.average_pace_s_per_m, sport)].join(', ');
}

/** The figures of a row; the units are in the head of the table. */
function lapFigures(lap, sport) {
  const { average_pace_s_per_m: pace, average_bpm: bpm } = lap;
  return [elapsed(lap.elapsed_ms), distanceFigures(lap.distance_m),
    sport === 'ride' ? speedFigures(1 / pace) : paceFigures(pace), bpm === undefined ? '' : decimal(bpm, 0)];
}

export class Laps {
  constructor(parent) {
    this.laps = new Map();
    this.rows = new Map();
    this.titles = ['time', 'distance', 'pace', 'heart'].map(() => element('th', { class: 'number', scope: 'col' }));
    this.body = element('tbody');
    this.present = row();
    this.present.node.classList.add('present');
    this.table = element('table', { class: 'laps' },
      element('caption', { class: 'unseen' }, t('live.laps')),
      element('thead', {}, element('tr', {}, element('th', { scope: 'col' }, t('live.column_lap')),
        ...this.titles)), this.body);
    this.empty = element('p', { class: 'soft' }, t('live.no_laps'));
    parent.append(this.empty, this.table);
  }

  clear() {
    this.laps.clear();
    this.rows.clear();
    this.body.replaceChildren();
  }

  /** A lap that has ended; one with a known number replaces it. */
  add(lap) {
    this.laps.set(lap.number, lap);
    if (this.laps.size > MOST) this.drop(Math.min(...this.laps.keys()));
  }

  drop(number) {
    this.laps.delete(number);
    this.rows.get(number)?.node.remove();
    this.rows.delete(number);
  }

  /** The laps of the journal: those before the retained events. */
  async load(activity) {
    let from = 1;
    while (from !== undefined) {
      const { laps, next_lap: next, summary } = await rpc('activities.get', { id: activity, from_lap: from });
      // The last one of an activity in progress has not ended.
      const ended = summary.open ? laps.filter((lap) => lap.number < summary.laps) : laps;
      for (const lap of ended) if (!this.laps.has(lap.number)) this.add(lap);
      from = next > from ? next : undefined;
    }
  }

  render(state) {
    const present = state.run === 'idle' ? null : state.lap ?? null;
    show(this.empty, present === null && this.laps.size === 0);
    show(this.table, present !== null || this.laps.size > 0);
    // The laps of a run that has ended keep its units.
    this.sport = state.sport ?? this.sport;
    this.renderTitles(this.sport === 'ride');
    const numbers = [...this.laps.keys()].sort((a, b) => b - a);
    for (const number of numbers) this.renderRow(number, this.sport);
    if (present) fill(this.present, present.number, lapFigures(present, this.sport));
    const wanted = [...(present ? [this.present.node] : []), ...numbers.map((number) => this.rows.get(number).node)];
    const { children } = this.body;
    const isShown = wanted.length === children.length && wanted.every((node, index) => node === children[index]);
    if (!isShown) this.body.replaceChildren(...wanted);
  }

  renderTitles(isBySpeed) {
    const rateTitle = isBySpeed ? [t('live.column_speed'), speedUnit()] : [t('live.column_pace'), paceUnit()];
    const titles = [[t('live.column_time')], [t('live.column_distance'), distanceUnit()], rateTitle,
      [t('live.column_heart'), 'bpm']];
    titles.forEach((words, index) => setText(this.titles[index], words.join(' ')));
  }

  renderRow(number, sport) {
    const lap = this.laps.get(number);
    const held = this.rows.get(number) ?? row();
    if (held.lap !== lap) fill(held, number, lapFigures(lap, sport));
    held.lap = lap;
    this.rows.set(number, held);
  }
}

function row() {
  const head = element('th', { scope: 'row' });
  const cells = [0, 1, 2, 3].map(() => element('td', { class: 'number' }));
  return { node: element('tr', {}, head, ...cells), head, cells, lap: null };
}

function fill({ head, cells }, number, figures) {
  setText(head, String(number));
  cells.forEach((cell, index) => setText(cell, figures[index]));
}
