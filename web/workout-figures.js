// What a step of a workout shows in motion: what is left, and where the value is in its target.

import { decimal, distance, elapsed } from './format.js';
import { isMetric } from './i18n.js';
import { kinds } from './targets.js';

/** Seconds before the end of a step that are counted down. */
const LAST = 5;
const ZONES = { zone: 5, power_zone: 7 };

/** The metres per second of one of a unit of speed. */
const SPEEDS = { 'km/h': 1 / 3.6, mph: 0.44704, 'm/s': 1 };
const METRES = { '/km': 1000, '/mi': 1609.344 };

/** What is left of a step: { text, isLast }; the last seconds are counted. Null for one that ends by a lap. */
export function leftOf({ remaining_ms: milliseconds, remaining_m: metres }, speed) {
  const seconds = milliseconds !== undefined ? milliseconds / 1000 : metres / speed;
  if (seconds > 0 && seconds <= LAST) return { text: String(Math.ceil(seconds)), isLast: true };
  // Rounded up, so that a step ends at 0.
  if (milliseconds !== undefined) return { text: clockText(Math.ceil(milliseconds / 1000)), isLast: false };
  if (metres === undefined) return null;
  return { text: isMetric() && metres < 999.5 ? `${Math.ceil(metres)} m` : distance(metres), isLast: false };
}

/** M:SS, or H:MM:SS. */
export function clockText(seconds) {
  return seconds < 60 ? `0:${String(seconds).padStart(2, '0')}` : elapsed(seconds * 1000);
}

/** The value that the target of a kind is compared with, as paced does; undefined while it is not known. */
function valueOf(kind, state) {
  const { heart = {}, blocks: { fields = {} } = {} } = state;
  if (kind === 'heart_rate' || kind === 'zone') {
    if (heart.link !== 'connected' || heart.stale) return undefined;
    return kind === 'zone' ? heart.zone : heart.bpm;
  }
  if (kind === 'pace') return state.pace_s_per_m > 0 ? 1 / state.pace_s_per_m : undefined;
  if (kind === 'speed') return state.speed_mps;
  return fields[kind === 'power' ? 'power_3s' : kind];
}

/** A limit in the unit of the value; a pace is its speed. */
function limitOf({ kind, unit }, text) {
  if (text === '') return undefined;
  if (kind === 'pace') {
    const [minutes, seconds] = text.split(':').map(Number);
    return METRES[unit] / (60 * minutes + seconds);
  }
  return Number(text) * (SPEEDS[unit] ?? 1);
}

/** A value in the words of the target. */
function valueText({ kind, unit }, value) {
  if (kind === 'pace') return `${paceIn(unit, value)} ${unit}`;
  if (kind === 'speed') return `${decimal(value / SPEEDS[unit], 1)} ${unit}`;
  return [decimal(value, 0), kinds[kind].unit].filter(Boolean).join(' ');
}

function paceIn(unit, speed) {
  const seconds = Math.floor(METRES[unit] / speed);
  return seconds < 6000 ? `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}` : '--:--';
}

/**
 * The gauge of a target: { low, high, at, value }. `low`, `high` and `at` are parts of its length, from slow to
 * fast; the first two are the ends of the range, the third is that of the value, null while there is none.
 */
export function gaugeOf(target, state) {
  const { kind } = target;
  // The first limit of a pace is the fast one.
  const [slow, fast] = kind === 'pace' ? [target.high, target.low] : [target.low, target.high];
  const [low, high] = [limitOf(target, slow), limitOf(target, fast)];
  const [from, to] = scaleOf(kind, low, high);
  const part = (value) => Math.min(Math.max((value - from) / (to - from), 0), 1);
  const half = ZONES[kind] ? 0.5 : 0;
  const value = valueOf(kind, state);
  return { low: low === undefined ? 0 : part(low - half), high: high === undefined ? 1 : part(high + half),
    at: value === undefined ? null : part(value), value: value === undefined ? '--' : valueText(target, value) };
}

/** The ends of a gauge: the range is its middle third; one limit alone is its middle. */
function scaleOf(kind, low, high) {
  if (ZONES[kind]) return [0.5, ZONES[kind] + 0.5];
  if (low === undefined) return [high * 0.75, high * 1.25];
  if (high === undefined) return [low * 0.75, low * 1.25];
  return [low - (high - low), high + (high - low)];
}
