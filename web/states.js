// States that nobody may miss in a run: a banner with the most important one, in the row of the state.

import { backText } from './course.js';
import { element, setText, show } from './dom.js';
import { fieldOf, fieldTitle, valueOf } from './fields.js';
import { isOwn, ownName } from './own-fields.js';
import { age } from './format.js';
import { hasText, t } from './i18n.js';
import { lacksFix } from './stage.js';

const BATTERY_LOW = 15;
/** Faults that have a state of their own. */
const OWN = ['recorder-stalled', 'recorder-failed', 'battery-low'];

/** The remedy of a fault, in German where there is a translation. */
export function faultText({ fault, message }) {
  const key = `fault.${fault}`;
  return hasText(key) ? t(key, { message }) : message;
}

/** What a run has had, so that what is missing can be told from what was never there. */
export class Memory {
  constructor() {
    this.forget();
  }

  forget() {
    this.activity = undefined;
    this.fixAt = null;
    this.had = new Set();
  }

  take(state) {
    if (state.activity !== this.activity) this.forget();
    this.activity = state.activity;
    if (state.position) this.fixAt = state.boot_ms - state.position.age_ms;
    for (const name of Object.keys(state.blocks?.fields ?? {})) this.had.add(name);
  }

  has(name) {
    return this.had.has(isOwn(name) ? ownName(name) : name);
  }
}

/**
 * The states of a run: [{ key, text, since, level }], the most important first. `level` is 'bad' or 'warn', `since` the
 * time since then as text. `shown` are the names of the data fields that the pages have.
 */
export function urgentStates(state, memory, shown) {
  if (!state || state.run === 'idle') return [];
  const { run, recorder, heart, power, blocks } = state;
  const isActive = run === 'active';
  const course = blocks?.course;
  const isOff = isActive && ['off', 'rejoining', 'wrong-way'].includes(course?.status);
  const hasHeart = heart?.average_bpm !== undefined && shown.some((name) => fieldOf(name).source === 'heart');
  const lost = shown.find((name) => isActive && fieldOf(name).source === 'sensor' && memory.has(name)
    && valueOf(name, state) === undefined);
  const isLow = power?.battery_percent <= BATTERY_LOW && !power.charging;
  const since = memory.fixAt === null ? '' : age((state.boot_ms - memory.fixAt) / 1000);
  return [
    ['stalled', 'failed'].includes(recorder?.state) && ['recorder', t('state.recorder'), 'bad'],
    run === 'paused' && ['paused', t('live.paused'), 'warn'],
    lacksFix(state) && ['position', t('state.position'), 'bad', since],
    isOff && ['off', course.status === 'wrong-way' ? t('course.wrong-way')
      : backText(course.return_m, course.return_bearing_deg), 'bad'],
    isActive && state.auto_paused && ['auto-paused', t('live.auto_paused'), 'warn'],
    hasHeart && (heart.bpm === undefined || heart.stale) && ['strap', t('state.strap'), 'bad'],
    lost !== undefined && ['sensor', t('state.sensor', { field: fieldTitle(lost) }), 'bad'],
    isLow && ['battery', t('state.battery', { percent: power.battery_percent }), 'warn'],
    ...(state.faults ?? []).filter(({ fault }) => !OWN.includes(fault)).map((fault) =>
      [fault.fault, faultText(fault), 'warn']),
  ].filter(Boolean).map(([key, text, level, time = '']) => ({ key, text, level, since: time }));
}

/** The banner in the row of the state. The row keeps its height in a run, so that no field moves. */
export class Banner {
  constructor(row) {
    this.mark = element('span', { class: 'mark', 'aria-hidden': 'true' });
    this.words = element('span', { class: 'words', role: 'status' });
    // A reader is not told each second how long it lasts.
    this.since = element('span', { class: 'since figures', 'aria-hidden': 'true' });
    this.more = element('span', { class: 'more', 'aria-hidden': 'true' });
    this.node = element('div', { class: 'banner', hidden: true }, this.mark, this.words, this.since, this.more);
    row.append(this.node);
  }

  render([first, ...others]) {
    show(this.node, first !== undefined);
    setText(this.words, first?.text ?? '');
    if (!first) return;
    this.node.classList.toggle('long', first.text.length > 40);
    this.node.dataset.level = first.level;
    this.node.dataset.state = first.key;
    setText(this.mark, first.key.endsWith('paused') ? '❚❚' : '!');
    setText(this.since, first.since);
    setText(this.more, others.length > 0 ? `+${others.length}` : '');
  }
}
