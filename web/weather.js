// The weather of the nearest station, here or at another place.

import { rpc } from './api.js';
import { element, setText, show } from './dom.js';
import { compass, percent, temperature, height } from './format.js';
import { AHEAD, hoursOf, perhapsOf } from './hours.js';
import { clock, errorText, t } from './i18n.js';
import { internetText, reasonText } from './internet.js';
import {
  capital, far, follow, Latest, minutes, moment, PacedClock, parsePosition, positionOf, positionText, towards,
} from './outside.js';
import { start } from './page.js';
import { isNightAt } from './sun.js';
import { drawingOf, isWindy, sunIcon, thermometer, weatherIcon, windArrow } from './weather-icons.js';
import {
  ageOf, ageText, cloudLayers, isOld, manner, outlook, overlayText, pressure, sky, visibility, warnings, weatherWords,
  wetManner, windSpeed, windWords,
} from './weather-text.js';

const PERIODS = 12;
/** The figures in their order, with the members that each has. */
const FIGURES = {
  weather: ['weather'], temperature: ['temperature_c', 'temperature_here_c'], wind: ['wind_speed_mps', 'wind_from_deg'],
  dew_point: ['humidity_percent', 'dew_point_c'], visibility: ['visibility_m'], pressure: ['pressure_hpa'],
  clouds: ['clouds'],
};

const session = await start({ needs: 'history', name: 'weather' });
const time = new PacedClock();
const requests = new Latest();
let topic = null;
let sun = null;
let rider = null;
let here = null;
/** The answer for another place: { title, position, weather, reports }; the position of a station is not known. */
let asked = null;

// The parts of the page

const problem = element('p', { class: 'problem', role: 'alert', hidden: true });
const waiting = element('p', { role: 'status' }, t('weather.waiting'));
const content = element('div', { class: 'stack' });
const title = element('h1', { tabIndex: -1 }, t('nav.weather'));
const reload = element('button', { type: 'button', hidden: session.whyNoCommand() !== null, onclick: reloadNow },
  t('weather.reload'));
session.main.append(element('div', { class: 'head-row' }, title, reload),
  element('div', { class: 'stack' }, problem, waiting, content, placeForm()));

function placeForm() {
  const why = session.whyNoCommand();
  if (why) return element('p', { class: 'soft' }, t('weather.place_rights'), ' ', why);
  const input = element('input', { id: 'place', autocomplete: 'off', autocapitalize: 'characters', spellcheck: false,
    required: true, placeholder: '52.5,13.4', 'aria-describedby': 'place-help' });
  const send = element('button', { class: 'main', type: 'submit' }, t('weather.show'));
  const back = element('button', { type: 'button', hidden: true, onclick: () => {
    requests.cancel();
    asked = null;
    edition += 1;
    show(problem, false);
    input.value = '';
    render();
    input.focus();
  } }, t('weather.here'));
  const form = element('form', { class: 'card', onsubmit: (event) => {
    event.preventDefault();
    ask(input.value, send);
  } }, element('h2', {}, t('weather.other')), element('label', { for: 'place' }, t('weather.place')),
  element('div', { class: 'line-of-controls' }, input, send, back),
  element('p', { class: 'soft', id: 'place-help' }, t('weather.place_help')));
  form.back = back;
  form.id = 'place-form';
  return form;
}

async function ask(text, button) {
  const position = parsePosition(text);
  const station = text.trim().toUpperCase();
  if (!position && !/^[A-Z][A-Z0-9]{3}$/.test(station)) {
    report(t('weather.no_place'));
    return;
  }
  const params = position ? { lat: position.latitude, lon: position.longitude } : { station };
  await request(params, button, (result) => {
    asked = { ...result, params, position, title: position ? positionText(position) : station };
    title.focus();
  });
}

/** Asks for the newest reports of what is shown. */
function reloadNow() {
  const last = asked;
  return request(last?.params ?? {}, reload, (result) => {
    if (last) asked = { ...last, ...result };
    else topic = { ...topic, data: result.weather, stale: false, age_ms: 0, at: performance.now() };
    session.notice(t('weather.reloaded'));
  });
}

/** Shows the answer of paced-net; `take` keeps it. The button that asks waits meanwhile. */
async function request(params, button, take) {
  const text = button.textContent;
  button.disabled = true;
  setText(button, t('weather.asking'));
  try {
    const result = await requests.run((signal) => rpc('weather.at', params, signal));
    if (result) {
      take(result);
      edition += 1;
      show(problem, false);
      render();
    }
  } catch (error) {
    report(error.code === 'unreachable' ? t('outside.no_net') : internetText(error.message) ?? errorText(error));
  } finally {
    button.disabled = false;
    setText(button, text);
  }
}

function report(text) {
  setText(problem, text);
  show(problem, true);
}

// What is shown

/** Counts the changes of data and settings. */
let edition = 0;
let shown = '';

/** Shows the present data. What is the same stays: a reader may be in it. */
function render() {
  const data = asked?.weather ?? topic?.data;
  const now = asked && time.now() === null ? Date.now() : time.now();
  const published = asked ? null : topic && topic.age_ms + performance.now() - topic.at;
  const isStale = Boolean(!asked && topic?.stale);
  const wind = asked ? null : riderText();
  const key = [edition, asked === null, Math.floor(now / 60_000), isStale, wind, sun?.rise, sun?.set].join();
  if (key === shown) return;
  shown = key;
  setText(title, asked ? t('weather.at_place', { place: asked.title }) : t('nav.weather'));
  const form = document.getElementById('place-form');
  if (form) show(form.back, asked !== null);
  show(waiting, !data);
  const { part } = document.activeElement?.closest('[data-part]')?.dataset ?? {};
  content.replaceChildren(...data ? view(data, { now, published, isStale, wind }) : []);
  // The focus stays at the row that it was in.
  if (part) content.querySelector(`[data-part="${part}"] > summary`)?.focus();
}

function view(data, context) {
  const reason = data.reason
    ? element('p', { class: 'notice-line' }, reasonText(data.reason) ?? capital(data.reason)) : null;
  if (data.station === undefined) {
    return [element('section', { class: 'card' }, element('h2', {}, t('weather.none')), reason)];
  }
  const alarms = warnings(data, context.now, context.isStale);
  const others = data.other_stations ?? [];
  const elsewhere = new Set(others.flatMap((other) => other.figures));
  const first = Object.keys(FIGURES).filter((name) => !elsewhere.has(name));
  return [
    alarms.length === 0 ? null : warningCard(alarms), reason, stationCard(data, data, first, context),
    ...others.map((other) => stationCard(other, data, other.figures, context)),
    missing(data), forecast(data, context), asked ? reports(asked.reports) : null,
  ].filter(Boolean);
}

const warningCard = (alarms) => element('section', { class: 'card warnings' }, element('h2', {}, t('weather.warnings')),
  element('ul', {}, alarms.map((line) => element('li', {}, line))));

function missing(data) {
  const absent = Object.entries(FIGURES).filter(([, members]) => members.every((member) => data[member] === undefined));
  if (absent.length === 0) return null;
  const list = absent.map(([name]) => t(`weather.figure.${name}`)).join(', ');
  return element('p', { class: 'soft' }, t('weather.missing', { list }));
}

const isNight = (time) => isNightAt(asked ? asked.position : here, time);

// A station

function stationCard(station, data, names, context) {
  const isStale = context.isStale || isOld(station.observed_at, context.now);
  const where = [
    station.distance_m > 0 ? towards(station.distance_m, station.bearing_deg) : t('weather.at_here'),
    station.elevation_m === undefined ? null : t('weather.elevation', { height: height(station.elevation_m) }),
    ageText(station.observed_at, context.now, context.published), isStale ? t('weather.stale') : null,
  ].filter(Boolean).join(' · ');
  const has = (name) => names.includes(name);
  return element('section', { class: `card station${isStale ? ' is-stale' : ''}` },
    element('h2', {}, [station.station, station.site].filter(Boolean).join(' ')),
    element('p', { class: 'soft' }, where), headline(data, has, context.now),
    element('dl', { class: 'values' }, [
      has('wind') ? windValue(data) : null,
      has('wind') && context.wind ? pair(t('weather.on_you'), 'long', context.wind) : null,
      has('dew_point') ? value('humidity', data.humidity_percent, (v) => `${Math.round(v)} %`) : null,
      has('dew_point') ? value('dew_point', data.dew_point_c, temperature) : null,
      has('visibility') ? value('visibility', visibility(data) ?? undefined, String) : null,
      has('pressure') ? value('pressure', data.pressure_hpa, pressure) : null,
      has('clouds') ? value('clouds', cloudLayers(data) ?? undefined, String, 'long') : null,
    ].flat()));
}

function headline(data, has, now) {
  const degrees = has('temperature') ? data.temperature_c ?? data.temperature_here_c : undefined;
  const feels = has('temperature') ? data.feels_like_c : undefined;
  const words = [has('weather') ? weatherWords(data) : '', has('clouds') ? sky(data) : null].filter(Boolean).join(', ');
  const here = degrees !== undefined && data.temperature_here_c !== undefined
    && temperature(data.temperature_here_c) !== temperature(degrees) ? temperature(data.temperature_here_c) : null;
  const drawing = has('weather') || has('clouds') ? drawingOf(data, isNight(now)) : null;
  if (degrees === undefined && !words) return null;
  return element('div', { class: 'headline' }, drawing ? weatherIcon(drawing) : null,
    degrees === undefined ? null : element('p', { class: 'degrees figures' }, thermometer(degrees),
      temperature(degrees)),
    element('div', {},
      words ? element('p', { class: 'sky' }, capital(words)) : null,
      feels === undefined ? null : element('p', {}, t('weather.feels', { temperature: temperature(feels) })),
      here ? element('p', {}, t('weather.here_altitude', { temperature: here })) : null));
}

function value(name, known, format, kind = '') {
  return known === undefined ? null : pair(t(`weather.figure.${name}`), kind, format(known));
}

function pair(name, kind, ...content) {
  return element('div', { class: kind }, element('dt', {}, name), element('dd', {}, ...content));
}

function windValue(data) {
  const { wind_speed_mps: speed, wind_from_deg: from, wind_gust_mps: gust, wind_variable: isVariable } = data;
  if (speed === undefined && from === undefined) return null;
  const name = t('weather.figure.wind');
  if (speed === 0 && gust === undefined) return pair(name, '', capital(t('weather.calm')));
  const hasDirection = !isVariable && from !== undefined;
  const more = [
    isVariable ? t('weather.variable') : null, hasDirection ? t('weather.wind_from', { from: compass(from) }) : null,
    range(data.wind_range_deg), gust === undefined ? null : t('weather.gusts_of', { speed: windSpeed(gust) }),
  ].filter(Boolean).join(', ');
  const title = isWindy(data) ? element('span', {}, name, ' ', weatherIcon('wind')) : name;
  return pair(title, '', hasDirection ? windArrow(from) : null,
    speed === undefined ? '' : windSpeed(speed), element('span', { class: 'more' }, capital(more)));
}

function range([one, other] = []) {
  return other === undefined ? null : t('weather.between', { one: compass(one), other: compass(other) });
}

/** The wind on the rider, whose direction of movement is known. */
function riderText() {
  if (rider?.headwind_mps === undefined) return null;
  const { headwind_mps: head, crosswind_mps: cross = 0 } = rider;
  const texts = [];
  const add = (value, positive, negative) => {
    if (Math.abs(value) >= 0.5) texts.push(t(value > 0 ? positive : negative, { speed: windSpeed(Math.abs(value)) }));
  };
  add(head, 'weather.headwind', 'weather.tailwind');
  add(cross, 'weather.cross_right', 'weather.cross_left');
  return texts.length === 0 ? null : capital(texts.join(', '));
}

// The forecast

function forecast(data, { now }) {
  if (!data.forecast || now === null) return null;
  const { station, distance_m: metres, issued_at: issued, periods } = data.forecast;
  const ahead = periods.filter((period) => Date.parse(period.to) > now);
  const age = ageOf(issued, now);
  return element('section', { class: 'card' }, element('h2', {}, t('weather.forecast')),
    element('p', { class: 'soft' }, [station, metres > 0 ? far(metres) : t('weather.at_here'),
      age === null ? null : t('weather.made', { age: minutes(age) })].filter(Boolean).join(' · ')),
    changes(data, now), ahead.length === 0 ? element('p', {}, t('weather.forecast_over')) : [
      element('h3', {}, t('weather.next_hours', { count: AHEAD })),
      element('ol', { class: 'hours' }, hoursOf(ahead, now, asked ? null : sun).map(hourRow)),
      element('details', lasting('all'), element('summary', {}, t('weather.whole')), element('ol',
        { class: 'periods' }, ahead.slice(0, PERIODS).map((period) => periodItem(period, now))))]);
}

function changes(data, now) {
  const { rain_from: rain, wind_shift_at: shift } = data;
  const lines = [];
  if (rain) {
    const at = Date.parse(rain);
    const text = at > now ? t('weather.rain_from', { time: moment(rain, now) }) : t('weather.rain_now');
    // What falls at times only is not in the rows below, which have what prevails.
    const how = wetManner(data.forecast.periods, Math.max(at, now));
    lines.push(how ? `${text}: ${how}` : text);
  }
  if (shift && Date.parse(shift) > now) {
    const after = data.forecast.periods.find(({ from, to }) => from <= shift && shift < to);
    const text = t('weather.shift', { time: moment(shift, now) });
    lines.push([text, after ? windWords(after) : ''].filter(Boolean).join(': '));
  }
  return lines.length === 0 ? null : element('ul', { class: 'plain' }, lines.map((line) => element('li', {}, line)));
}

/** The parts of the forecast that somebody has opened: times of hours, and 'all'. */
const opened = new Set();

/** Properties of a part that stays open, and keeps the focus, when it is drawn anew. */
const lasting = (name) => ({ open: opened.has(name), dataset: { part: name },
  ontoggle: (event) => { opened[event.target.open ? 'add' : 'delete'](name); } });

function hourRow(row) {
  const when = element('span', { class: 'when figures' }, clock(row.time));
  if (row.sun) {
    return element('li', { class: 'sun' }, when, sunIcon(row.sun), element('span', {}, t(`weather.sun.${row.sun}`)));
  }
  const { conditions } = row;
  const drawing = drawingOf(conditions, isNight(row.time));
  return element('li', {}, element('details', lasting(row.time), element('summary', {}, when,
    drawing ? weatherIcon(drawing) : element('span', { class: 'weather-icon' }),
    element('span', { class: 'what' }, capital(outlook(conditions)) || t('weather.not_stated')),
    chance(row), isWindy(conditions) ? weatherIcon('wind') : null), hourDetails(row)));
}

/** The probability of other conditions, with their drawing. */
function chance(row) {
  const perhaps = perhapsOf(row);
  if (!perhaps) return null;
  const drawing = drawingOf(perhaps, isNight(row.time));
  return element('span', { class: 'chance figures' }, percent(perhaps.probability_percent, 0),
    drawing ? weatherIcon(drawing) : null);
}

function hourDetails({ conditions, overlays }) {
  const texts = overlays.map((overlay) => [overlay, overlayText(overlay, conditions)]).filter(([, text]) => text)
    .map(([overlay, text]) => `${capital(manner(overlay))}: ${text}`);
  return element('dl', { class: 'facts' }, [
    [t('weather.figure.wind'), windFact(conditions)], [t('weather.figure.weather'), capital(weatherWords(conditions))],
    [t('weather.figure.visibility'), visibility(conditions)],
    [t('weather.figure.clouds'), cloudLayers(conditions) ?? capital(sky(conditions) ?? '')],
    [t('weather.perhaps_title'), [...new Set(texts)].map((text) => element('div', {}, text))],
  ].filter(([, fact]) => fact?.length).flatMap(([name, fact]) =>
    [element('dt', {}, name), element('dd', {}, ...[fact].flat())]));
}

function windFact(conditions) {
  const { wind_variable: isVariable, wind_from_deg: from, wind_speed_mps: speed } = conditions;
  const words = capital(windWords(conditions));
  return words && !isVariable && from !== undefined && speed > 0 ? [windArrow(from), words] : words;
}

function periodItem(period, now) {
  const { from, to } = period;
  const begins = Date.parse(from) <= now ? capital(t('weather.now')) : moment(from, now);
  const overlays = (period.overlays ?? []).filter((overlay) => Date.parse(overlay.to) > now)
    .map((overlay) => [overlay, overlayText(overlay, period)]).filter(([, text]) => text);
  return element('li', {},
    element('span', { class: 'when figures' }, t('weather.span', { from: begins, to: clock(to) })),
    element('span', { class: 'what' }, capital(outlook(period)) || t('weather.not_stated')),
    element('span', { class: 'wind' }, windWords(period)),
    ...overlays.map(([overlay, text]) => {
      const when = t('weather.span', { from: clock(overlay.from), to: clock(overlay.to) });
      return element('span', { class: 'overlay' }, `${capital(manner(overlay))}, ${when}: ${text}`);
    }));
}

function reports(list) {
  const texts = (list ?? []).flatMap(({ metar, taf }) => [metar, taf]).filter(Boolean);
  if (texts.length === 0) return null;
  return element('details', { class: 'card' }, element('summary', {}, t('weather.reports')),
    element('pre', { tabIndex: 0, 'aria-label': t('weather.reports') }, texts.join('\n\n')));
}

// Lines of paced

follow(session, { blocks: ['sun', 'wind'], topics: ['weather'] }, (line) => {
  if (line.class === 'DATA' && line.topic === 'weather') topic = line.data ? { ...line, at: performance.now() } : null;
  if (line.class === 'VERSION') topic = null;
  if (line.class === 'STATE') {
    time.take(line);
    sun = line.blocks?.sun ?? null;
    rider = line.blocks?.wind ?? null;
    here = positionOf(line);
  }
  if (['DATA', 'VERSION', 'SETTINGS'].includes(line.class)) edition += 1;
  if (line.class !== 'EVENT') render();
});
