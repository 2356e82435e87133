// The data fields of the run screen: the table `fields` of docs/protocol.md, and their values as text.

import {
  decimal, difference, distanceFigures, distanceUnit, elapsed, heightFigures, heightUnit, paceFigures, paceUnit,
  speedFigures, speedUnit,
} from './format.js';
import { clockParts, isMetric, separator, t } from './i18n.js';

export const sports = ['run', 'walk', 'hike', 'ride', 'other'];
const onFoot = ['run', 'walk', 'hike', 'other'];
const graded = ['run', 'walk', 'hike'];
const withRadar = ['ride', 'other'];

/** Data fields with the same format, source and unit on the wire, and their sports if not all. */
const table = [
  ['duration', 'timer', 's', 'time lap_time moving_time lap_moving_time'],
  ['clock', 'clock', '', 'time_of_day'],
  ['distance', 'distance', 'm', 'distance lap_distance'],
  ['pace', 'distance', 's/m', 'pace pace_3s lap_pace average_pace average_moving_pace max_pace', onFoot],
  ['speed', 'distance', 'm/s', 'speed speed_3s lap_speed average_speed average_moving_speed max_speed'],
  ['integer', 'heart', 'bpm', 'heart_rate lap_heart_rate average_heart_rate max_heart_rate'],
  ['integer', 'heart', '%', 'heart_rate_percent_max heart_rate_percent_reserve'],
  ['zone', 'heart', '', 'zone'],
  ['duration', 'heart', 's', 'time_in_zone'],
  ['integer', 'heart', 'ms', 'rmssd'],
  ['hundredths', 'heart', '', 'dfa_alpha1'],
  ['integer', 'heart', '/min', 'respiration_rate'],
  ['integer', 'heart', 'kcal', 'energy'],
  ['integer', 'heart', '', 'trimp'],
  ['integer', 'sensor', 'W',
    'power power_3s power_10s lap_power average_power max_power normalized_power lap_normalized_power'],
  ['integer', 'sensor', '%', 'power_percent_ftp'],
  ['integer', 'sensor', '', 'power_zone'],
  ['duration', 'sensor', 's', 'time_in_power_zone'],
  ['integer', 'sensor', '%', 'power_balance'],
  ['integer', 'sensor', 'kJ', 'work'],
  ['integer', 'sensor', 'rpm', 'cadence lap_cadence average_cadence max_cadence'],
  ['integer', 'sensor', '', 'vehicles', withRadar],
  ['height', 'sensor', 'm', 'vehicle_distance', withRadar],
  ['speed', 'sensor', 'm/s', 'vehicle_speed', withRadar],
  ['pressure', 'sensor', 'Pa', 'pressure'],
  ['integer', 'sensor', '°C', 'temperature'],
  ['integer', 'sensor', '%', 'humidity'],
  ['height', 'position', 'm', 'altitude'],
  ['height', 'altitude', 'm', 'ascent descent lap_ascent lap_descent'],
  ['integer', 'altitude', '%', 'grade'],
  ['pace', 'altitude', 's/m', 'grade_adjusted_pace average_grade_adjusted_pace lap_grade_adjusted_pace', graded],
  ['height', 'altitude', 'm/h', 'vertical_speed'],
  ['integer', 'timer', '', 'laps'],
  ['integer', 'power', '%', 'battery'],
  ['integer', 'heart', '%', 'strap_battery'],
  ['height', 'position', 'm', 'gps_accuracy'],
  ['distance', 'course', 'm', 'course_progress course_remaining'],
  ['height', 'course', 'm', 'off_course next_cue_distance'],
  ['duration', 'course', 's', 'next_cue_time'],
  ['clock', 'course', '', 'arrival'],
  ['duration', 'course', 's', 'time_to_end'],
  ['height', 'course', 'm', 'course_remaining_ascent'],
  ['integer', 'course', '%', 'course_grade'],
  ['distance', 'course', 'm', 'climb_remaining'],
  ['height', 'course', 'm', 'climb_remaining_ascent'],
  ['integer', 'course', '%', 'climb_average_grade climb_grade_ahead'],
  ['difference', 'partner', 's', 'partner_time'],
  ['height', 'partner', 'm', 'partner_distance'],
  ['clock', 'sun', '', 'sunrise sunset'],
  ['duration', 'sun', 's', 'light_left'],
  ['speed', 'wind', 'm/s', 'headwind crosswind'],
  ['integer', 'wind', '°', 'wind_angle'],
];

/** By name, in the order of the protocol: { format, source, unit, sports }. */
export const fields = Object.fromEntries(table.flatMap(([format, source, unit, names, only]) =>
  names.split(' ').map((name) => [name, { format, source, unit, sports: only ?? sports }])));

/** The names of the colours of a field. */
export const colours = ['primary', 'secondary', 'red', 'orange', 'yellow', 'green', 'mint', 'teal', 'cyan', 'blue',
  'indigo', 'purple', 'pink', 'brown', 'white', 'gray', 'black'];

/** The custom property of a field's colour. */
export const colourProperty = (colour) =>
  ({ primary: '--text', secondary: '--soft' })[colour] ?? (colours.includes(colour) ? `--${colour}` : '--text');

/** A field of the setting screens with all its members; null for an unknown data field. */
export function fullField(field) {
  const given = typeof field === 'string' ? { field } : field;
  if (!fields[given?.field]) return null;
  return { title: undefined, visible: true, title_visible: true, size: 24, colour: 'primary', ...given };
}

export const fieldTitle = (name) => t(`field.${name}`);

/** The texts of a value: { text, unit, widest }. `widest` are the widest figures to expect. */
export function fieldValue(name, value) {
  const { format, source, unit } = fields[name];
  const made = shapes[format](value, { name, source, unit });
  return { ...made, widest: made.text.length > made.widest.length ? made.text.replace(/[0-9]/g, '0') : made.widest };
}

const shapes = {
  duration: (value, { source }) => ({
    text: value === undefined && source !== 'timer' ? '--' : elapsed(Math.round((value ?? 0) * 1000)),
    widest: (value ?? 0) < 36_000 ? '0:00:00' : '00:00:00', unit: '',
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
  hundredths: (value) => ({ text: decimal(value, 2) ?? '--', unit: '', widest: `0${separator()}00` }),
  pressure: (value) => ({ text: decimal(value / 100, 1) ?? '--', unit: 'hPa', widest: `0000${separator()}0` }),
  zone: (value) => ({ text: value === undefined ? '--' : String(value), unit: '', widest: '0' }),
};

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
  const values = state?.blocks?.fields ?? {};
  const usesZones = Boolean(settings.use_heart_rate_zones);
  return (settings.screens?.[sport] ?? [])
    .map((page) => page.fields.map(fullField).filter((field) => field?.visible && !isAway(fields[field.field], state)
      && (usesZones || !['zone', 'time_in_zone'].includes(field.field))))
    .filter((page) => page.some(({ field }) =>
      values[field] !== undefined || !optional.includes(fields[field].source)));
}
