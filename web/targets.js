// The texts of the settings `alerts` and `workout`: read, written, and in words.

import { separator, t } from './i18n.js';

const COUNTS = { type: 'count' };

/**
 * What alerts and targets watch. `type`: 'count' (a whole number), 'number', 'clock' (M:SS), 'amount' (a number with a
 * unit), or none; `units`: those of the setting, the metric one first.
 */
export const kinds = {
  heart_rate: { ...COUNTS, low: 30, high: 250, unit: 'bpm' },
  zone: { ...COUNTS, low: 1, high: 5, isZone: true },
  power: { ...COUNTS, low: 1, high: 4000, unit: 'W' },
  power_zone: { ...COUNTS, low: 1, high: 7, isZone: true },
  cadence: { ...COUNTS, low: 1, high: 300, unit: '/min' },
  speed: { type: 'number', units: ['km/h', 'mph', 'm/s'] },
  pace: { type: 'clock', units: ['/km', '/mi'] },
  distance: { type: 'amount', units: ['km', 'mi', 'm'] },
  time: { type: 'amount', units: ['min', 's', 'h'] },
  sensor_lost: {},
  position_lost: {},
};

/** The kinds that have a range, and so can be the target of a step. */
export const targetKinds = Object.keys(kinds).filter((kind) => ['count', 'number', 'clock'].includes(kinds[kind].type));

/** The kinds of the length of a step, with their units. */
export const lengths = { time: kinds.time.units, distance: kinds.distance.units, lap: [] };

const AMOUNT = /^([\d.]+) ?(km|mi|m|min|s|h)(?: |$)/;

function readAmount(text) {
  const [all, amount, unit] = AMOUNT.exec(text) ?? [];
  return all === undefined ? null : { amount, unit, rest: text.slice(all.length) };
}

/** The range of a kind at the beginning of a text: { kind, low, high, unit, rest }; null if there is none. */
function readRange(kind, text) {
  const { units } = kinds[kind];
  const found = /^([\d.:]*?)(?:(\.\.)([\d.:]*))?(?: ?(km\/h|m\/s|mph|\/km|\/mi))?(?: |$)/.exec(text);
  if (!found || (units && !units.includes(found[4]))) return null;
  const [all, low, dots, high = '', unit = ''] = found;
  return { kind, low, high: dots ? high : low, unit, rest: text.slice(all.length) };
}

/** An alert: { kind, low, high, unit } or { kind, amount, unit }; null for one that this page does not know. */
export function readAlert(text) {
  const [kind, ...words] = text.split(' ');
  const rest = words.join(' ');
  const made = { count: readRange, number: readRange, clock: readRange, amount: (_, words) => readAmount(words) };
  if (!kinds[kind]) return null;
  const values = made[kinds[kind].type]?.(kind, rest) ?? (kinds[kind].type ? null : { rest });
  return values && values.rest === '' ? { ...values, kind } : null;
}

/** The text of an alert or of a target; '' while it is not complete. */
export function alertText({ kind, low = '', high = '', amount = '', unit = '' }) {
  const { type, isZone } = kinds[kind];
  if (!type) return kind;
  if (type === 'amount') return amount === '' ? '' : `${kind} ${amount} ${unit}`;
  if (low === '' && high === '') return '';
  const range = isZone && low === high ? low : `${low}..${high}`;
  return `${kind} ${range}${unit ? ` ${unit}` : ''}`;
}

/** A step: { length, amount, unit, target, name }; null for one that this page does not know. */
export function readStep(text) {
  const [left, ...names] = text.split('#');
  const words = left.trim();
  const name = names.join('#').trim();
  const amount = words === 'lap' || words.startsWith('lap ') ? { amount: '', unit: '', rest: words.slice(4) }
    : readAmount(words);
  if (!amount) return null;
  const length = amount.unit === '' ? 'lap' : ['time', 'distance'].find((one) => lengths[one].includes(amount.unit));
  const target = amount.rest === '' ? null : readAlert(amount.rest);
  if (amount.rest !== '' && !targetKinds.includes(target?.kind)) return null;
  return { length, amount: amount.amount, unit: amount.unit, target, name };
}

/** The text of a step; '' while it is not complete. */
export function stepText({ length, amount, unit, target, name }) {
  const first = length === 'lap' ? 'lap' : `${amount} ${unit}`;
  const second = target ? alertText(target) : null;
  if ((length !== 'lap' && amount === '') || second === '') return '';
  return [first, second, name ? `# ${name}` : null].filter(Boolean).join(' ');
}

// In words

const pointed = (figures) => String(figures).replace('.', separator());

/** A target or an alert in words, such as Heart rate 120–165 bpm. */
export const targetWords = (target) => `${t(`target.${target.kind}`)} ${rangeWords(target)}`.trim();

/** The range of a target with its unit, such as 120–165 bpm. */
export function rangeWords({ kind, low, high, unit }) {
  const shown = [low, high].map(pointed);
  const range = low === high ? shown[0] : low === '' ? t('target.at_most', { value: shown[1] })
    : high === '' ? t('target.at_least', { value: shown[0] }) : shown.join('–');
  const limited = kind === 'pace' && (low === '' || high === '')
    ? t(low === '' ? 'target.not_slower' : 'target.not_faster', { value: low === '' ? shown[1] : shown[0] }) : range;
  return [limited, unit || kinds[kind].unit].filter(Boolean).join(' ');
}

/** The step in words. */
export function stepWords({ length, amount, unit, target, name }) {
  return [lengthWords({ length, amount, unit }), target ? targetWords(target) : null, name].filter(Boolean).join(' · ');
}

/** The text of a step in words; of one that this page does not know, its name. */
export function stepTextWords(text) {
  const step = readStep(text);
  return step ? stepWords(step) : text.split('#')[1]?.trim() || t('workout.step');
}

/** 600 s is 10 min, and 1000 m are 1 km. */
export function lengthWords({ length, amount, unit }) {
  if (length === 'lap') return t('workout.until_lap');
  if (length === 'distance') {
    return unit === 'm' && amount >= 1000 ? `${pointed(amount / 1000)} km` : `${pointed(Number(amount))} ${unit}`;
  }
  const time = Math.round(amount * { s: 1000, min: 60_000, h: 3_600_000 }[unit]);
  return [[Math.floor(time / 3_600_000), 'h'], [Math.floor(time / 60_000) % 60, 'min'], [time % 60_000 / 1000, 's']]
    .filter(([figure]) => figure > 0).map(([figure, of]) => `${pointed(figure)} ${of}`).join(' ');
}
