// Several ways to a place, the flattest first, as LazyWalker shows them; GO makes one the course.

import { getJSON, request, rpc } from './api.js';
import { fetchRoute, gpxOf } from './course-file.js';
import { element, setText, show } from './dom.js';
import { decimal, distance, elapsed, height } from './format.js';
import { errorText, hasText, t } from './i18n.js';
import { RouteMap } from './map.js';
import {
  far, follow, Latest, metresBetween, parsePosition, positionOf, positionText, segments, towards,
} from './outside.js';
import { start } from './page.js';
import { Profile } from './profile.js';
import { keep, kept } from './store.js';

const PROFILES = ['walk', 'run', 'ride'];
const PROFILE_KEY = 'paced.routes.profile';
/** By rank; further routes are brown. */
const COLOURS = ['--green', '--mint', '--yellow', '--orange', '--red'];
/** The dashes of the lines where colours say nothing. */
const DASHES = [[], [14, 8], [2, 8], [14, 8, 2, 8], [6, 6]];
const MATCHES = 8;
/** Characters that are completed, and the milliseconds of rest before. */
const SHORTEST = 3;
const PAUSE = 300;
const TURNS = 30;

const session = await start({ needs: 'control', name: 'routes' });
const searches = new Latest();
const finds = new Latest();
let here = null;
let from = null;
let to = null;
let profile = PROFILES.includes(kept(PROFILE_KEY)) ? kept(PROFILE_KEY) : 'walk';
/** The answer of route.find, with the courses of its routes: { search, engine, host, routes, courses }. */
let result = null;
let chosen = 0;
/** The timer of the completion. */
let typing = 0;
/** Where the line of the chosen route was tapped, with what is known of that place; null without a tap. */
let at = null;

// The parts of the page

const problem = element('div', { class: 'problem', role: 'alert', hidden: true });
const input = element('input', { id: 'to', type: 'search', autocomplete: 'off', maxLength: 64, required: true,
  'aria-describedby': 'to-help' });
input.addEventListener('input', () => {
  clearTimeout(typing);
  typing = setTimeout(complete, PAUSE);
});
const matches = element('ul', { class: 'results', 'aria-label': t('routes.matches') });
const searchForm = element('form', { onsubmit: (event) => { event.preventDefault(); lookUp(); } },
  element('label', { for: 'to' }, t('routes.to')),
  element('div', { class: 'line-of-controls' }, input, element('button', { type: 'submit' }, t('routes.search'))),
  element('p', { class: 'soft', id: 'to-help' }, t('routes.to_help')));
const ends = element('dl', { class: 'facts', 'aria-live': 'polite' });
const tap = segments(t('routes.tap'), [['to', t('routes.tap_to')], ['from', t('routes.tap_from')]], 'to', () => {});
const profiles = segments(t('routes.profile'), PROFILES.map((name) => [name, t(`routes.profile.${name}`)]), profile,
  (value) => {
    profile = value;
    keep(PROFILE_KEY, value);
  });
const findButton = element('button', { class: 'main', type: 'button', disabled: true, onclick: () => find() },
  t('routes.find'));
const cancel = element('button', { type: 'button', hidden: true, onclick: () => finds.cancel() }, t('routes.cancel'));
const busy = element('p', { role: 'status', class: 'soft' });
const mapBox = element('div', { class: 'map-box' });
const map = new RouteMap(mapBox, { label: t('routes.map'), onHold: setTo,
  // A tap beside the lines must not throw them away.
  onClick: (position) => { if (!result || isStartAsked()) take(position); },
  onPoint: (point) => {
    if (point.route === undefined) take(point);
    else pick(point.route);
  },
  onLine: ({ route }, position) => pick(route, position) });
const spot = element('p', { class: 'soft', role: 'status' });
const choice = element('div', { class: 'stack' });
session.main.append(element('h1', {}, t('nav.routes')), element('div', { class: 'split' },
  element('div', { class: 'side' }, mapBox, spot),
  element('div', { class: 'stack' }, searchForm, matches, ends,
    element('div', { class: 'field' }, element('span', {}, t('routes.tap')), tap),
    element('div', { class: 'field' }, element('span', {}, t('routes.profile')), profiles),
    element('div', { class: 'row' }, findButton, cancel, busy), problem, choice)));

// Start and destination

const isStartAsked = () => tap.querySelector('[aria-pressed="true"]').dataset.value === 'from';

function take(position) {
  if (isStartAsked()) setFrom(position);
  else setTo({ latitude: position.latitude, longitude: position.longitude });
}

function setFrom(position) {
  from = position && { latitude: position.latitude, longitude: position.longitude };
  tap.choose('to');
  showEnds();
}

function setTo(place) {
  to = place;
  clearTimeout(typing);
  matches.replaceChildren();
  clearRoutes();
  showEnds();
}

const endText = (place) => (place.name ? `${place.name} (${positionText(place)})` : positionText(place));

function showEnds() {
  const origin = from ? positionText(from) : t(here ? 'routes.my_position' : 'routes.no_position');
  ends.replaceChildren(
    element('dt', {}, t('routes.start')), element('dd', {}, origin, from ? backButton() : null),
    element('dt', {}, t('routes.destination')), element('dd', {}, to ? endText(to) : t('routes.none_yet')));
  findButton.disabled = !to || !(from ?? here);
  draw();
}

const backButton = () => element('button', { type: 'button', class: 'inline', onclick: () => setFrom(null) },
  t('routes.from_here'));

async function lookUp() {
  clearTimeout(typing);
  const text = input.value.trim();
  const position = parsePosition(text);
  show(problem, false);
  if (position) return setTo(position);
  try {
    const page = await searches.run((signal) => getJSON('/api/places/search', { text }, signal));
    if (page?.features.length === 0) return report(t('routes.no_match'));
    if (page) showMatches(page).querySelector('button').focus();
  } catch (error) {
    report(errorText(error));
  }
  return undefined;
}

/** Shows what a name that is not complete may become. A failure is told when somebody asks for it. */
async function complete() {
  const text = input.value.trim();
  const page = text.length < SHORTEST || parsePosition(text) ? { features: [] }
    : await searches.run((signal) => getJSON('/api/places/search', { text }, signal)).catch(() => null);
  if (page) showMatches(page);
}

/** `missing`: the words that none of the features has. */
function showMatches({ features, attribution, missing = [] }) {
  const credit = features.length > 0 ? element('li', { class: 'soft credit' }, attribution ?? '') : null;
  const partly = missing.length > 0 && credit ? element('li', { class: 'soft' },
    t('routes.missing', { words: missing.join(', ') })) : null;
  matches.replaceChildren(partly ?? '', ...features.slice(0, MATCHES).map(match), credit ?? '');
  return matches;
}

function match({ geometry, properties }) {
  const [longitude, latitude] = geometry.coordinates;
  const name = properties.name ?? properties.address ?? properties.kind;
  const kind = hasText(`places.kind.${properties.kind}`) ? t(`places.kind.${properties.kind}`) : properties.kind;
  const about = [kind, properties.name ? properties.address : null].filter(Boolean).join(', ');
  const where = properties.distance_m === undefined ? '' : towards(properties.distance_m, properties.bearing_deg);
  return element('li', {}, element('button', { type: 'button', class: 'result', onclick: () => {
    setTo({ latitude, longitude, name });
    findButton.focus();
  } }, element('span', { class: 'title' }, name), element('span', { class: 'where figures' }, where),
  element('span', { class: 'about' }, about)));
}

// Routes

function clearRoutes() {
  finds.cancel();
  result = null;
  at = null;
  setText(spot, '');
  choice.replaceChildren();
  draw();
}

async function find() {
  clearRoutes();
  show(problem, false);
  setBusy(t('routes.finding'));
  const params = { to: coordinate(to), profile };
  if (from) params.from = coordinate(from);
  try {
    const found = await finds.run(async (signal) => {
      const answer = await rpc('route.find', params, signal);
      answer.courses = [];
      for (let index = 0; index < answer.routes.length; index += 1) {
        answer.courses.push(await fetchRoute(answer.search, index, signal));
      }
      return answer;
    });
    if (found) present(found);
  } catch (error) {
    reportFailure(error);
  } finally {
    setBusy('');
  }
}

const coordinate = ({ latitude, longitude }) => ({ lat: latitude, lon: longitude });

function setBusy(text) {
  setText(busy, text);
  show(cancel, text !== '');
  findButton.disabled = text !== '';
  if (text === '') showEnds();
}

function reportFailure(error) {
  const key = `routes.reason.${error.data?.reason}`;
  if (error.code === 'unreachable') return report(t('outside.no_net'));
  return hasText(key) ? report(t(key), error.message) : report(errorText(error));
}

/** `more`: what paced-net says, in English. */
function report(text, more) {
  problem.replaceChildren(element('p', {}, text), more ? element('p', { class: 'soft', lang: 'en' }, more) : '');
  show(problem, true);
}

function present(found) {
  result = found;
  chosen = 0;
  if (found.routes.length === 0) return report(t('routes.reason.no-route'));
  const heading = element('h2', { tabIndex: -1 }, t('routes.found', { count: found.routes.length }));
  choice.replaceChildren(heading, routeList(), goButtons(), profileCard(), turnsCard(),
    element('p', { class: 'soft credit' }, t('routes.engine', { engine: found.engine, host: found.host })));
  map.fit();
  draw();
  heading.focus({ preventScroll: true });
  return undefined;
}

const isPlain = () => document.documentElement.dataset.theme === 'e-ink';
const colour = (index) => COLOURS[index] ?? '--brown';

function routeList() {
  const list = element('div', { class: 'routes', role: 'radiogroup', 'aria-label': t('routes.choose') });
  list.append(...result.routes.map((route, index) => routeRow(route, index)));
  list.addEventListener('keydown', (event) => {
    const step = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    pick((chosen + step + result.routes.length) % result.routes.length);
    list.children[chosen].focus();
  });
  return list;
}

function routeRow(route, index) {
  const figures = [
    ['routes.ascent', route.ascent_m, height], ['routes.descent', route.descent_m, height],
    ['routes.time', route.duration_s, (seconds) => elapsed(seconds * 1000)],
    ['routes.steepest', route.steepest_percent, (percent) => `${decimal(percent, 0)} %`],
  ].filter(([, value]) => value !== undefined);
  const mark = element('span', { class: 'rank figures' }, String(index + 1));
  mark.style.setProperty('--rank', `var(${colour(index)})`);
  return element('button', { type: 'button', role: 'radio', class: 'route', onclick: () => pick(index),
    'aria-checked': String(index === chosen), tabIndex: index === chosen ? 0 : -1 }, mark,
  element('span', { class: 'length figures' }, distance(route.length_m)),
  element('span', { class: 'route-figures figures' }, figures.map(([key, value, format]) =>
    element('span', {}, t(key, { value: format(value) })))),
  route.is_tie && index > 0 ? element('span', { class: 'about' }, t('routes.tie')) : null);
}

/** `position`: where its line was tapped. */
function pick(index, position = null) {
  chosen = index;
  at = position && placeOn(index, position);
  setText(spot, at ? t('routes.spot', { number: index + 1, value: at.text }) : '');
  choice.querySelectorAll('[role="radio"]').forEach((row, place) => {
    row.setAttribute('aria-checked', String(place === index));
    row.tabIndex = place === index ? 0 : -1;
  });
  choice.querySelector('.turns')?.replaceWith(turnsCard());
  setText(choice.querySelector('.go'), goText());
  drawProfiles();
  draw();
}

/** The point of a route that is nearest to a place, with the way to there and the climb on it. */
function placeOn(index, position) {
  const { vertices } = result.courses[index];
  const distances = vertices.map((vertex) => metresBetween(vertex, position));
  const nearest = distances.indexOf(Math.min(...distances));
  const { latitude, longitude } = vertices[nearest];
  let [length, climb] = [0, 0];
  const way = vertices.map((vertex, place) => {
    const before = vertices[place - 1] ?? vertex;
    length += metresBetween(before, vertex);
    climb += Math.max(vertex.altitude_m - before.altitude_m, 0) || 0;
    return { length, climb };
  });
  // Of the ascent that paced has computed, the part that is climbed there.
  const ascent = result.routes[index].ascent_m * way[nearest].climb / climb;
  const text = [far(way[nearest].length), ascent >= 0 ? `↑ ${height(ascent)}` : ''].join(' ');
  return { latitude, longitude, text };
}

// Profiles, turns and GO

let profileView = null;

function profileCard() {
  profileView?.destroy();
  const card = element('section', { class: 'card' }, element('h3', {}, t('routes.profiles')));
  profileView = null;
  if (result.routes.some((route) => route.altitude_m)) profileView = new Profile(card, { label: t('routes.profiles') });
  else card.append(element('p', { class: 'soft' }, t('routes.no_altitudes')));
  drawProfiles();
  return card;
}

function drawProfiles() {
  const lines = result.routes.map(({ distance_m: distances = [], altitude_m: altitudes = [] }, index) => ({
    distances, altitudes, colour: colour(index), width: index === chosen ? 5 : 2, isFilled: index === chosen }));
  lines.push(...lines.splice(chosen, 1));
  profileView?.set({ lines });
}

function turnsCard() {
  const { points } = result.courses[chosen];
  if (points.length === 0) return element('p', { class: 'turns soft' }, t('routes.no_turns'));
  const rows = points.slice(0, TURNS).map(({ type, name, distance: metres }) => element('li', {},
    element('span', { class: 'when figures' }, far(metres)),
    element('span', {}, hasText(`cue.${type}`) ? t(`cue.${type}`) : type, name ? ` · ${name}` : '')));
  const rest = points.length - TURNS;
  return element('details', { class: 'card turns' },
    element('summary', {}, t('routes.turns', { count: points.length })),
    element('ol', { class: 'plain turn-list' }, rows),
    rest > 0 ? element('p', { class: 'soft' }, t('routes.more_turns', { count: rest })) : null);
}

const goText = () => t('routes.go', { number: chosen + 1 });

function goButtons() {
  const button = element('button', { class: 'main go', type: 'button', onclick: () => go(button) }, goText());
  return element('div', { class: 'buttons' }, button);
}

async function go(button) {
  button.disabled = true;
  const name = t('routes.course_name', { place: to.name ?? positionText(to) });
  const file = new Blob([gpxOf(result.courses[chosen], name)], { type: 'application/gpx+xml' });
  const answer = await session.attempt(async () => (await request('/api/courses',
    { method: 'POST', body: file, query: { file: 'route.gpx', load: 1 } })).json());
  button.disabled = false;
  button.focus();
  if (!answer) return;
  session.notice(t('routes.loaded', { name }));
  choice.querySelector('.live-link')?.remove();
  button.after(element('a', { class: 'button live-link', href: '/' }, t('routes.live')));
}

// The map

function draw() {
  const lines = (result?.courses ?? []).map(({ vertices }, index) => ({
    points: vertices.map(({ latitude, longitude }) => [latitude, longitude]), route: index, colour: colour(index),
    width: index === chosen ? 8 : 4, dash: isPlain() ? DASHES[index % DASHES.length] : [] }));
  // The flattest is on top, and above it the chosen one.
  const order = lines.map((_, index) => index).reverse().filter((index) => index !== chosen);
  if (lines.length > 0) order.push(chosen);
  map.setLines(order.map((index) => lines[index]));
  map.setPoints([
    ...order.map((index) => ({ ...labelPlace(result.courses[index].vertices, index), route: index,
      label: String(index + 1), colour: colour(index), radius: index === chosen ? 8 : 5 })),
    from ? { ...from, shape: 'flag', colour: '--text', label: t('routes.start') } : null,
    at ? { ...at, route: chosen, label: at.text, colour: '--text', radius: 5 } : null,
    to ? { ...to, shape: 'flag', colour: '--accent', label: to.name ?? t('routes.destination') } : null,
  ].filter(Boolean));
}

/** Where a line has its number: each at another part, because lines run together at their ends. */
function labelPlace(vertices, index) {
  const { latitude, longitude } = vertices[Math.floor(vertices.length * (0.4 + 0.06 * (index % 5)))];
  return { latitude, longitude };
}

// The address, and lines of paced

function takeAddress() {
  const query = new URLSearchParams(location.search);
  const place = parsePosition(query.get('to') ?? '');
  if (place) setTo({ ...place, name: query.get('name')?.slice(0, 64) || undefined });
}

function takeState(state) {
  const isNew = Boolean(here) !== Boolean(state.position);
  here = positionOf(state);
  map.setPosition(here);
  if (isNew && cancel.hidden) showEnds();
}

function showUnits() {
  if (!result) return;
  const list = choice.querySelector('.routes');
  list.replaceWith(routeList());
  pick(chosen);
}

addEventListener('paced-theme', draw);
takeAddress();
showEnds();
follow(session, {}, (line) => {
  if (line.class === 'STATE') takeState(line);
  if (line.class === 'SETTINGS') showUnits();
});
