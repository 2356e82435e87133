// Values as text. Rounding and shapes are those of Sources/Domain/RunFormat.swift.

import { isMetric, separator, t } from './i18n.js';

export const METRES_PER_MILE = 1609.344;
export const METRES_PER_FOOT = 0.3048;

const twoDigits = (value) => String(value).padStart(2, '0');

/**
 * Text with exactly so many decimals, rounded as printf rounds: from the exact binary value, ties to even. The point is
 * that of the locale. Null for no number and for too large ones.
 */
export function decimal(value, decimals) {
  const text = plainDecimal(value, decimals);
  return text === null ? null : text.replace('.', separator());
}

/** As decimal, with a point. */
export function plainDecimal(value, decimals) {
  if (typeof value !== 'number' || !(Math.abs(value * 10 ** decimals) < 2 ** 53)) return null;
  const magnitude = Math.abs(value);
  let text = magnitude.toFixed(decimals);
  // toFixed is exact, but rounds ties away from zero.
  if (/[13579]$/.test(text) && isTie(magnitude, decimals)) {
    text = (Number(text) - 10 ** -decimals).toFixed(decimals);
  }
  return (value < 0 || Object.is(value, -0) ? '-' : '') + text;
}

function isTie(magnitude, decimals) {
  if (magnitude * 10 ** decimals % 1 !== 0.5) return false;
  const figures = magnitude.toFixed(60);
  return /^50*$/.test(figures.slice(figures.indexOf('.') + 1 + decimals));
}

/** S.t under a minute, M:SS under an hour, then H:MM:SS; truncated. */
export function elapsed(milliseconds) {
  const seconds = Math.floor(milliseconds / 1000);
  if (seconds < 60) return `${seconds}${separator()}${Math.floor(milliseconds % 1000 / 100)}`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes}:${twoDigits(seconds % 60)}`;
  return `${Math.floor(minutes / 60)}:${twoDigits(minutes % 60)}:${twoDigits(seconds % 60)}`;
}

/** A duration with its unit, for text that does not name it a time. */
export function duration(milliseconds) {
  return elapsed(milliseconds) + (milliseconds < 60_000 ? ' s' : '');
}

/** Whole seconds, or minutes and seconds. */
export function seconds(value) {
  return value < 59.5 ? `${Math.round(value)} s` : duration(Math.round(value) * 1000);
}

/** A duration with its sign. */
export function difference(milliseconds) {
  return (milliseconds < 0 ? '-' : '+') + elapsed(Math.abs(milliseconds));
}

/** Kilometres or miles with two decimals. */
export function distanceFigures(metres) {
  return decimal(metres / (isMetric() ? 1000 : METRES_PER_MILE), 2) ?? '--';
}

export const distanceUnit = () => (isMetric() ? 'km' : 'mi');

export const distance = (metres) => `${distanceFigures(metres)} ${distanceUnit()}`;

/** A distance along a course: whole metres or tens of feet nearby, kilometres or miles with one decimal beyond. */
export function way(metres) {
  if (isMetric() && metres < 999.5) return height(metres);
  const feet = metres / METRES_PER_FOOT;
  if (!isMetric() && feet < 1000) return height(Math.round(feet / 10) * 10 * METRES_PER_FOOT);
  return `${decimal(metres / (isMetric() ? 1000 : METRES_PER_MILE), 1) ?? '--'} ${distanceUnit()}`;
}

/** M:SS for a kilometre or mile, truncated; --:-- without a pace. */
export function paceFigures(secondsPerMetre) {
  if (!Number.isFinite(secondsPerMetre) || secondsPerMetre <= 0) return '--:--';
  const whole = Math.floor(secondsPerMetre * (isMetric() ? 1000 : METRES_PER_MILE));
  return whole < 1e9 ? `${Math.floor(whole / 60)}:${twoDigits(whole % 60)}` : '--:--';
}

export const paceUnit = () => (isMetric() ? 'min/km' : 'min/mi');

export const pace = (secondsPerMetre) => `${paceFigures(secondsPerMetre)} ${paceUnit()}`;

/** Kilometres or miles an hour with one decimal. */
export function speedFigures(metresPerSecond) {
  if (!Number.isFinite(metresPerSecond)) return `--${separator()}-`;
  return decimal(metresPerSecond * 3600 / (isMetric() ? 1000 : METRES_PER_MILE), 1) ?? `--${separator()}-`;
}

export const speedUnit = () => (isMetric() ? 'km/h' : 'mph');

export const speed = (metresPerSecond) => `${speedFigures(metresPerSecond)} ${speedUnit()}`;

/** The pace of a sport on foot, the speed of a ride. */
export function rate(secondsPerMetre, sport) {
  return sport === 'ride' ? speed(secondsPerMetre > 0 ? 1 / secondsPerMetre : undefined) : pace(secondsPerMetre);
}

/** Whole metres or feet. */
export function heightFigures(metres) {
  if (!Number.isFinite(metres)) return '--';
  return decimal(isMetric() ? metres : metres / METRES_PER_FOOT, 0) ?? '--';
}

export const heightUnit = () => (isMetric() ? 'm' : 'ft');

export const height = (metres) => `${heightFigures(metres)} ${heightUnit()}`;

/** Whole degrees Celsius or Fahrenheit. */
export function temperature(celsius) {
  const degrees = plainDecimal(isMetric() ? celsius : celsius * 1.8 + 32, 0);
  return `${degrees === '-0' ? '0' : degrees ?? '--'} ${isMetric() ? '°C' : '°F'}`;
}

export const percent = (value, decimals = 1) => `${decimal(value, decimals) ?? '--'} %`;

/** One of eight directions, from 0 for north, clockwise. */
export function direction(degrees) {
  return Math.round((degrees % 360 + 360) % 360 / 45) % 8;
}

/** The name of one of eight directions, such as NE. */
export function compass(degrees) {
  return t('compass').split(' ')[direction(degrees)];
}

/** How old something is: 12 s, 5 min, 2 h. */
export function age(seconds) {
  if (seconds < 100) return `${Math.floor(seconds)} s`;
  return seconds < 5400 ? `${Math.round(seconds / 60)} min` : `${Math.round(seconds / 3600)} h`;
}
