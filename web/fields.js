// The data fields of the run screen: the table `fields` of docs/protocol.md, and their values as text.

import {
  decimal, difference, distanceFigures, distanceUnit, elapsed, heightFigures, heightUnit, paceFigures, paceUnit,
  speedFigures, speedUnit,
} from './format.js';
import { clockParts, isMetric, separator, t } from './i18n.js';
import { isOwn, ownFormat, ownName, ownTitle } from './own-fields.js';
import { fieldRows, sports } from './tables.js';

/** By name, in the order of the protocol: { format, source, unit, sports }. */
export const fields = Object.fromEntries(fieldRows.flatMap(([format, source, unit, names, only]) =>
  names.split(' ').map((name) => [name, { format, source, unit, sports: only ?? sports }])));

/** A data field, or a field of another program; undefined for an unknown one. */
export const fieldOf = (name) => fields[name] ?? (name && isOwn(name) ? ownFormat(ownName(name)) : undefined);

/** The value of a field in a state. */
export const valueOf = (name, state) => state?.blocks?.fields?.[isOwn(name) ? ownName(name) : name];

/** The names of the colours of a field. */
export const colours = ['primary', 'secondary', 'red', 'orange', 'yellow', 'green', 'mint', 'teal', 'cyan', 'blue',
  'indigo', 'purple', 'pink', 'brown', 'white', 'gray', 'black'];

/** The custom property of a field's colour. */
export const colourProperty = (colour) =>
  ({ primary: '--text', secondary: '--soft' })[colour] ?? (colours.includes(colour) ? `--${colour}` : '--text');

/** A field of the setting screens with all its members; null for an unknown data field. */
export function fullField(field) {
  const given = typeof field === 'string' ? { field } : field;
  if (!fieldOf(given?.field)) return null;
  return { title: undefined, visible: true, title_visible: true, size: 24, colour: 'primary', ...given };
}

export const fieldTitle = (name) => (isOwn(name) ? ownTitle(ownName(name)) : t(`field.${name}`));

/** The texts of a value: { text, unit, widest }. `widest` are the widest figures to expect. */
export function fieldValue(name, value) {
  const field = fieldOf(name);
  const made = shapes[field.format](value, { name, ...field });
  return { ...made, widest: made.text.length > made.widest.length ? made.text.replace(/[0-9]/g, '0') : made.widest };
}

const shapes = {
  duration: (value, { source }) => ({
    text: value === undefined && source !== 'timer' ? '--' : elapsed(Math.round((value ?? 0) * 1000)),
    widest: (value ?? 0) < 36_000 ? '0:00:00' : '00:00:00', unit: value < 60 ? 's' : '',
  }),
  difference: (value) => ({
    text: value === undefined ? '--' : difference(Math.round(value * 1000)), widest: '+00:00', unit: '',
  }),
  clock: (value) => {
    const [text, unit] = value === undefined ? ['--:--', ''] : clockParts(value);
    return { text, unit, widest: '00:00' };
  },
  distance: (value, { source }) => ({
    text: value === undefined && source === 'course' ? '--' : distanceFigures(value ?? 0), unit: distanceUnit(),
    widest: `00${separator()}00`,
  }),
  height: (value) => ({ text: heightFigures(value), unit: heightUnit(), widest: isMetric() ? '0000' : '00000' }),
  pace: (value) => ({ text: paceFigures(value), unit: paceUnit(), widest: '00:00' }),
  speed: (value) => ({ text: speedFigures(value), unit: speedUnit(), widest: `00${separator()}0` }),
  integer: (value, { name, unit }) => ({
    text: decimal(value, 0) ?? '--', unit, widest: name === 'laps' ? '00' : '000',
  }),
  own: (value, { unit, decimals }) => ({
    text: decimal(value, decimals) ?? '--', unit,
    widest: decimals > 0 ? `000${separator()}${'0'.repeat(decimals)}` : '000',
  }),
  hundredths: (value) => ({ text: decimal(value, 2) ?? '--', unit: '', widest: `0${separator()}00` }),
  pressure: (value) => ({ text: decimal(value / 100, 1) ?? '--', unit: 'hPa', widest: `0000${separator()}0` }),
  zone: (value) => ({ text: value === undefined ? '--' : String(value), unit: '', widest: '0' }),
};

/** Whether zones are on, but there are none: they cannot be shown. */
export function lacksZones({ use_heart_rate_zones: isOn, zones }) {
  return Boolean(isOn) && !(zones?.length === 5 && zones.every((low, index) => index === 0 || low > zones[index - 1]));
}

/** Whether a field is left out because its source is away. */
function isAway({ source }, state) {
  const isInRun = state !== null && state.run !== 'idle';
  const isIndoor = Boolean(state?.indoor);
  if (['position', 'altitude', 'sun', 'wind'].includes(source)) return isIndoor;
  return source === 'distance' && isInRun && isIndoor && state.source === undefined;
}

const optional = ['sensor', 'course', 'partner', 'sun', 'wind'];

/** The pages of a sport with the fields that are shown now; pages without any are left out. */
export function shownPages(settings, sport, state) {
  const usesZones = Boolean(settings.use_heart_rate_zones);
  return (settings.screens?.[sport] ?? [])
    .map((page) => page.fields.map(fullField).filter((field) => field?.visible && !isAway(fieldOf(field.field), state)
      && (usesZones || !['zone', 'time_in_zone'].includes(field.field))))
    .filter((page) => page.some(({ field }) =>
      valueOf(field, state) !== undefined || !optional.includes(fieldOf(field).source)));
}
