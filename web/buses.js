// The buses of an agency: lines on the map, vehicles, departures, and the way home.

import { getJSON, getLines } from './api.js';
import { departureList, fullTitle, lineMark, noDeparture, scheduleText, statusText, title } from './bus-times.js';
import { busFacts, busText, punctuality } from './bus-vehicle.js';
import { element, setText, show } from './dom.js';
import { age } from './format.js';
import { GroupEditor, loadLists } from './group-editor.js';
import { errorText, t } from './i18n.js';
import { reasonText } from './internet.js';
import { LineChips } from './line-chips.js';
import { closestStop, LineStops } from './line-stops.js';
import { lineStyle, vehicleColour } from './line-style.js';
import { RouteMap } from './map.js';
import {
  bearingBetween, far, follow, Latest, parsePosition, PacedClock, positionOf, positionText, toggle, towards,
} from './outside.js';
import { start } from './page.js';
import { ApproachWatch, linesWithoutBus, mapTitle } from './shown-lines.js';
import { keep, kept } from './store.js';
import { wayHomeCard } from './way-home.js';

const CHOICE = 'paced.buses.lines';
const FEW = 5;
const STOPS = 20;
const NEAR = 1000;
const DEPARTURES = 12;
const VEHICLES = 24;
/** Milliseconds between two requests for departures: live ones, and those of the timetable. */
const REFRESH = { live: 10_000, timetable: 30_000 };

const session = await start({ needs: 'history', name: 'buses' });
const time = new PacedClock();
const stopRequests = new Latest();
const departureRequests = new Latest();
const stopsOfLines = new LineStops();
const approach = new ApproachWatch();
let lines = [];
/** The groups, with the lines that are known. */
let groups = [];
/** The IDs of the lines that are shown. */
let chosen = new Set();
/** The ways by the ID of their line; null until they are loaded. */
let ways = null;
let here = null;
let topic = null;
/** The stops of the list. */
let stops = [];
/** The stops of the lines that are shown, and the closest of them. */
let lineStops = [];
let closest = null;
/** The stop whose departures are shown. */
let stop = null;
/** The bus in the panel, as it was reported last. */
let bus = null;

const present = () => time.now() ?? Date.now();

// The parts of the page

const problem = element('p', { class: 'problem', role: 'alert', hidden: true });
const live = element('p', { role: 'status', class: 'live-state' }, t('buses.waiting'));
const alerts = element('section', { class: 'card warnings', hidden: true });
const groupChips = element('div', { class: 'chips', role: 'group', 'aria-label': t('buses.groups') });
const lineChips = new LineChips((id, isOn) =>
  choose(isOn ? [...chosen, id] : [...chosen].filter((one) => one !== id)));
const closestButton = element('button', { type: 'button', class: 'closest', hidden: true,
  onclick: () => openStop(closest.stop) });
const linesCard = element('section', { class: 'card stack' }, element('h2', {}, t('buses.lines')), groupChips,
  lineChips.nodes, closestButton);
const groupEditor = new GroupEditor(session.whyNoCommand(), (lists) => {
  takeLists(lists);
  drawChips();
  drawMap();
});
const vehicles = element('section', { class: 'card' });
const departures = element('section', { class: 'card', tabIndex: -1, hidden: true });
const own = element('section', { class: 'card', hidden: true });
const busCard = element('section', { class: 'card', tabIndex: -1, hidden: true, 'aria-labelledby': 'bus-name' },
  element('h2', { id: 'bus-name' }), element('dl', { class: 'facts' }), element('p', { class: 'soft', role: 'status' }),
  element('div', { class: 'buttons' }, element('button', { type: 'button', onclick: closeBus }, t('buses.close'))));
const stopText = element('input', { type: 'search', id: 'stop', autocomplete: 'off', maxLength: 64 });
const stopList = element('ul', { class: 'results' });
const stopStatus = element('p', { role: 'status', class: 'soft' });
const stopsCard = element('section', { class: 'card' }, element('h2', {}, t('buses.stops')),
  element('form', { onsubmit: (event) => { event.preventDefault(); findStops(); } },
    element('label', { for: 'stop' }, t('buses.stop_name')),
    element('div', { class: 'line-of-controls' }, stopText, element('button', { type: 'submit' }, t('buses.search')),
      element('button', { type: 'button', onclick: () => { stopText.value = ''; findStops(); } }, t('buses.near')))),
  stopStatus, stopList);
const mapHeading = element('h2', { class: 'map-title', hidden: true });
const mapBox = element('div', { class: 'map-box' });
const map = new RouteMap(mapBox, { label: t('buses.map'), onPoint: (point) => {
  if (point.stop) openStop(point.stop);
  if (point.bus) openBus(point.bus);
} });
session.main.append(element('h1', {}, t('nav.buses')), element('div', { class: 'split kept' },
  element('div', { class: 'side' }, mapHeading, mapBox),
  element('div', { class: 'stack' }, live, problem, alerts, busCard, linesCard, departures, own, vehicles,
    stopsCard, wayHomeCard(present), groupEditor.node)));

function report(text) {
  setText(problem, text);
  show(problem, true);
}

// Lines and groups

async function loadLines() {
  try {
    const lists = await loadLists();
    takeLists(lists);
    groupEditor.show(lists);
    chosen = new Set(initialLines(lists.list));
    drawChips();
    drawMap();
    drawTopic();
    loadLineStops();
    await loadWays();
  } catch (error) {
    show(linesCard, false);
    show(groupEditor.node, false);
    report(errorText(error));
  }
}

function takeLists({ lines: known, list }) {
  lines = known;
  const isKnown = (id) => lines.some(({ line }) => line === id);
  groups = (list.groups ?? []).map(({ name, lines: ids }) => ({ name, lines: ids.filter(isKnown) }))
    .filter(({ lines: ids }) => ids.length > 0);
  // The default group stands first.
  const first = groups.findIndex(({ name }) => name === list.default?.group);
  if (first > 0) groups.unshift(...groups.splice(first, 1));
}

function initialLines({ default: initial, groups_first: hasGroupsFirst }) {
  const isKnown = (id) => lines.some(({ line }) => line === id);
  const before = (kept(CHOICE) ?? '').split('\n').filter(isKnown);
  if (before.length > 0) return before;
  const group = groups.find(({ name }) => name === initial?.group) ?? (hasGroupsFirst ? groups[0] : undefined);
  const ids = group?.lines ?? (initial?.line ? [initial.line] : []);
  return ids.some(isKnown) ? ids.filter(isKnown) : lines.slice(0, FEW).map(({ line }) => line);
}

function choose(ids) {
  chosen = new Set(ids);
  keep(CHOICE, [...chosen].join('\n'));
  drawChips();
  drawMap();
  drawTopic();
  loadLineStops();
}

const shownLines = () => lines.filter(({ line }) => chosen.has(line));
const isSame = (ids) => ids.length === chosen.size && ids.every((id) => chosen.has(id));

function drawChips() {
  const focused = document.activeElement?.dataset?.key;
  groupChips.replaceChildren(...groups.map(({ name, lines: ids }) =>
    toggle({ class: 'chip', dataset: { key: `group ${name}` } }, isSame(ids), () => choose(ids), name)));
  show(groupChips, groups.length > 0);
  lineChips.show(lines, chosen);
  if (focused) [...linesCard.querySelectorAll('[data-key]')].find(({ dataset }) => dataset.key === focused)?.focus();
}

async function loadWays() {
  try {
    const file = await getJSON('/api/transit/lines/file', { format: 'geojson' });
    ways = new Map(file.features.map(({ properties, geometry }) => [properties.id,
      geometry.coordinates.flatMap((path) => [...path.map(([lon, lat]) => [lat, lon]), null])]));
    drawMap();
  } catch (error) {
    report(errorText(error));
  }
}

// The map

function drawMap() {
  const shown = shownLines();
  setText(mapHeading, mapTitle(shown, groups) || t('buses.no_lines'));
  show(mapHeading, lines.length > 0);
  map.setLines(shown.filter(({ line }) => ways?.has(line))
    .map((line, index) => ({ points: ways.get(line.line), ...lineStyle(line, index) })));
  drawPoints();
}

function drawPoints() {
  const isPlace = (one) => one?.latitude !== undefined;
  const places = new Map([...lineStops, ...stops, closest?.stop, stop].filter(isPlace).map((one) => [one.stop, one]));
  map.setPoints([
    ...[...places.values()].map(stopPoint), ...shownVehicles().map(vehiclePoint),
  ]);
}

function stopPoint(one) {
  const { latitude, longitude, name } = one;
  const isChosen = one.stop === stop?.stop;
  const isClosest = one.stop === closest?.stop.stop;
  return { latitude, longitude, stop: one, shape: 'flag', colour: isClosest ? '--accent' : '--text',
    radius: isChosen || isClosest ? 7 : 4, label: isChosen || isClosest ? name : undefined };
}

function vehiclePoint(vehicle) {
  const { latitude, longitude, bearing_deg: heading } = vehicle;
  return { latitude, longitude, heading, bus: vehicle, shape: heading === undefined ? 'dot' : 'arrow',
    radius: vehicle.id === bus?.id ? 16 : 11, colour: vehicleColour(vehicle), label: title(vehicle) };
}

// Live data

const shownVehicles = () => (topic?.data?.vehicles ?? []).filter(({ line }) => chosen.has(line) || lines.length === 0);

function drawTopic() {
  const data = topic?.data;
  drawLive(data);
  drawAlerts(data?.alerts ?? []);
  drawVehicles(data);
  drawOwn(data?.departures ?? []);
  drawBus();
  drawPoints();
  announceNear();
}

function drawLive(data) {
  live.classList.toggle('warn', !data?.live || topic.stale);
  if (!data) return setText(live, t('buses.waiting'));
  const agency = data.agency ? `${data.agency} · ` : '';
  if (!data.live) {
    return setText(live, agency + scheduleText(data.reason));
  }
  const old = age((topic.age_ms + performance.now() - topic.at) / 1000);
  const more = data.reason ? ` · ${reasonText(data.reason) ?? data.reason}` : '';
  return setText(live, agency + t(topic.stale ? 'buses.live_stale' : 'buses.live', { age: old }) + more);
}

function drawAlerts(list) {
  const ids = new Set(shownLines().map(({ line }) => line));
  const shown = list.filter(({ lines: concerned }) =>
    !concerned || ids.size === 0 || concerned.some((id) => ids.has(id)));
  show(alerts, shown.length > 0);
  const names = (concerned) => (concerned ?? []).map((id) => lines.find(({ line }) => line === id))
    .filter(Boolean).map(title).join(', ');
  alerts.replaceChildren(element('h2', {}, t('buses.alerts')), element('ul', {}, shown.map((alert) => element('li', {},
    element('b', {}, [names(alert.lines), alert.title].filter(Boolean).join(': ')),
    alert.text ? element('p', {}, alert.text.join(' ')) : null))));
}

function drawVehicles(data) {
  const list = shownVehicles();
  show(vehicles, Boolean(data));
  const focused = document.activeElement?.dataset?.bus;
  vehicles.replaceChildren(element('h2', {}, t('buses.vehicles')),
    list.length === 0 ? '' : element('ul', { class: 'plain vehicles' },
      list.slice(0, VEHICLES).map((vehicle) => element('li', {}, busButton(vehicle)))),
    ...(data ? whyNoBus(data) : []).map((text) => element('p', { class: 'soft' }, text)));
  if (focused) busButtonOf(focused)?.focus();
}

/** Sentences about the shown lines that have no bus. */
function whyNoBus({ live: isLive, vehicles: known, lines: ids }) {
  if (!isLive) return [t('buses.no_vehicles')];
  const shown = shownLines();
  if (shown.length === 0) return lines.length > 0 ? [t('buses.no_lines')] : [];
  const { followed, others } = linesWithoutBus(shown, known, ids);
  return [['buses.none_running', followed], ['buses.not_followed', others]].filter(([, list]) => list.length > 0)
    .map(([key, list]) => t(key, { lines: list.map(title).join(', ') }));
}

/** Tells of the nearest bus that comes near, of the shown lines and of those that the user has paced-net follow. */
function announceNear() {
  if (!here || !topic?.data) return;
  const { vehicles: known, lines: ids = [] } = topic.data;
  const next = approach.update(known, here).find(({ vehicle: { line } }) => chosen.has(line) || ids.includes(line));
  if (!next) return;
  const { vehicle, metres } = next;
  session.notice(t('buses.comes', { bus: [title(vehicle), vehicle.direction].filter(Boolean).join(' '),
    where: towards(metres, bearingBetween(here, vehicle)) }));
}

function busButton(vehicle) {
  return element('button', { type: 'button', class: 'bus', dataset: { bus: vehicle.id },
    'aria-pressed': String(vehicle.id === bus?.id), onclick: () => openBus(vehicle) }, lineMark(vehicle),
  element('span', {}, busText(vehicle, here, time.now())), punctuality(vehicle));
}

const busButtonOf = (id) => [...vehicles.querySelectorAll('button')].find(({ dataset }) => dataset.bus === id);

// The panel of one bus

function openBus(vehicle) {
  bus = vehicle;
  drawBus();
  markBus();
  show(busCard, true);
  busCard.focus({ preventScroll: true });
  busCard.scrollIntoView({ block: 'nearest' });
}

function closeBus() {
  const button = busButtonOf(bus.id);
  bus = null;
  show(busCard, false);
  markBus();
  button?.focus();
}

function markBus() {
  for (const button of vehicles.querySelectorAll('button')) {
    button.setAttribute('aria-pressed', String(button.dataset.bus === bus?.id));
  }
  drawPoints();
}

function drawBus() {
  if (!bus) return;
  const newest = (topic?.data?.vehicles ?? []).find(({ id }) => id === bus.id);
  bus = newest ?? bus;
  const [heading, facts, note] = busCard.children;
  setText(heading, fullTitle({ ...bus, name: lines.find(({ line }) => line === bus.line)?.name }));
  facts.replaceChildren(...busFacts(bus, here, time.now()).flatMap(([head, value]) =>
    [element('dt', {}, head), element('dd', {}, value)]));
  setText(note, newest ? '' : t('buses.gone'));
}

/** The departures of the stops that paced-net.conf names, while no other stop is shown. */
function drawOwn(list) {
  show(own, list.length > 0 && !stop);
  if (own.hidden) return;
  own.replaceChildren(element('h2', {}, t('buses.own')), departureList(list.slice(0, DEPARTURES), present(), true));
}

// Departures

let refresh = null;

async function openStop(one) {
  stop = one;
  show(own, false);
  markStops();
  departures.replaceChildren(element('h2', {}, one.name), element('p', { role: 'status' }, t('buses.loading')));
  show(departures, true);
  departures.focus({ preventScroll: true });
  departures.scrollIntoView({ block: 'nearest' });
  drawPoints();
  await loadDepartures();
}

function closeStop() {
  clearTimeout(refresh);
  departureRequests.cancel();
  const key = stop?.stop;
  stop = null;
  show(departures, false);
  markStops();
  drawTopic();
  [...stopList.querySelectorAll('button')].find(({ dataset }) => dataset.stop === key)?.focus();
}

async function loadDepartures() {
  clearTimeout(refresh);
  if (!stop) return;
  let isLive = false;
  try {
    const query = { stop: stop.stop, limit: DEPARTURES };
    const answer = await departureRequests.run((signal) => getJSON('/api/transit/departures', query, signal));
    // A newer request goes on.
    if (!answer) return;
    isLive = answer.live;
    showDepartures(answer);
  } catch (error) {
    showDepartures(null, errorText(error));
  }
  clearTimeout(refresh);
  refresh = setTimeout(() => (document.hidden ? undefined : loadDepartures()),
    isLive ? REFRESH.live : REFRESH.timetable);
}

document.addEventListener('visibilitychange', () => { if (!document.hidden && stop) loadDepartures(); });

function showDepartures(answer, error) {
  const hadFocus = departures.contains(document.activeElement) && document.activeElement.tagName === 'BUTTON';
  const close = element('button', { type: 'button', onclick: closeStop }, t('buses.close'));
  const known = answer?.departures ?? [];
  const body = error ? element('p', { class: 'problem', role: 'alert' }, error)
    : known.length === 0 ? element('p', {}, noDeparture(answer)) : departureList(known, present());
  departures.replaceChildren(element('h2', {}, stop.name), body,
    answer ? element('p', { class: 'soft' }, statusText(answer)) : '',
    element('div', { class: 'buttons' }, close, goLink()));
  if (hadFocus) close.focus();
}

function goLink() {
  if (!session.canCommand || stop.latitude === undefined) return null;
  const query = new URLSearchParams({ to: positionText(stop), name: stop.name });
  return element('a', { class: 'button', href: `/routes.html?${query}` }, t('buses.go'));
}

// Stops

async function loadLineStops() {
  try {
    const found = await stopsOfLines.load(shownLines().map(({ line }) => line));
    if (!found) return;
    lineStops = found;
  } catch {
    // Without paced-net no line has stops.
    lineStops = [];
  }
  drawClosest();
  drawPoints();
}

/** Names the stop of the shown lines that is closest; it is marked when it changes. */
function drawClosest() {
  const before = closest?.stop.stop;
  closest = here ? closestStop(lineStops, here) : null;
  show(closestButton, closest !== null);
  if (closest) {
    const where = towards(closest.metres, bearingBetween(here, closest.stop));
    setText(closestButton, t('buses.closest', { stop: closest.stop.name, where }));
  }
  if (closest?.stop.stop !== before) drawPoints();
}

async function findStops() {
  const text = stopText.value.trim();
  const position = parsePosition(text);
  setText(stopStatus, t('buses.loading'));
  const query = position ? { at: positionText(position), radius: NEAR } : text ? { text } : { radius: NEAR };
  try {
    const found = await stopRequests.run((signal) =>
      getLines('/api/transit/stops', { ...query, limit: STOPS }, signal));
    if (!found) return;
    stops = found;
    setText(stopStatus, found.length > 0 ? '' : t(text ? 'buses.no_stop_named' : 'buses.no_stop_near'));
  } catch (error) {
    stops = [];
    setText(stopStatus, errorText(error));
  }
  stopList.replaceChildren(...stops.map((one) => element('li', {}, element('button', { type: 'button', class: 'result',
    dataset: { stop: one.stop }, 'aria-pressed': 'false', onclick: () => openStop(one) },
  element('span', { class: 'title' }, one.name), element('span', { class: 'where figures' }, stopWay(one)),
  one.code ? element('span', { class: 'about' }, t('buses.code', { code: one.code })) : null))));
  markStops();
  drawPoints();
}

function stopWay(one) {
  if (one.distance_m === undefined) return '';
  return here ? towards(one.distance_m, bearingBetween(here, one)) : far(one.distance_m);
}

function markStops() {
  for (const button of stopList.querySelectorAll('button')) {
    button.setAttribute('aria-pressed', String(button.dataset.stop === stop?.stop));
  }
}

// Lines of paced

let isFirst = true;
let hasPosition = false;

function takeState(state) {
  time.take(state);
  here = positionOf(state);
  map.setPosition(here);
  if (topic?.data) drawLive(topic.data);
  drawBus();
  drawClosest();
  if ((isFirst || (!hasPosition && here)) && !stopText.value && !stop) findStops();
  isFirst = false;
  hasPosition ||= Boolean(here);
}

follow(session, { topics: ['transit'] }, (line, isReplayed) => {
  if (line.class === 'STATE') takeState(line);
  if (line.class === 'VERSION') topic = null;
  if (line.class === 'DATA' && line.topic === 'transit') topic = line.data ? { ...line, at: performance.now() } : null;
  if (['DATA', 'VERSION', 'SETTINGS'].includes(line.class)) drawTopic();
  // The page tells of a bus that comes near in the user's language.
  const isNotice = line.class === 'EVENT' && line.event === 'notice' && line.topic === 'transit' && line.key !== 'bus';
  if (isNotice && !isReplayed) session.notice(line.text);
});
addEventListener('paced-theme', drawMap);
addEventListener('pagehide', () => clearTimeout(refresh));
show(vehicles, false);
await loadLines();
