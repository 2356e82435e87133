// Several ways to a place, or round trips, the flattest first, as LazyWalker shows them; GO makes one the course and
// guides along it.

import { storeCourse } from './course-file.js';
import { element, setText, show } from './dom.js';
import { height } from './format.js';
import { t } from './i18n.js';
import { DragMap } from './map-drag.js';
import { far, follow, Latest, metresBetween, parsePosition, positionOf } from './outside.js';
import { start } from './page.js';
import { climbsOf } from './route-progress.js';
import { failureTexts, findRoutes } from './route-search.js';
import { rankColour, RoutesChoice } from './routes-choice.js';
import { RoutesForm } from './routes-form.js';
import { RouteGuide } from './routes-guide.js';
import { distanceAlong, MOST_POINTS, placeAmong, pointsOfLoop } from './via-points.js';

/** The dashes of the lines where colours say nothing. */
const DASHES = [[], [14, 8], [2, 8], [14, 8, 2, 8], [6, 6]];

const session = await start({ needs: 'control', name: 'routes' });
const finds = new Latest();
/** The number of the last search. */
let lastFind = 0;
/** Whether the guidance of before a reload was looked for. */
let isResumed = false;
/** Where the line of the chosen route was tapped, with what is known of that place; null without a tap. */
let at = null;

// The parts of the page

const problem = element('div', { class: 'problem', role: 'alert', hidden: true });
const mapBox = element('div', { class: 'map-box' });
const spot = element('p', { class: 'soft', role: 'status' });
const choice = new RoutesChoice({ onPick: (index) => pick(index), onGo: (button) => go(button),
  onSave: (button) => save(button) });
const form = new RoutesForm({ onEnds: () => draw(), onClear: () => clearRoutes(), onFind: (options) => find(options),
  onCancel: () => finds.cancel(), onMiddle: () => addMiddle(), report });
const map = new DragMap(mapBox, { label: t('routes.map'), onGrab: grab,
  onHold: (position) => { if (!guide.isOn && !form.isLoop) form.setTo(position); },
  // A tap beside the lines must not throw them away.
  onClick: (position) => { if (!guide.isOn && (!choice.result || form.isStartAsked)) form.take(position); },
  onPoint: (point) => {
    if (guide.isOn) return;
    if (point.isDraggable) form.showPoint(point.index);
    else if (point.route === undefined) form.take(point);
    else pick(point.route);
  },
  onLine: ({ route }, position) => { if (!guide.isOn) pick(route, position); } });
const guide = new RouteGuide(session, map, endGuide);
session.main.append(element('h1', {}, t('nav.routes')), element('div', { class: 'split' },
  element('div', { class: 'side' }, guide.node, mapBox, spot),
  element('div', { class: 'stack' }, form.node, problem, choice.node)));

/** `text`: null for no problem; `more`: what paced-net says, in English. */
function report(text, more) {
  problem.replaceChildren(element('p', {}, text ?? ''), more ? element('p', { class: 'soft', lang: 'en' }, more) : '');
  show(problem, text !== null);
}

// The search

/** Returns whether there were routes, or a search for them. */
function clearRoutes() {
  const wasAsked = Boolean(choice.result) || !form.cancel.hidden;
  finds.cancel();
  choice.clear();
  at = null;
  setText(spot, '');
  draw();
  return wasAsked;
}

async function find({ keepsView = false } = {}) {
  clearRoutes();
  report(null);
  form.setBusy(t('routes.finding'));
  lastFind += 1;
  const { params, isLoop } = form;
  const number = lastFind;
  let found = null;
  try {
    found = await finds.run((signal) => findRoutes(params, signal));
  } catch (error) {
    const isNone = isLoop && error.data?.reason === 'no-route';
    report(...isNone ? [t('routes.no_loop'), error.message] : failureTexts(error));
  }
  // A newer search may have ended this one.
  if (number === lastFind) form.setBusy('');
  if (found?.routes.length === 0) report(t(isLoop ? 'routes.no_loop' : 'routes.reason.no-route'));
  else if (found) present(found, params.length_m, keepsView);
}

function present(found, wished, keepsView) {
  choice.show(found, wished);
  if (!keepsView) map.fit();
  draw();
}

/** `position`: where its line was tapped. */
function pick(index, position = null) {
  at = position && placeOn(index, position);
  setText(spot, at ? t('routes.spot', { number: index + 1, value: at.text }) : '');
  choice.choose(index);
  draw();
}

/** The point of a route that is nearest to a place, with the way to there and the climb on it. */
function placeOn(index, position) {
  const { vertices, distances } = choice.result.courses[index];
  const away = vertices.map((vertex) => metresBetween(vertex, position));
  const nearest = away.indexOf(Math.min(...away));
  const { latitude, longitude } = vertices[nearest];
  const climbs = climbsOf(vertices);
  // Of the ascent that paced has computed, the part that is climbed there.
  const ascent = choice.result.routes[index].ascent_m * climbs[nearest] / climbs.at(-1);
  const text = [far(distances[nearest]), ascent >= 0 ? `↑ ${height(ascent)}` : ''].join(' ');
  return { latitude, longitude, text };
}

// The points between

const chosenCourse = () => choice.result?.courses[choice.chosen];

/** What is dragged after a press at a point between, or at the line of the chosen route. */
function grab(point, line, position) {
  if (guide.isOn || (!point && form.isLoop)) return null;
  const { points } = form;
  if (!point && points.length >= MOST_POINTS) return null;
  const course = chosenCourse();
  const index = point ? point.index : placeAmong(points, course, distanceAlong(course, position));
  const rest = point ? points.filter((one) => one !== points[index]) : points;
  const neighbours = [rest[index - 1] ?? form.from ?? form.here, rest[index] ?? form.to].filter(Boolean);
  return { neighbours, drop: (place) => form.setPoints([...rest.slice(0, index), place, ...rest.slice(index)]) };
}

/** A point at the middle of the map: along the chosen route, or after the other ones. */
function addMiddle() {
  if (!map.shown) return;
  const { latitude, longitude } = map.shown;
  const place = { latitude, longitude };
  const { points } = form;
  const course = chosenCourse();
  const index = course ? placeAmong(points, course, distanceAlong(course, place)) : points.length;
  form.setPoints([...points.slice(0, index), place, ...points.slice(index)]);
  if (form.addButton.disabled) form.showPoint(index);
}

// The course

async function go(button) {
  const { from, here, isLoop, profile, courseName: name } = form;
  const course = chosenCourse();
  const [to, points] = isLoop ? [course.vertices.at(-1), pointsOfLoop(course)] : [form.to, form.points];
  button.disabled = true;
  await guide.begin({ course, name, profile, to: to ?? from ?? here, points });
  button.disabled = false;
  if (!guide.isOn) button.focus();
}

async function save(button) {
  const name = form.courseName;
  button.disabled = true;
  const stored = await session.attempt(() => storeCourse(chosenCourse(), name));
  button.disabled = false;
  button.focus();
  if (!stored) return;
  const address = `/courses.html${stored.id === undefined ? '' : `#${stored.id}`}`;
  session.notice(t(stored.isOld ? 'routes.was_saved' : 'routes.saved', { name }),
    { link: element('a', { href: address }, t('routes.open_course')) });
}

function endGuide() {
  map.setPosition(form.here);
  map.fit();
  draw();
  (choice.go?.isConnected ? choice.go : form.find).focus();
}

// The map

const isPlain = () => document.documentElement.dataset.theme === 'e-ink';

function draw() {
  if (guide.isOn) return guide.trip && guide.draw();
  const { chosen } = choice;
  const lines = (choice.result?.courses ?? []).map(({ vertices }, index) => ({
    points: vertices.map(({ latitude, longitude }) => [latitude, longitude]), route: index, colour: rankColour(index),
    width: index === chosen ? 8 : 4, dash: isPlain() ? DASHES[index % DASHES.length] : [],
    isDraggable: index === chosen }));
  // The flattest is on top, and above it the chosen one.
  const order = lines.map((_, index) => index).reverse().filter((index) => index !== chosen);
  if (lines.length > 0) order.push(chosen);
  map.setLines(order.map((index) => lines[index]));
  const { from, to, isLoop } = form;
  map.setPoints([
    ...order.map((index) => ({ ...labelPlace(choice.result.courses[index].vertices, index), route: index,
      label: String(index + 1), colour: rankColour(index), radius: index === chosen ? 8 : 5 })),
    from ? { ...from, shape: 'flag', colour: '--text', label: t('routes.start') } : null,
    at ? { ...at, route: chosen, label: at.text, colour: '--text', radius: 5 } : null,
    to && !isLoop ? { ...to, shape: 'flag', colour: '--accent', label: to.name ?? t('routes.destination') } : null,
    ...isLoop ? [] : form.points.map((point, index) => ({ ...point, radius: 11, inner: String(index + 1), index,
      isDraggable: true })),
  ].filter(Boolean));
  return undefined;
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
  if (place) form.setTo({ ...place, name: query.get('name')?.slice(0, 64) || undefined });
}

function takeState(state) {
  // The first line of a connection has no blocks, and may be an old one.
  if (!state.blocks) return;
  const here = positionOf(state);
  form.setHere(here);
  if (!isResumed) {
    isResumed = true;
    // An address with a destination asks for other routes.
    if (!form.to) guide.resume(state.blocks.course?.id);
  }
  if (guide.trip) guide.take(state, here);
  else map.setPosition(here);
}

addEventListener('paced-theme', draw);
takeAddress();
form.showEnds();
follow(session, { blocks: ['course'] }, (line) => {
  if (line.class === 'STATE') takeState(line);
  if (line.class === 'SETTINGS') {
    form.showLength();
    choice.showUnits();
  }
});
