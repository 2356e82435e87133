// What a new device needs before its first run: a list over the fields, until it is done, hidden, or a run is recorded.

import { element, setText, show } from './dom.js';
import { lacksZones } from './fields.js';
import { age, height } from './format.js';
import { isMetric, t } from './i18n.js';
import { isKiosk } from './page.js';
import { keep, kept } from './store.js';

/** In the browser: 'hidden', or the names of the rows that are to stay as they are. */
const KEY = 'paced.first';
/** The height in which the list may scroll. */
const LEAST = 200;

/** What each row says: { state, reason }; the state is done, todo or waiting. */
const rows = {
  units: { href: '/settings.html#metric', of: (state, { metric }) => {
    if (metric === undefined) return { state: 'todo', reason: t(`first.units_${isMetric()}`) };
    return { state: 'done', reason: t(metric ? 'settings.metric_on' : 'settings.metric_off') };
  } },
  sport: { href: '/settings.html#sport', of: (state, { sport = 'run' }) => ({ state: sport === 'run' ? 'todo' : 'done',
    reason: t(sport === 'run' ? 'first.sport_run' : `sport.${sport}`) }) },
  zones: { href: '/settings.html#use_heart_rate_zones', of: (state, settings) => {
    if (!settings.use_heart_rate_zones) return { state: 'todo', reason: t('first.zones_off') };
    return lacksZones(settings) ? { state: 'todo', reason: t('first.zones_unset') }
      : { state: 'done', reason: t('first.zones_from', { low: settings.zones[0], high: settings.zones[4] }) };
  } },
  sensors: { href: '/sensors.html', of: ({ heart = {} }, { sensors = [] }) => {
    if (heart.link === 'connected') return { state: 'done', reason: heart.name ?? t('live.strap') };
    if (heart.reason === 'off') return { state: 'todo', reason: t('first.sensors_off') };
    return sensors.length > 0 || heart.address !== undefined ? { state: 'waiting', reason: t('first.sensors_away') }
      : { state: 'todo', reason: t('first.sensors_none') };
  } },
  position: { of: ({ position, gpsd = {} }) => {
    if (gpsd.reason === 'off') return { state: 'todo', reason: t('first.position_off') };
    if (gpsd.link === 'disconnected') return { state: 'todo', reason: t('first.position_away') };
    const satellites = position?.satellites === undefined ? null
      : t('live.satellites', { count: position.satellites });
    if (position && !position.stale) {
      const exact = position.accuracy_m === undefined ? null : `±${height(position.accuracy_m)}`;
      return { state: 'done', reason: [satellites, exact].filter(Boolean).join(', ') || t('first.position_found') };
    }
    if (position) {
      const old = t('live.old_fix', { age: age(position.age_ms / 1000) });
      return { state: 'waiting', reason: satellites ? t('first.position_seen', { satellites, old }) : old };
    }
    return { state: 'waiting', reason: t('first.position_none') };
  } },
};
const MARKS = { done: '✓', todo: '○', waiting: '…' };

class Row {
  constructor(name, { href }, settle) {
    this.mark = element('span', { class: 'mark', 'aria-hidden': 'true' });
    this.state = element('span', { class: 'state' });
    this.reason = element('span', { class: 'reason' });
    const words = [this.mark, element('span', { class: 'words' }, element('b', {}, t(`first.${name}`)), ' ', this.state,
      element('br'), this.reason)];
    // Who is content says so: the settings do not tell a default that was chosen.
    this.fine = element('button', { type: 'button', onclick: settle, 'aria-label':
      t('first.fine_of', { name: t(`first.${name}`) }) }, t('first.fine'));
    this.node = element('li', {}, href ? element('a', { href }, words) : element('div', {}, words), this.fine);
  }

  show({ state, reason }) {
    this.node.dataset.state = state;
    setText(this.mark, MARKS[state]);
    setText(this.state, t(`first.state_${state}`));
    setText(this.reason, reason);
    show(this.fine, state === 'todo');
  }
}

export class FirstMinute {
  /** `view`: the part of the page with the fields. */
  constructor(view) {
    this.view = view;
    this.fine = new Set((kept(KEY) ?? '').split(' ').filter(Boolean));
    this.rows = Object.entries(rows).map(([name, row]) => [name, row, new Row(name, row, () => this.settle(name))]);
    this.node = element('section', { class: 'first', 'aria-labelledby': 'first-title', hidden: true },
      element('div', { class: 'head' }, element('h2', { id: 'first-title' }, t('first.title')),
        element('button', { type: 'button', onclick: () => this.end() }, t('first.hide'))),
      element('ul', {}, this.rows.map(([, , { node }]) => node)));
    view.append(this.node);
    const sheet = element('link', { rel: 'stylesheet', href: '/first-minute.css' });
    sheet.addEventListener('load', () => { this.isStyled = true; });
    document.head.append(sheet);
  }

  settle(name) {
    this.fine.add(name);
    keep(KEY, [...this.fine].join(' '));
    this.render(...this.last);
    this.node.querySelector('button:not([hidden])')?.focus();
  }

  /** Ends the list in this browser. */
  end() {
    keep(KEY, 'hidden');
    this.isOver = true;
    this.place(false);
  }

  render(state, settings, isFirstPage) {
    this.last = [state, settings, isFirstPage];
    if (this.isOver || !this.isStyled) return undefined;
    if (state.run !== 'idle' || !isFirstPage) return this.place(false);
    const isDone = this.rows.map(([name, { of }, row]) => {
      const said = of(state, settings);
      if (said.state === 'todo' && this.fine.has(name)) said.state = 'done';
      row.show(said);
      return said.state === 'done';
    });
    if (isDone.every(Boolean)) return this.end();
    this.place(true);
    // A kiosk without a pointer cannot scroll, and in a low place nobody would.
    const { scrollHeight, clientHeight } = this.node;
    if (scrollHeight > clientHeight && (isKiosk || clientHeight < LEAST)) this.place(false);
    return undefined;
  }

  place(isShown) {
    show(this.node, isShown);
    this.view.classList.toggle('has-first', isShown);
  }
}
