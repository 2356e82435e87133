// Sensors: those of now, the choice of them, and the search for others.

import { rpc } from './api.js';
import { ask, element, setText, show } from './dom.js';
import { fieldValue } from './fields.js';
import { decimal, height, speed, temperature } from './format.js';
import { valueList } from './history.js';
import { errorText, hasText, number, t } from './i18n.js';
import { declare, ownField, ownTitle } from './own-fields.js';
import { start } from './page.js';
import { inOrder, setSetting } from './saving.js';

/** A scan is made in parts, so that the list grows during it. */
const SCAN = 10;
const PART = 2;
const NO_BLUETOOTH = ['no-bluetooth', 'no-adapter', 'adapter-off', 'adapter-blocked', 'no-permission'];

const session = await start({ needs: 'control', name: 'settings' });
document.title = `${t('sensors.title')} – paced`;

const known = (prefix, token) => (hasText(`${prefix}.${token}`) ? t(`${prefix}.${token}`) : token);
const kindWords = (kinds) => (kinds ?? []).map((kind) => known('sensors.kind', kind)).join(', ');

/** A button that is out of use while its work lasts. */
function action(key, work, { kind = '', label = t(`sensors.${key}`), name } = {}) {
  const button = element('button', { class: kind, type: 'button', 'aria-label': name ? `${label}: ${name}` : null,
    dataset: { action: key }, onclick: async () => {
      button.disabled = true;
      await work();
      button.disabled = false;
      if (document.activeElement === document.body && button.isConnected) button.focus();
    } }, label);
  return button;
}

/** Runs a request, says its result in a line, and shows its error. */
async function attempt(work, said) {
  const result = await session.attempt(async () => ({ value: await work() }));
  if (result && said) session.notice(typeof said === 'function' ? said(result.value) : said);
  return result;
}

const use = (parameters, said) => attempt(() => inOrder(() => rpc('sensor.use', parameters)), said);

/** The sentence about the link of a sensor. */
function linkWords({ link, reason }) {
  if (link === 'disconnected' && reason) return known('sensors.reason', reason);
  return known('sensors.link', link);
}

/** Title and text of the value of a field that paced does not measure itself. */
function ownPair([name, value]) {
  const { text, unit } = fieldValue(ownField(name), value);
  return [ownTitle(name), unit ? `${text} ${unit}` : text];
}

/** The newest values of a sensor. */
function valueWords(sensor) {
  const one = (value, make) => (value === undefined ? null : make(value));
  const whole = (value, unit) => one(value, () => `${decimal(value, 0)} ${unit}`);
  return [
    whole(sensor.bpm, 'bpm'), whole(sensor.power_w, 'W'), whole(sensor.cadence_rpm, '/min'),
    one(sensor.speed_mps, speed), one(sensor.pressure_pa, (value) => `${decimal(value / 100, 1)} hPa`),
    one(sensor.temperature_c, temperature), whole(sensor.humidity_percent, '%'),
    one(sensor.vehicles, (count) => t('sensors.vehicles', { count })), one(sensor.vehicle_distance_m, height),
    one(sensor.vehicle_speed_mps, speed),
  ].filter(Boolean).join(', ');
}

class SensorCard {
  constructor(sensor) {
    this.sensor = sensor;
    this.name = element('h3', {});
    this.kinds = element('p', { class: 'soft' });
    this.own = element('div', { class: 'own-values' });
    this.link = element('p', { class: 'link' });
    this.values = element('p', { class: 'sensor-values figures' });
    this.more = element('p', { class: 'soft' });
    const name = sensor.name ?? sensor.id;
    const own = { name };
    this.pair = action('pair', () => this.runPair(), own);
    this.zero = action('zero', () => this.runZero(), own);
    this.forget = action('forget', () => this.runForget(), { ...own, kind: 'danger' });
    this.buttons = element('div', { class: 'buttons' }, this.pair, this.zero, this.forget);
    this.node = element('li', { class: 'card sensor', dataset: { sensor: sensor.id } }, this.name, this.kinds,
      this.values, this.own, this.link, this.more, this.buttons);
  }

  /** The name by which requests find the sensor. */
  get handle() {
    return this.sensor.address ? this.sensor.id : this.sensor.name ?? this.sensor.id;
  }

  /** What the setting `sensors` calls the sensor of another program, if it has another name for people. */
  get nameForPrograms() {
    const { id } = this.sensor;
    return id.startsWith('ext:') && id !== this.title ? id : null;
  }

  get title() {
    return this.sensor.name ?? (this.sensor.address ? this.sensor.address : known('sensors', this.sensor.id));
  }

  update(sensor) {
    this.sensor = sensor;
    const { kinds, stale, age_ms: age, battery_percent: battery, manufacturer, model } = sensor;
    setText(this.name, this.title);
    setText(this.kinds, kindWords(kinds));
    setText(this.values, valueWords(sensor));
    show(this.values, this.values.textContent !== '');
    this.updateOwn(Object.entries(sensor.values ?? {}).map(ownPair));
    setText(this.link, [linkWords(sensor), stale ? t('sensors.stale', { seconds: Math.floor(age / 1000) }) : null]
      .filter(Boolean).join(', '));
    this.link.dataset.link = stale ? 'stale' : sensor.link;
    setText(this.more, [battery === undefined ? null : t('live.battery', { percent: battery }),
      [manufacturer, model].filter(Boolean).join(' '), sensor.address ?? this.nameForPrograms]
      .filter(Boolean).join(' · '));
    show(this.pair, sensor.reason === 'needs-pairing');
    show(this.zero, kinds.includes('power') && sensor.link === 'connected');
    show(this.buttons, Boolean(sensor.address));
  }

  updateOwn(pairs) {
    const text = pairs.join();
    if (text === this.ownText) return;
    this.ownText = text;
    this.own.replaceChildren(...pairs.length > 0 ? [valueList(pairs)] : []);
  }

  async runPair() {
    session.notice(t('sensors.pairing', { name: this.title }));
    await attempt(() => rpc('sensor.pair', { sensor: this.handle }), t('sensors.paired', { name: this.title }));
  }

  async runZero() {
    const answer = await ask(t('sensors.zero_title'), t('sensors.zero_text'), [
      { value: 'zero', label: t('sensors.zero'), kind: 'main', autofocus: true },
      { value: '', label: t('screens.cancel') }]);
    if (answer !== 'zero') return;
    session.notice(t('sensors.zeroing'));
    await attempt(() => rpc('sensor.zero', { sensor: this.handle }), ({ offset, unit }) => (offset === undefined
      ? t('sensors.zeroed') : t('sensors.zeroed_from', { offset: `${number(offset, 2)} ${unit ?? ''}`.trim() })));
  }

  async runForget() {
    const answer = await ask(t('sensors.forget_title', { name: this.title }), t('sensors.forget_text'), [
      { value: 'forget', label: t('sensors.forget'), kind: 'danger' },
      { value: '', label: t('screens.cancel'), autofocus: true }]);
    if (answer !== 'forget') return;
    await attempt(() => rpc('sensor.forget', { sensor: this.handle }), t('sensors.forgotten', { name: this.title }));
  }
}

/** The sensors that paced knows now. */
class Present {
  constructor() {
    this.cards = new Map();
    this.list = element('ul', { class: 'cards plain-list' });
    this.strap = element('p', {});
    this.bluetooth = element('p', { class: 'soft' });
    this.forgetAll = action('forget_all', () => this.runForgetAll(), { kind: 'danger' });
    this.node = element('section', { 'aria-labelledby': 'present' },
      element('h2', { id: 'present' }, t('sensors.present')), this.strap, this.list, this.bluetooth, this.forgetAll);
  }

  update(state) {
    const sensors = state.blocks?.sensors ?? [];
    const cards = sensors.map((sensor) => {
      const card = this.cards.get(sensor.id) ?? new SensorCard(sensor);
      card.update(sensor);
      return card;
    });
    for (const card of this.cards.values()) if (!cards.includes(card)) card.node.remove();
    this.cards = new Map(cards.map((card) => [card.sensor.id, card]));
    cards.forEach(({ node }, index) => {
      if (this.list.children[index] !== node) this.list.insertBefore(node, this.list.children[index] ?? null);
    });
    setText(this.strap, this.strapWords(state, sensors));
    show(this.strap, this.strap.textContent !== '');
    setText(this.bluetooth, this.bluetoothWords(state));
    show(this.forgetAll, sensors.filter(({ address }) => address).length > 1);
  }

  /** The line about a strap that is not in the list. */
  strapWords({ heart }, sensors) {
    if (sensors.some(({ kinds }) => kinds.includes('heart-rate'))) return '';
    if (heart.reason === 'off') return t('sensors.all_off');
    if (heart.link === 'connected') return t('sensors.has_strap', { name: heart.name ?? t('live.strap') });
    const words = t('sensors.no_strap', { reason: linkWords(heart) });
    return heart.reason === 'ambiguous' && heart.name ? `${words} ${t('sensors.near', { names: heart.name })}` : words;
  }

  bluetoothWords({ bluetooth, heart, demo }) {
    if (demo) return t('sensors.demo');
    if (NO_BLUETOOTH.includes(heart.reason)) return t('sensors.bluetooth', { state: linkWords(heart) });
    return t('sensors.bluetooth', { state: known('sensors.backend', bluetooth.backend) });
  }

  async runForgetAll() {
    const answer = await ask(t('sensors.forget_all_title'), t('sensors.forget_text'), [
      { value: 'forget', label: t('sensors.forget_all'), kind: 'danger' },
      { value: '', label: t('screens.cancel'), autofocus: true }]);
    if (answer === 'forget') await attempt(() => rpc('sensor.forget', {}), t('sensors.all_forgotten'));
  }
}

/** The setting `sensors`. */
class Choice {
  constructor() {
    this.words = element('p', {});
    this.list = element('ul', { class: 'plain-list chosen' });
    this.entries = null;
    this.node = element('section', { class: 'card', 'aria-labelledby': 'choice' },
      element('h2', { id: 'choice' }, t('sensors.choice')), this.words, this.list,
      element('div', { class: 'buttons' },
        action('auto', () => use({ sensor: 'auto' }, t('sensors.auto_done'))),
        action('off', () => use({ sensor: 'off' }, t('sensors.off_done')))));
  }

  update(state) {
    const chosen = session.settings.sensors ?? [];
    const isOff = state?.heart.reason === 'off';
    setText(this.words, t(isOff ? 'sensors.is_off' : chosen.length > 0 ? 'sensors.is_chosen' : 'sensors.is_auto'));
    if (JSON.stringify(chosen) === this.entries) return;
    this.entries = JSON.stringify(chosen);
    this.list.replaceChildren(...chosen.map((entry) => element('li', {}, element('span', {}, entry),
      action('leave', () => this.leave(entry), { name: entry }))));
  }

  leave(entry) {
    const rest = (session.settings.sensors ?? []).filter((one) => one !== entry);
    return attempt(() => setSetting('sensors', rest), t('sensors.left', { name: entry }));
  }
}

/** The search for sensors. */
class Search {
  constructor() {
    this.found = new Map();
    this.progress = element('progress', { max: SCAN, value: 0, 'aria-label': t('sensors.searching') });
    this.status = element('p', { role: 'status' });
    this.list = element('ul', { class: 'plain-list found' });
    this.button = element('button', { class: 'main', type: 'button', onclick: () => this.run() }, t('sensors.search'));
    this.node = element('section', { class: 'card', 'aria-labelledby': 'search' },
      element('h2', { id: 'search' }, t('sensors.search_title')),
      element('p', { class: 'soft' }, t('sensors.search_text')), this.button, this.progress, this.status, this.list);
    show(this.progress, false);
    this.abort = null;
    addEventListener('pagehide', () => this.abort?.abort());
  }

  async run() {
    if (this.abort) return this.abort.abort();
    this.found.clear();
    this.list.replaceChildren();
    this.begin();
    const began = performance.now();
    const timer = setInterval(() => { this.progress.value = Math.min((performance.now() - began) / 1000, SCAN); }, 250);
    try {
      for (let second = 0; second < SCAN; second += PART) {
        this.take(await rpc('sensor.scan', { seconds: PART }, this.abort.signal));
      }
      this.end(this.found.size === 0 ? t('sensors.none') : t('sensors.found', { count: this.found.size }));
    } catch (error) {
      const isStopped = error.name === 'AbortError';
      if (state?.demo) this.end(t('sensors.demo'));
      else this.end(isStopped ? t('sensors.found', { count: this.found.size }) : errorText(error), !isStopped);
    }
    clearInterval(timer);
  }

  begin() {
    this.abort = new AbortController();
    setText(this.button, t('sensors.stop'));
    this.button.classList.remove('main');
    this.progress.value = 0;
    show(this.progress, true);
    this.status.className = '';
    setText(this.status, t('sensors.searching'));
  }

  end(text, isProblem = false) {
    this.abort = null;
    setText(this.button, t('sensors.search'));
    this.button.classList.add('main');
    show(this.progress, false);
    this.status.className = isProblem ? 'problem' : '';
    setText(this.status, text);
  }

  /** Sensors keep their rows; a later part may lack their name and kinds. */
  take(sensors) {
    for (const sensor of sensors) {
      const key = `${sensor.address}/${sensor.address_type}`;
      const row = this.found.get(key) ?? this.row(key);
      const { name = row.name, kinds } = sensor;
      Object.assign(row, { name, kinds: kinds.length > 0 ? kinds : row.kinds });
      setText(row.title, name ?? sensor.address);
      setText(row.more, [kindWords(row.kinds), name ? sensor.address : null, sensor.rssi_dbm === undefined ? null
        : `${t(signalOf(sensor.rssi_dbm))} (${sensor.rssi_dbm} dBm)`].filter(Boolean).join(' · '));
    }
  }

  row(key) {
    const [address, type] = key.split('/');
    const wanted = { sensor: address, address_type: type };
    const row = { kinds: [], title: element('span', { class: 'row-name' }),
      more: element('span', { class: 'row-more soft' }) };
    const name = () => row.name ?? address;
    row.node = element('li', { dataset: { sensor: key } }, element('div', { class: 'row-words' }, row.title, row.more),
      element('div', { class: 'buttons' },
        action('add', () => use({ ...wanted, add: true }, t('sensors.added', { name: name() })),
          { kind: 'main', name: address }),
        action('only', () => use(wanted, t('sensors.used', { name: name() })), { name: address }),
        action('pair', async () => {
          session.notice(t('sensors.pairing', { name: name() }));
          await attempt(() => rpc('sensor.pair', { sensor: key }), t('sensors.paired', { name: name() }));
        }, { name: address })));
    this.found.set(key, row);
    this.list.append(row.node);
    return row;
  }
}

const signalOf = (dbm) => (dbm >= -65 ? 'sensors.near_by' : dbm >= -80 ? 'sensors.middle' : 'sensors.far');

const [present, choice, search] = [new Present(), new Choice(), new Search()];
let state = null;
session.main.append(element('p', {}, element('a', { href: '/settings.html' }, t('sensors.back'))),
  element('h1', {}, t('sensors.title')), element('div', { class: 'stack' }, present.node,
    element('div', { class: 'columns' }, choice.node, search.node)));
session.stream({ classes: ['STATE', 'SETTINGS'], interval_ms: 1000, blocks: ['sensors', 'own_fields'] }, (line) => {
  if (line.class === 'STATE') {
    declare(line.blocks?.own_fields);
    state = line;
    present.update(line);
  }
  if (['STATE', 'SETTINGS'].includes(line.class)) choice.update(state);
});
