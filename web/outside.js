// What the pages weather, places, routes and buses have in common: positions, ways, times, and choices.

import { element } from './dom.js';
import { compass, way } from './format.js';
import { clock, date, separator, t } from './i18n.js';

const EARTH_RADIUS = 6_371_009;
const radians = (degrees) => degrees * Math.PI / 180;

/** A position from text such as 52.5,13.4 or 52,5; 13,4. Null for any other text. */
export function parsePosition(text) {
  const number = '([+-]?\\d{1,3}(?:SEP\\d+)?)';
  const forms = [['\\.', '\\s*[,;\\s]\\s*'], [',', '\\s*(?:;|,\\s|\\s)\\s*']];
  for (const [point, between] of forms) {
    const figure = number.replace('SEP', point);
    const found = new RegExp(`^\\s*${figure}${between}${figure}\\s*$`).exec(text);
    if (!found) continue;
    const [latitude, longitude] = found.slice(1).map((figures) => Number(figures.replace(',', '.')));
    return Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180 ? { latitude, longitude } : null;
  }
  return null;
}

/** Degrees with five decimals, about a metre: as the interface and parsePosition take them. */
export const positionText = ({ latitude, longitude }) => `${latitude.toFixed(5)},${longitude.toFixed(5)}`;

/** Metres between two positions. */
export function metresBetween(a, b) {
  const [one, other] = [radians(a.latitude), radians(b.latitude)];
  const part = Math.sin((other - one) / 2) ** 2
    + Math.cos(one) * Math.cos(other) * Math.sin(radians(b.longitude - a.longitude) / 2) ** 2;
  return 2 * EARTH_RADIUS * Math.asin(Math.min(Math.sqrt(part), 1));
}

/** Degrees from north, from one position to another. */
export function bearingBetween(a, b) {
  const [one, other, east] = [radians(a.latitude), radians(b.latitude), radians(b.longitude - a.longitude)];
  return Math.atan2(Math.sin(east) * Math.cos(other),
    Math.cos(one) * Math.sin(other) - Math.sin(one) * Math.cos(other) * Math.cos(east)) * 180 / Math.PI;
}

/** A distance, without a decimal that is 0. */
export const far = (metres) => way(metres).replace(`${separator()}0 `, ' ');

/** A distance and a direction, such as 300 m NE. */
export function towards(metres, bearing) {
  return Number.isFinite(bearing) ? `${far(metres)} ${compass(bearing)}` : far(metres);
}

/** The position of a STATE for the map; null if it is unknown. */
export function positionOf(state) {
  if (!state.position) return null;
  const { latitude, longitude, track_deg: heading, speed_mps: speed, stale } = state.position;
  return { latitude, longitude, heading: speed > 0.5 ? heading : undefined, isStale: Boolean(stale) };
}

/** The time of day of paced, from its STATE lines. */
export class PacedClock {
  #offset = null;

  take({ time }) {
    this.#offset = time ? Date.parse(time) - performance.now() : null;
  }

  /** Milliseconds since 1970; null while paced does not know the time. */
  now() {
    return this.#offset === null ? null : this.#offset + performance.now();
  }
}

/** Whole minutes, or hours and minutes. */
export function minutes(milliseconds) {
  const whole = Math.max(Math.floor(milliseconds / 60_000), 0);
  if (whole < 60) return `${whole} min`;
  return `${Math.floor(whole / 60)} h${whole % 60 === 0 ? '' : ` ${whole % 60} min`}`;
}

/** The time of day, with its day unless that is the day of `now`. */
export function moment(time, now) {
  const day = (value) => new Date(value).setHours(0, 0, 0, 0);
  const days = Math.round((day(time) - day(now)) / 86_400_000);
  if (days === 0) return clock(time);
  return days === 1 ? t('outside.tomorrow', { time: clock(time) }) : `${date(time)} ${clock(time)}`;
}

/**
 * As session.stream, until the page closes. Settings come too, so that units follow them. A hidden page watches no
 * topic: paced-net asks other computers only for what somebody watches.
 */
export function follow(session, watch, onLine, options) {
  const members = () => ({ classes: ['STATE', 'EVENT', 'SETTINGS'], interval_ms: 1000, ...watch,
    ...(document.hidden ? { topics: [] } : {}) });
  const lines = session.stream(members(), onLine, options);
  if (watch.topics) document.addEventListener('visibilitychange', () => lines.rewatch(members()));
  addEventListener('pagehide', () => lines.close(), { once: true });
  // The browser may show the closed page again.
  addEventListener('pageshow', (event) => { if (event.persisted) location.reload(); }, { once: true });
  return lines;
}

/** Buttons of which one is chosen. `.choose(value)` changes the choice without a call. */
export function segments(label, options, chosen, onChange) {
  const buttons = options.map(([value, text]) => element('button', { type: 'button', dataset: { value },
    onclick: () => { choose(value); onChange(value); } }, text));
  const choose = (value) => buttons.forEach((button) =>
    button.setAttribute('aria-pressed', String(button.dataset.value === value)));
  choose(chosen);
  return Object.assign(element('div', { class: 'segments', role: 'group', 'aria-label': label }, buttons), { choose });
}

/** A button that is on or off. */
export function toggle(properties, isOn, onChange, ...children) {
  const button = element('button', { type: 'button', 'aria-pressed': String(isOn), ...properties,
    onclick: () => {
      const isPressed = button.getAttribute('aria-pressed') !== 'true';
      button.setAttribute('aria-pressed', String(isPressed));
      onChange(isPressed);
    } }, ...children);
  return button;
}

/** A link to another site that tells it nothing; null unless it is a web address. */
export function outerLink(address, text) {
  let url;
  try {
    url = new URL(address);
  } catch {
    return null;
  }
  if (!['http:', 'https:'].includes(url.protocol)) return null;
  return element('a', { href: url.href, target: '_blank', rel: 'noopener noreferrer' }, text ?? address);
}

/** The text with a capital letter at its start. */
export const capital = (text) => text.charAt(0).toLocaleUpperCase() + text.slice(1);

/** Runs one request after the other: a newer one ends the one before, whose result is undefined. */
export class Latest {
  #abort = null;

  async run(work) {
    this.#abort?.abort();
    const abort = this.#abort = new AbortController();
    try {
      const result = await work(abort.signal);
      return abort.signal.aborted ? undefined : result;
    } catch (error) {
      if (abort.signal.aborted || error.name === 'AbortError') return undefined;
      throw error;
    }
  }

  cancel() {
    this.#abort?.abort();
  }
}
