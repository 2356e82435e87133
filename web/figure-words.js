// Titles, texts and colours of what charts and maps show of a track.

import { fieldTitle, fieldValue } from './fields.js';
import { height, percent, rate, seconds, temperature } from './format.js';
import { whole } from './history.js';
import { t } from './i18n.js';
import { isOwn } from './own-fields.js';

export const turns = (value, sport) => whole(value, t(sport === 'ride' ? 'activity.rpm' : 'activity.steps'));

/** How many seconds A is ahead or behind, in words. */
function aheadText(value) {
  if (Math.abs(value) < 0.5) return t('compare.level');
  return t(value > 0 ? 'compare.ahead' : 'compare.behind', { time: seconds(Math.abs(value)) });
}

/** Each figure: [key of the title, text of a value, colour]. */
const FIGURES = {
  speed: ['field.pace', (value, sport) => rate(value > 0 ? 1 / value : NaN, sport), '--blue'],
  heart: ['field.heart_rate', (value) => whole(value, 'bpm'), '--red'],
  power: ['field.power', (value) => whole(value, 'W'), '--orange'],
  cadence: ['field.cadence', turns, '--purple'],
  altitude: ['field.altitude', (value) => height(value), '--elevation'],
  temperature: ['field.temperature', (value) => temperature(value), '--cyan'],
  grade: ['field.grade', (value) => percent(Math.abs(value) < 0.5 ? 0 : value, 0), '--brown'],
  ahead: ['compare.gap', aheadText, '--text'],
};

/** A value of another program's field with its unit. */
function ownText(key, value) {
  const { text, unit } = fieldValue(key, value);
  return unit ? `${text} ${unit}` : text;
}

export function figureTitle(key, sport) {
  if (isOwn(key)) return fieldTitle(key);
  return t(key === 'speed' && sport === 'ride' ? 'field.speed' : FIGURES[key][0]);
}

/** The value with its unit; null if it is unknown. */
export function figureText(key, value, sport) {
  if (!Number.isFinite(value)) return null;
  return isOwn(key) ? ownText(key, value) : FIGURES[key][1](value, sport);
}

export const figureColour = (key) => (isOwn(key) ? '--teal' : FIGURES[key][2]);

