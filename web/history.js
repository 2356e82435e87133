// What the pages of activities, badges and courses share.

import { ApiError, getFile, getJSON, token } from './api.js';
import { download, element, setText, show } from './dom.js';
import { distance, duration, pace, speed } from './format.js';
import { clock, date, number, t } from './i18n.js';
import { sports } from './tables.js';

/** Pairs of value and text for select(). */
export const sportOptions = () => sports.map((sport) => [sport, t(`sport.${sport}`)]);

/** The sports that earn badges. */
export const onFoot = ['run', 'walk', 'hike'];

export const activityAddress = (id) => `/activity.html#${id}`;

/** A link to a course behind a sentence about it. */
export const courseLink = (id) => element('a', { href: `/courses.html#${id}` }, t('courses.open'));

export const activityTitle = ({ name, sport }) => name ?? t(`sport.${sport}`);

const DAY = { weekday: 'short', day: 'numeric', month: 'short', year: 'numeric' };

/** Day and time of day of the start. */
export function startText({ started }) {
  return started ? `${date(started, DAY)}, ${clock(started)}` : t('activities.undated');
}

/** What is special about an activity, in words. */
export function marksOf({ demo, open, recovered, time_guessed: guessed }) {
  return [
    open && t('activities.open'), demo && t('activities.demo'), guessed && t('activities.guessed'),
    recovered && recoveredText(recovered),
  ].filter(Boolean);
}

function recoveredText({ id, lost_rows: lost }) {
  return [t('activities.recovered'), id && t('activities.recovered_id', { id }),
    lost && t('activities.recovered_lost', { count: lost })].filter(Boolean).join(', ');
}

export const markList = (marks) => marks.map((text) => element('span', { class: 'mark' }, text));

/** Figures and their unit, the unit smaller. */
export const withUnit = (text) => {
  const [, figures, unit] = /^(\S+)\s(.+)$/.exec(text) ?? [null, text, null];
  return [figures, unit ? element('small', {}, ` ${unit}`) : null];
};

/** A list of values from pairs of title and text; those without a text are left out. */
export function valueList(pairs) {
  return element('dl', { class: 'values' }, pairs.filter(([, text]) => text).map(([title, text]) =>
    element('div', {}, element('dt', {}, title), element('dd', {}, withUnit(text)))));
}

/** Figures of whole numbers, with a unit; nothing if unknown. */
export const whole = (value, unit) => (Number.isFinite(value) ? `${number(value)} ${unit}` : null);

/** The average of a sport: pace, or speed of a ride. */
export function averageOf({ average_pace_s_per_m: seconds }, sport) {
  if (!(seconds > 0)) return null;
  return sport === 'ride' ? speed(1 / seconds) : pace(seconds);
}

/** A best effort: its name, and its value with the unit. */
export const bestName = ({ best }) => t(`best.${best}`);

export function bestValue(best) {
  if (best.power_w !== undefined) return whole(best.power_w, 'W');
  if (best.elapsed_ms !== undefined) return duration(Math.round(best.elapsed_ms));
  return best.ascent_m !== undefined ? null : distance(best.distance_m);
}

/** A card with a title. */
export const card = (title, ...children) => element('section', { class: 'card' }, element('h2', {}, title), ...children);

/** A table in a frame that scrolls. `columns`: [title, isNumber]; a row is a list of cells. */
export function table(label, columns, rows) {
  return element('div', { class: 'scroll', role: 'region', 'aria-label': label, tabIndex: 0 }, element('table', {},
    element('thead', {}, element('tr', {}, columns.map(([title, isNumber]) =>
      element('th', { scope: 'col', class: isNumber ? 'number' : '' }, title)))),
    element('tbody', {}, rows.map((cells) => element('tr', {}, cells.map((cell, index) =>
      element('td', { class: columns[index][1] ? 'number' : '' }, cell)))))));
}

/** A bar of a share from 0 to 1. */
export function bar(share, colour) {
  const made = element('span', { class: 'share', 'aria-hidden': 'true' });
  made.style.width = `${share * 100}%`;
  made.style.background = `var(${colour})`;
  return made;
}

/** Shows the first items, and more by a button. `make` turns an item into an element of the list. */
export function paged(list, items, make, size = 50) {
  const more = element('button', { type: 'button', onclick: () => add(true) }, t('history.more'));
  let shown = 0;
  function add(focuses) {
    const made = items.slice(shown, shown + size).map(make);
    list.append(...made);
    shown += made.length;
    show(more, shown < items.length);
    if (focuses) made[0]?.querySelector('a, button')?.focus();
  }
  add(false);
  return more;
}

/** The items by a key, in the order of their first ones. */
export function groupBy(items, keyOf) {
  const groups = new Map();
  for (const item of items) groups.set(keyOf(item), [...groups.get(keyOf(item)) ?? [], item]);
  return groups;
}

// Dialogs

/** A dialog with controls. Resolves to true once it is sent, to false if it is closed. */
export function form(title, controls, submitLabel) {
  return new Promise((resolve) => {
    let isSent = false;
    const dialog = element('dialog', { 'aria-labelledby': 'form-title' }, element('form', { onsubmit: (event) => {
      event.preventDefault();
      isSent = true;
      dialog.close();
    } }, element('h2', { id: 'form-title' }, title), ...controls, element('div', { class: 'buttons' },
      element('button', { class: 'main', type: 'submit' }, submitLabel),
      element('button', { type: 'button', onclick: () => dialog.close() }, t('history.cancel')))));
    dialog.addEventListener('close', () => {
      dialog.remove();
      resolve(isSent);
    });
    document.body.append(dialog);
    dialog.showModal();
  });
}

const HIDDEN_METRES = 200;

/** Asks how many metres around start and end to hide; null if the user cancels. */
export async function askHide(title) {
  const input = element('input', { id: 'hide', type: 'number', min: 0, max: 5000, step: 1, required: true,
    inputMode: 'numeric', value: HIDDEN_METRES, 'aria-describedby': 'hide-help' });
  const anonymous = element('input', { type: 'checkbox', 'aria-describedby': 'anonymous-help' });
  const isSent = await form(title, [element('label', { for: 'hide' }, t('history.hide')), input,
    element('p', { id: 'hide-help', class: 'soft' }, t('history.hide_help')),
    element('label', { class: 'check' }, anonymous, t('history.anonymous')),
    element('p', { id: 'anonymous-help', class: 'soft' }, t('history.anonymous_help'))], t('history.download'));
  return isSent ? { hide: input.valueAsNumber, anonymous: anonymous.checked ? 1 : undefined } : null;
}

/** Downloads a file of the interface, with a line about it. */
export async function downloadFrom(session, path, query, name) {
  session.notice(t('history.preparing'));
  const file = await session.attempt(() => getFile(path, query));
  if (!file) return;
  download(file.blob, name ?? file.name);
  session.notice(t('history.downloaded', { name: name ?? file.name }));
}

// Uploads

const LARGEST = 64 * 1024 * 1024;

/** Sends a file; fetch cannot report the progress. Resolves to the message of pacectl. */
function send(path, query, file, onProgress, signal) {
  return new Promise((resolve, reject) => {
    const sender = new XMLHttpRequest();
    sender.open('POST', `${path}?${new URLSearchParams(query)}`);
    sender.setRequestHeader('Authorization', `Bearer ${token.get()}`);
    sender.setRequestHeader('Content-Type', 'application/octet-stream');
    sender.responseType = 'json';
    sender.upload.addEventListener('progress', ({ loaded, total }) => onProgress(loaded / Math.max(total, 1)));
    sender.addEventListener('load', () => {
      const { error, message } = sender.response ?? {};
      if (sender.status < 400 && message !== undefined) resolve(message);
      else reject(new ApiError(error?.code ?? 'failed', error?.message ?? '', { status: sender.status, data: error }));
    });
    sender.addEventListener('error', () => reject(new ApiError('offline', '')));
    sender.addEventListener('abort', () => reject(new DOMException('cancelled', 'AbortError')));
    signal.addEventListener('abort', () => sender.abort());
    sender.send(file);
  });
}

/** A form that uploads files one after the other, with progress and results. */
export class Uploader {
  /**
   * `path`: of the interface. `controls`: further controls of the form; `query()` reads them. `onDone()` is called
   * after each file that was accepted. `resultOf(message, name)` resolves to the elements of a result.
   */
  constructor({ path, title, help, controls, query, onDone, resultOf, describe }) {
    Object.assign(this, { path, query, onDone, resultOf, describe });
    this.files = element('input', { id: 'upload-files', type: 'file', multiple: true,
      accept: '.fit,.gpx,.tcx,.kml,.geojson,.json,.gz', 'aria-describedby': 'upload-help' });
    this.button = element('button', { class: 'main', type: 'submit' }, t('history.upload'));
    this.cancel = element('button', { type: 'button', hidden: true, onclick: () => this.abort.abort() },
      t('history.cancel'));
    this.progress = element('progress', { max: 1, value: 0, hidden: true, 'aria-label': t('history.progress') });
    this.state = element('p', { role: 'status', hidden: true });
    this.results = element('ul', { class: 'results', 'aria-live': 'polite' });
    this.form = element('form', { onsubmit: (event) => {
      event.preventDefault();
      // Not "required": the field is empty after an import, and would be marked as wrong.
      if (this.files.files.length === 0) this.files.click();
      else this.run();
    } }, element('label', { for: 'upload-files' }, t('history.files')), this.files,
    element('p', { id: 'upload-help', class: 'soft' }, help), ...controls,
    element('div', { class: 'buttons' }, this.button, this.cancel), this.progress, this.state, this.results);
    this.node = element('details', { class: 'card upload' }, element('summary', {}, title), this.form);
  }

  async run() {
    this.abort = new AbortController();
    this.setBusy(true);
    this.results.replaceChildren();
    for (const file of [...this.files.files]) {
      if (this.abort.signal.aborted) break;
      await this.upload(file);
    }
    this.files.value = '';
    this.setBusy(false);
  }

  async upload(file) {
    try {
      if (file.size > LARGEST) throw new ApiError('too-large', t('history.too_large'));
      setText(this.state, t('history.sending', { name: file.name }));
      const message = await send(this.path, { file: file.name, ...this.query() }, file, (share) => {
        this.progress.value = share;
        if (share >= 1) setText(this.state, t('history.reading', { name: file.name }));
      }, this.abort.signal);
      const result = await this.resultOf(message, file.name).catch(() => [element('p', {}, message)]);
      this.results.append(element('li', {}, ...result));
      this.onDone();
    } catch (error) {
      await this.fail(file, error);
    }
  }

  async fail(file, error) {
    const text = error.name === 'AbortError' ? t('history.cancelled') : this.describe(error);
    const named = text.includes(file.name) ? text : `${file.name}: ${text}`;
    this.results.append(element('li', { class: 'problem' }, named));
    // A request of the page leads to the sign-in.
    if (error.code === 'unauthorized') await getJSON('/api/token').catch(() => {});
  }

  setBusy(isBusy) {
    this.button.disabled = isBusy;
    this.progress.value = 0;
    for (const node of [this.cancel, this.progress, this.state]) show(node, isBusy);
    setText(this.state, '');
  }
}

// Positions

const EARTH = 6_371_008.8;

/** The lines of a file of GeoJSON with their lengths: [[latitude, longitude, altitude or undefined, metres], …]. */
export function linesOf(geojson) {
  const features = geojson.features ?? [geojson];
  const coordinates = features.flatMap(({ geometry }) => {
    if (geometry?.type === 'LineString') return [geometry.coordinates];
    return geometry?.type === 'MultiLineString' ? geometry.coordinates : [];
  });
  let metres = 0;
  return coordinates.map((line) => line.map(([longitude, latitude, altitude], index) => {
    if (index > 0) metres += between(line[index - 1], line[index]);
    return [latitude, longitude, altitude, metres];
  }));
}

function between([eastA, northA], [eastB, northB]) {
  const radians = Math.PI / 180;
  const [a, b] = [northA * radians, northB * radians];
  const half = Math.sin((b - a) / 2) ** 2 + Math.cos(a) * Math.cos(b) * Math.sin((eastB - eastA) * radians / 2) ** 2;
  return 2 * EARTH * Math.asin(Math.sqrt(Math.min(half, 1)));
}

/** The points of a map, with breaks between lines. */
export const mapPoints = (lines) => lines.flatMap((line) => [...line, null]);

/** A profile's distances and altitudes, with a break between lines. At most some 1000 points. */
export function profileOf(lines, length) {
  const points = lines.flat();
  const scale = length && points.at(-1)?.[3] > 0 ? length / points.at(-1)[3] : 1;
  const step = Math.max(Math.floor(points.length / 1000), 1);
  const kept = points.filter((_, index) => index % step === 0 || index === points.length - 1);
  return { distances: kept.map((point) => point[3] * scale), altitudes: kept.map((point) => point[2]) };
}
