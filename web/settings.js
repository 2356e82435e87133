// All settings but the run screen: each is saved when it changes.

import { Alerts } from './alerts.js';
import { getJSON, rpc } from './api.js';
import { iconButton, textButton } from './buttons.js';
import { element, setText, show } from './dom.js';
import { METRES_PER_MILE } from './format.js';
import { errorText, isMetric, t } from './i18n.js';
import { select, start } from './page.js';
import { inOrder, isSame } from './saving.js';
import { Workout } from './workout.js';
import { sports } from './tables.js';

const session = await start({ needs: 'control', name: 'settings' });
const announcer = element('p', { class: 'unseen', role: 'status' });
const say = (text) => setText(announcer, text);

/**
 * One or more settings with their name, help, controls, default, and what is wrong.
 *
 * A control has `node`, `write(settings)`, `isDraft` (the user has not finished), and calls row.set(key, value) or
 * row.complain(text).
 */
class Row {
  constructor(keys, name, control, { isGroup = false, isCard = false } = {}) {
    Object.assign(this, { keys, name, isCard, label: t(`settings.${name}`), saving: 0 });
    this.control = control(this);
    const [labelId, helpId, problemId] = ['label', 'help', 'problem'].map((part) => `${name}-${part}`);
    const help = t(`settings.${name}_help`);
    const hasHelp = help !== `settings.${name}_help`;
    this.problem = element('p', { class: 'problem', id: problemId, role: 'alert', hidden: true });
    this.said = element('span', { class: 'good said', hidden: true }, t('settings.saved'));
    const reset = iconButton('reset', t('settings.default_of', { name: this.label }), () => this.reset(),
      { class: 'plain reset', title: t('settings.default') });
    this.first = isGroup ? this.control.node : this.control.input ?? this.control.node;
    if (isGroup) {
      this.first.setAttribute('role', 'group');
      this.first.setAttribute('aria-labelledby', labelId);
    } else this.first.id = name;
    this.first.setAttribute('aria-describedby', hasHelp ? `${helpId} ${problemId}` : problemId);
    const title = isGroup ? element(isCard ? 'h2' : 'h3', { id: labelId }, this.label)
      : element('label', { for: name, id: labelId }, this.label);
    const place = element('div', { class: 'setting-control' }, this.control.node);
    this.node = element('div', { class: isGroup ? 'setting' : 'setting single', dataset: { setting: name } },
      element('div', { class: 'setting-title' }, title, this.said), place, reset,
      hasHelp ? element('p', { class: 'soft help', id: helpId }, help) : null, this.problem);
  }

  update() {
    if (!this.control.isDraft && this.saving === 0 && this.problem.hidden) this.control.write(session.settings);
  }

  /**
   * Saves a value, or what a function makes of the present one once earlier changes are saved. Resolves to null, or to
   * what is wrong, which an editor shows at its own place.
   */
  async set(key, value) {
    try {
      await this.save(() => change(key, typeof value === 'function' ? value(session.settings[key]) : value));
    } catch (error) {
      if (!this.control.isEditor) this.complain(errorText(error));
      return errorText(error);
    }
    this.settle(t('settings.saved_of', { name: this.label }));
    return null;
  }

  async reset() {
    try {
      for (const key of this.keys) await this.save(() => change(key, null, true));
      this.settle(t('settings.reset_of', { name: this.label }));
    } catch (error) {
      this.complain(errorText(error));
    }
  }

  /** What the user types while the work goes on is a new draft, which its end does not overwrite. */
  async save(work) {
    this.control.isDraft = false;
    this.saving += 1;
    try {
      await inOrder(work);
    } catch (error) {
      this.control.isDraft = true;
      throw error;
    } finally {
      this.saving -= 1;
    }
  }

  settle(text) {
    this.complain(null);
    say(text);
    for (const row of rows) show(row.said, row === this);
    updateAll();
  }

  complain(text) {
    setText(this.problem, text ?? '');
    show(this.problem, text !== null);
    if (text === null) this.first.removeAttribute('aria-invalid');
    else {
      this.first.setAttribute('aria-invalid', 'true');
      show(this.said, false);
    }
  }
}

/** Sets a setting if it differs, or always if `isForced`: null brings back its default. Keeps the value in force. */
async function change(key, wanted, isForced = false) {
  if (isSame(wanted, session.settings[key]) && !isForced) return;
  const value = await rpc('settings.set', { key, value: wanted });
  const settings = { ...session.settings, [key]: value };
  if (value === null) delete settings[key];
  session.takeSettings(settings);
}

// Controls

const flag = (key) => (row) => {
  const input = element('input', { type: 'checkbox', onchange: () => row.set(key, input.checked) });
  return { node: input, write: (settings) => { input.checked = Boolean(settings[key]); } };
};

/** A choice; the value '' unsets. */
const choice = (key, options, toValue = (text) => text) => (row) => {
  const node = select(options, '', (chosen) => row.set(key, chosen === '' ? null : toValue(chosen)));
  return { node, write: (settings) => { node.value = String(settings[key] ?? ''); } };
};

/** A whole number of the setting is `factor` times the number that is shown. An empty input is 0. */
const number = (key, { low, high, unit, factor = 1, empty = 'unknown', step = 1 }) => (row) => {
  const input = element('input', { type: 'number', min: low, max: high, step, placeholder: t(`settings.${empty}`),
    oninput: () => { control.isDraft = true; },
    onblur: () => { if (input.value === shown) control.isDraft = false; },
    onchange: () => {
      if (!input.validity.valid) return row.complain(numberProblem(low, high, step));
      return row.set(key, Math.round((input.valueAsNumber || 0) * factor));
    } });
  let shown = '';
  const control = {
    isDraft: false, input,
    node: element('span', { class: 'with-unit' }, input, unit ? element('span', { class: 'between' }, unit) : null),
    write: (settings) => {
      input.value = settings[key] ? settings[key] / factor : '';
      shown = input.value;
    },
  };
  return control;
};

const numberProblem = (low, high, step) =>
  t(step === 1 ? 'settings.need_whole' : 'settings.need_between', { low, high });

/** The sports of automatic pauses. */
const sportChecks = (key) => (row) => {
  const boxes = sports.map((sport) => element('input', { type: 'checkbox', value: sport, onchange: () => row.set(key,
    boxes.filter((box) => box.checked).map((box) => box.value)) }));
  return { node: element('div', { class: 'checks' }, boxes.map((box) => element('label', { class: 'check' }, box,
    element('span', {}, t(`sport.${box.value}`))))),
  write: (settings) => boxes.forEach((box) => { box.checked = settings[key]?.includes(box.value) ?? false; }) };
};

/** Rising numbers, the first for zone `first`. `usual(settings)` are the values while they are unset. */
const zoneNumbers = (key, { first, count, high, usual, helper }) => (row) => {
  const commit = () => {
    const filled = inputs.filter((input) => input.value !== '' || !input.validity.valid);
    if (filled.length === 0) return row.set(key, null);
    if (inputs.some((input) => !input.validity.valid)) return row.complain(numberProblem(1, high, 1));
    if (filled.length < count) return row.complain(t('settings.zones_missing', { count: count - filled.length }));
    const values = inputs.map((input) => input.valueAsNumber);
    const wrong = values.findIndex((value, index) => index > 0 && value <= values[index - 1]);
    if (wrong > 0) return row.complain(t('settings.zones_rise', { zone: wrong + first, before: wrong + first - 1 }));
    return row.set(key, values);
  };
  const inputs = Array.from({ length: count }, () => element('input', { type: 'number', min: 1, max: high, step: 1,
    oninput: () => { control.isDraft = true; }, onchange: commit }));
  const places = inputs.map((input, index) => element('label',
    { class: 'zone-input', dataset: { zone: index + first } },
    element('span', {}, t('live.zone', { zone: index + first })), input));
  const control = { isDraft: false, inputs, node: element('div', {}, element('div', { class: 'zone-inputs' }, places),
    helper?.(row)),
  write: (settings) => inputs.forEach((input, index) => {
    input.value = settings[key]?.[index] ?? '';
    input.placeholder = usual?.(settings)?.[index] ?? '';
  }) };
  return control;
};

/** Fills the zones by the maximum heart rate. */
const ZONE_PERCENT = [50, 60, 70, 80, 90];
const zoneHelper = (row) => textButton(t('settings.zones_from_max'), () => {
  const { max_heart_rate: most } = session.settings;
  if (most) row.set('zones', ZONE_PERCENT.map((percent) => Math.round(most * percent / 100)));
  else row.complain(t('settings.zones_need_max'));
});

const POWER_PERCENT = [55, 75, 90, 105, 120, 150];
const usualPower = ({ ftp }) => (ftp ? POWER_PERCENT.map((percent) => Math.round(ftp * percent / 100)) : null);

/** Laps by distance or by time: only one of the two settings can be on. */
const autoLap = (row) => {
  const metres = () => (isMetric() ? 1000 : METRES_PER_MILE);
  const shapes = {
    off: {},
    distance: { key: 'auto_lap_m', other: 'auto_lap_s', factor: metres, usual: 1, most: 1_000_000 },
    time: { key: 'auto_lap_s', other: 'auto_lap_m', factor: () => 60, usual: 5, most: 86_400 },
  };
  const kind = select(Object.keys(shapes).map((one) => [one, t(`settings.auto_lap_${one}`)]), 'off', () => choose());
  const input = element('input', { type: 'number', step: 'any', min: 0, 'aria-label': t('settings.auto_lap_every'),
    oninput: () => { control.isDraft = true; }, onchange: () => commit() });
  const unit = element('span', { class: 'between' });
  const place = element('span', { class: 'with-unit' }, input, unit);
  const showUnit = () => {
    show(place, kind.value !== 'off');
    setText(unit, kind.value === 'time' ? 'min' : isMetric() ? 'km' : 'mi');
  };
  const choose = async () => {
    showUnit();
    if (kind.value !== 'off') {
      input.value = shapes[kind.value].usual;
      return commit();
    }
    const problem = session.settings.auto_lap_m ? await row.set('auto_lap_m', 0) : null;
    return problem ?? row.set('auto_lap_s', 0);
  };
  const commit = async () => {
    const { key, other, factor, most } = shapes[kind.value];
    const value = Math.round((input.valueAsNumber || 0) * factor());
    if (!input.validity.valid || value < 1 || value > most) return row.complain(t('settings.need_positive'));
    if (session.settings[other] && await row.set(other, 0)) return undefined;
    return row.set(key, value);
  };
  kind.setAttribute('aria-label', t('settings.auto_lap'));
  const control = { isDraft: false, input: kind, node: element('div', { class: 'auto-lap' }, kind, place),
    write: (settings) => {
      kind.value = settings.auto_lap_m ? 'distance' : settings.auto_lap_s ? 'time' : 'off';
      const { key, factor } = shapes[kind.value];
      input.value = key ? Math.round(settings[key] / factor() * 1000) / 1000 : '';
      showUnit();
    } };
  return control;
};

/** A control that is an editor of its own; it saves functions of the present list. */
const editor = (key, made) => (row) => {
  const one = made((edit) => row.set(key, edit), () => session.settings[key] ?? []);
  return { isEditor: true, node: one.node, write: (settings) => one.write(settings[key] ?? []) };
};

// The page

const asGroup = { isGroup: true };
const asCard = { isGroup: true, isCard: true };
const integer = (key, options) => new Row([key], key, number(key, options));
const groups = {
  display: () => [
    new Row(['metric'], 'metric', choice('metric', [['', t('settings.metric_auto')], ['true', t('settings.metric_on')],
      ['false', t('settings.metric_off')]], (text) => text === 'true')),
    new Row(['twelve_hour_clock'], 'twelve_hour_clock', choice('twelve_hour_clock',
      [['false', '15:07'], ['true', '3:07 pm']], (text) => text === 'true')),
  ],
  activity: () => [
    new Row(['sport'], 'sport', choice('sport', sports.map((sport) => [sport, t(`sport.${sport}`)]))),
    new Row(['auto_lap_m', 'auto_lap_s'], 'auto_lap', autoLap),
    new Row(['auto_pause'], 'auto_pause', sportChecks('auto_pause'), asGroup),
    integer('auto_stop_minutes', { low: 0, high: 1440, unit: 'min', empty: 'off' }),
  ],
  climbs: () => [integer('climb_score', { low: 1500, high: 64_000 }),
    new Row(['climb_laps'], 'climb_laps', flag('climb_laps'))],
  sensors: () => [
    integer('wheel_mm', { low: 0, high: 4000, unit: 'mm', empty: 'automatic' }),
    integer('stride_permille', { low: 0, high: 200, unit: '%', factor: 10, step: 0.1, empty: 'automatic' }),
    new Row(['record_all_sensors'], 'record_all_sensors', flag('record_all_sensors')),
  ],
  heart: () => [
    integer('max_heart_rate', { low: 0, high: 250, unit: 'bpm' }),
    integer('resting_heart_rate', { low: 0, high: 250, unit: 'bpm' }),
    new Row(['use_heart_rate_zones'], 'use_heart_rate_zones', flag('use_heart_rate_zones')),
    new Row(['zones'], 'zones', zoneNumbers('zones', { first: 1, count: 5, high: 250, helper: zoneHelper }),
      asGroup),
  ],
  body: () => [
    integer('age', { low: 0, high: 120, unit: t('settings.years') }),
    new Row(['sex'], 'sex', choice('sex', [['', t('settings.unknown')], ['female', t('settings.female')],
      ['male', t('settings.male')]])),
    integer('weight_kg', { low: 0, high: 300, unit: 'kg' }),
  ],
  power: () => [
    integer('ftp', { low: 0, high: 2000, unit: 'W' }),
    new Row(['power_zones'], 'power_zones', zoneNumbers('power_zones', { first: 2, count: 6, high: 4000,
      usual: usualPower }), asGroup),
  ],
  alerts: () => [new Row(['alerts'], 'alerts', editor('alerts', (save) => new Alerts(save)), asCard)],
  workout: () => [new Row(['workout'], 'workout', editor('workout', (save, saved) => new Workout(save, saved, say)), asCard)],
};
const columns = [['display', 'activity', 'sensors', 'climbs', 'body'], ['heart', 'power', 'alerts', 'workout']];

let rows = [];

function updateAll() {
  for (const row of rows) row.update();
}

/** The pages that belong to a group. */
const links = { display: ['/screens.html', 'to_screens'], sensors: ['/sensors.html', 'to_sensors'] };

function card(name) {
  const made = groups[name]();
  rows.push(...made);
  const [href, text] = links[name] ?? [];
  const title = made[0].isCard ? null : element('h2', { id: `group-${name}` }, t(`settings.group.${name}`));
  return element('section', { class: 'card', 'aria-labelledby': title?.id ?? `${name}-label` }, title,
    href ? element('p', {}, element('a', { class: 'button', href }, t(`settings.${text}`))) : null,
    made.map((row) => row.node));
}

/** Whose data maps are drawn from; where the board has no map, how it gets one. */
function mapCard() {
  const licence = element('a', { href: 'https://www.openstreetmap.org/copyright', rel: 'noreferrer' },
    'openstreetmap.org/copyright');
  const made = element('section', { class: 'card', 'aria-labelledby': 'group-map' },
    element('h2', { id: 'group-map' }, t('settings.group.map')),
    element('p', { class: 'soft' }, `${t('settings.map_help')} `, licence));
  getJSON('/api/tiles').then(({ available }) => {
    if (available) return;
    made.append(element('p', {}, t('settings.no_map')),
      element('p', {}, element('code', {}, 'pacectl map import EXTRACT.osm.pbf')));
  }).catch((error) => session.fail(error));
  return made;
}

/** Links to the cards, where they are below each other. */
const jump = () => element('nav', { class: 'jump', 'aria-label': t('settings.parts') }, columns.flat().map((name) => {
  const isGroup = !['alerts', 'workout'].includes(name);
  return element('a', { class: 'button', href: isGroup ? `#group-${name}` : `#${name}-label` },
    t(isGroup ? `settings.group.${name}` : `settings.${name}`));
}));

session.main.append(element('h1', {}, t('nav.settings')), element('p', { class: 'soft intro' }, t('settings.intro')), jump(),
  element('div', { class: 'columns' }, columns.map((names, index) => element('div', { class: 'stack' }, names.map(card),
    index === 0 ? mapCard() : null))),
  announcer);
updateAll();
session.stream({ classes: ['STATE', 'SETTINGS'], interval_ms: 1000 }, (line) => {
  if (line.class === 'SETTINGS') updateAll();
});
// A link leads to a setting, which is there only now.
document.getElementById(location.hash.slice(1))?.focus();
