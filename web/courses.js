// The courses: the list, one course, upload, and the virtual partner.

import { getJSON, getLines, request, rpc } from './api.js';
import { cueName } from './course.js';
import { ask, element, setText, show } from './dom.js';
import {
  METRES_PER_MILE, distance, distanceFigures, distanceUnit, height, heightFigures, heightUnit, pace, paceUnit,
} from './format.js';
import {
  Uploader, activityTitle, courseLink, downloadFrom, form, linesOf, mapPoints, paged, profileOf, startText, table,
  valueList, withUnit,
} from './history.js';
import { clock, date, errorText, isMetric, number, t } from './i18n.js';
import { RouteMap } from './map.js';
import { labelled, select, start } from './page.js';
import { Profile } from './profile.js';
import { courseFormats } from './tables.js';
import { trashLink } from './trash-link.js';
import { storedCourse } from './upload-results.js';

const PARTNERS = 100;

const session = await start({ needs: 'history', name: 'courses', offline: true });

const courseName = ({ id, name }) => name ?? t('courses.unnamed', { id });
const ascentText = ({ ascent_m: up }) => (up === undefined ? null : t('courses.up', { height: height(up) }));
const loadedMark = () => element('span', { class: 'mark' }, t('courses.loaded'));

// The list

function entry(course) {
  const facts = [ascentText(course), t('courses.climbs', { count: course.climbs }),
    t('courses.points', { count: course.points })];
  const about = [course.sport && t(`sport.${course.sport}`), t('courses.added', { day: date(course.added) })];
  return element('li', {}, element('a', { class: 'entry', href: `#${course.id}` },
    element('span', { class: 'name' }, courseName(course)),
    element('span', { class: 'big' }, withUnit(distance(course.length_m))),
    element('span', { class: 'details' }, about.filter(Boolean).join(' · '), ' ', course.loaded ? loadedMark() : null),
    element('span', { class: 'facts' }, facts.map((fact) => element('span', {}, fact ?? '')))));
}

/** What is loaded now. */
function loadedCard(course) {
  const heading = element('h2', {}, t('courses.now'));
  if (!course) return element('section', { class: 'card' }, heading, element('p', {}, t('courses.none_loaded')));
  return element('section', { class: 'card next' }, heading,
    element('p', { class: 'big' }, element('a', { href: `#${course.id}` }, courseName(course))),
    element('p', { class: 'figures' }, [distance(course.length_m), ascentText(course),
      t('courses.climbs', { count: course.climbs })].filter(Boolean).join(' · ')),
    session.canCommand ? element('div', { class: 'buttons' }, element('button', { type: 'button', onclick: unload },
      t('courses.unload'))) : null);
}

async function showList() {
  const courses = await session.attempt(() => getLines('/api/courses'));
  if (!courses) return;
  const list = element('ul', { class: 'list' });
  const more = paged(list, courses, entry);
  const why = session.whyNoCommand();
  replace(element('div', { class: 'title' }, element('h1', {}, t('nav.courses')), trashLink()),
  element('div', { class: 'stack' },
    loadedCard(courses.find((course) => course.loaded)), why ? element('p', { class: 'soft' }, why) : uploader.node,
    why ? null : partner.node,
    element('section', { 'aria-label': t('courses.list') },
      courses.length === 0 ? element('p', {}, t('courses.none')) : null, list, more)));
}

// One course

function actions(course) {
  const why = session.whyNoCommand();
  if (why) return element('p', { class: 'soft' }, why);
  const button = (text, call, kind) => element('button', { type: 'button', class: kind ?? '', onclick: call }, text);
  return element('div', { class: 'buttons' },
    course.loaded ? button(t('courses.unload'), unload) : button(t('courses.load'), () => load(course), 'main'),
    button(t('courses.reverse'), () => reverse(course)), button(t('courses.rename'), () => rename(course)),
    button(t('activity.trash'), () => remove(course), 'danger'));
}

/** The head of a column of figures. */
const inUnit = (key, unit) => `${t(key)} (${unit})`;

function climbsCard(climbs) {
  if (climbs.length === 0) return null;
  const title = t('courses.climbs_title');
  const columns = ['#', inUnit('courses.from', distanceUnit()), inUnit('courses.length', distanceUnit()),
    inUnit('field.ascent', heightUnit()), inUnit('field.grade', '%')];
  return element('section', { class: 'card' }, element('h2', {}, title), table(title,
    columns.map((name) => [name, true]), climbs.map((climb, index) => [number(index + 1),
      distanceFigures(climb.start_m), distanceFigures(climb.length_m), heightFigures(climb.ascent_m),
      number(climb.grade_percent, 1)])));
}

function pointsCard(points) {
  if (points.length === 0) return null;
  const isNamed = points.some((point) => point.name);
  const frame = table(t('courses.points_title'), [[inUnit('courses.at', distanceUnit()), true], [t('courses.point')],
    ...(isNamed ? [[t('courses.name')]] : [])], []);
  const more = paged(frame.querySelector('tbody'), points, (point) => element('tr', {},
    element('td', { class: 'number' }, distanceFigures(point.distance_m)), element('td', {}, cueName(point.type)),
    isNamed ? element('td', {}, point.name ?? '') : null), 100);
  return element('section', { class: 'card' }, element('h2', {}, t('courses.points_title')), frame, more);
}

/** The line on a map with points and climbs, and the profile. */
function drawCourse(geojson, { course, climbs }, mapCard, profileCard) {
  const lines = linesOf(geojson);
  const profile = profileOf(lines, course.length_m);
  show(profileCard, profile.altitudes.some(Number.isFinite));
  new Profile(profileCard).set({ lines: [{ ...profile, isFilled: true }],
    climbs: climbs.map(({ start_m: from, length_m: length }) => ({ start: from, top: from + length })) });
  const named = mapCard.querySelector('.named');
  map = new RouteMap(mapCard.querySelector('.chart'), { label: t('courses.map'), buttons: 'view',
    onPoint: ({ name }) => name && setText(named, name) });
  const scale = course.length_m / Math.max(lines.at(-1)?.at(-1)?.[3] ?? 0, 1);
  map.setLines([{ points: mapPoints(lines), colour: '--course', width: 5 }, ...climbs.map((climb) => ({
    points: part(lines, climb.start_m / scale, (climb.start_m + climb.length_m) / scale), colour: '--climb', width: 3,
    casing: null }))]);
  map.setPoints([...pointsOf(geojson), ...endsOf(lines)]);
}

const part = (lines, from, to) =>
  mapPoints(lines.map((line) => line.filter(([, , , metres]) => metres >= from && metres <= to)));

function pointsOf({ features = [] }) {
  return features.filter(({ geometry }) => geometry?.type === 'Point').map(({ geometry, properties }) => ({
    longitude: geometry.coordinates[0], latitude: geometry.coordinates[1], radius: 5, colour: '--accent',
    name: [properties.name, cueName(properties.kind)].filter(Boolean).join(' · ') }));
}

function endsOf(lines) {
  const [first, last] = [lines[0]?.[0], lines.at(-1)?.at(-1)];
  if (!first) return [];
  const point = ([latitude, longitude], label, shape) => ({ latitude, longitude, label, shape });
  return [point(last, t('activity.end'), 'flag'), point(first, t('activity.start'), 'dot')];
}

async function showCourse(id) {
  const [found, geojson] = await session.attempt(() => Promise.all([getJSON(`/api/courses/${id}`),
    getJSON(`/api/courses/${id}/file`, { format: 'geojson' })])) ?? [];
  if (!found) return replace(back(), element('h1', {}, t('nav.courses')));
  const { course, climbs = [], points = [] } = found;
  // Only the list says which one is loaded.
  course.loaded ??= (await session.attempt(() => getLines('/api/courses')))?.some((one) => one.id === id && one.loaded);
  const mapCard = element('section', { class: 'card' }, element('h2', {}, t('map.label')),
    element('div', { class: 'chart' }),
    points.length > 0 ? element('p', { class: 'named', role: 'status' }, t('courses.tap')) : null);
  const profileCard = element('section', { class: 'card' }, element('h2', {}, t('profile.label')));
  const added = t('courses.added', { day: `${date(course.added)}, ${clock(course.added)}` });
  replace(back(), element('div', { class: 'title' }, element('h1', {}, courseName(course)), element('p', {},
    [course.sport && t(`sport.${course.sport}`), added].filter(Boolean).join(' · '), ' ',
    course.loaded ? loadedMark() : null)),
  element('div', { class: 'stack' }, element('section', { class: 'card lead', 'aria-label': t('activity.figures') },
    valueList([[t('courses.length'), distance(course.length_m)],
      [t('field.ascent'), course.ascent_m === undefined ? null : height(course.ascent_m)],
      [t('courses.climbs_title'), number(climbs.length)], [t('courses.points_title'), number(course.points)]])),
  actions(course), mapCard, profileCard,
  element('div', { class: 'two' }, climbsCard(climbs), pointsCard(points)), downloads(course)));
  drawCourse(geojson, found, mapCard, profileCard);
}

function downloads({ id }) {
  return element('section', { class: 'card' }, element('h2', {}, t('activity.downloads')),
    element('div', { class: 'buttons formats' }, courseFormats.map((format) => element('button', { type: 'button',
      onclick: () => downloadFrom(session, `/api/courses/${id}/file`, { format }) }, t(`format.${format}`)))));
}

// Commands

/** Runs a command; shows the page anew and a sentence if it succeeds. */
async function command(method, params, said) {
  if (await session.attempt(() => rpc(method, params)) === undefined) return false;
  await render();
  session.notice(said);
  return true;
}

const load = (course) =>
  command('course.load', { id: course.id }, t('courses.was_loaded', { name: courseName(course) }));
const unload = () => command('course.unload', {}, t('courses.was_unloaded'));

/** Stores the course in the other direction, as a new one. */
async function reverse({ id }) {
  const made = await session.attempt(async () =>
    (await request(`/api/courses/${id}/reverse`, { method: 'POST' })).json());
  if (!made) return;
  session.notice(t('courses.reversed', { name: courseName(made) }), { link: courseLink(made.id) });
}

async function rename(course) {
  const input = element('input', { maxLength: 64, required: true, value: course.name ?? '', autocomplete: 'off' });
  const isSent = await form(t('courses.rename_title'), [labelled(t('courses.name'), input)], t('history.save'));
  if (isSent) await command('course.rename', { id: course.id, name: input.value.trim() }, t('history.saved'));
}

async function remove(course) {
  const answer = await ask(t('activity.trash_title', { name: courseName(course) }), t('courses.trash_text'), [
    { value: 'trash', label: t('activity.trash'), kind: 'danger main' },
    { value: '', label: t('history.cancel'), autofocus: true }]);
  if (answer !== 'trash') return;
  const { id } = course;
  if (await session.attempt(() => rpc('course.trash', { id })) === undefined) return;
  const name = courseName(course);
  const restore = element('button', { type: 'button', onclick: () =>
    command('course.restore', { id }, t('trash.restored', { name })) }, t('trash.restore'));
  location.hash = '';
  session.notice(t('trash.moved', { name }), { link: restore });
}

// The virtual partner

class PartnerForm {
  constructor() {
    this.kind = select(['pace', 'activity', 'none'].map((kind) => [kind, t(`courses.partner_${kind}`)]), 'pace',
      () => this.choose());
    this.pace = element('input', { pattern: '[0-9]{1,2}:[0-5][0-9]', placeholder: '5:30', autocomplete: 'off',
      required: true });
    this.activity = element('select', { required: true });
    this.onCourse = element('input', { type: 'checkbox' });
    this.paceRow = labelled(t('courses.partner_pace_of', { unit: paceUnit() }), this.pace);
    this.activityRow = element('div', { class: 'stack' }, labelled(t('courses.partner_of'), this.activity),
      element('label', { class: 'check' }, this.onCourse, element('span', {}, t('courses.partner_on_course'))));
    this.said = element('p', { role: 'status', hidden: true });
    this.form = element('form', { onsubmit: (event) => {
      event.preventDefault();
      this.send();
    } }, element('p', { class: 'soft' }, t('courses.partner_help')), labelled(t('courses.partner_kind'), this.kind),
    this.paceRow, this.activityRow, element('div', { class: 'buttons' },
      element('button', { class: 'main', type: 'submit' }, t('courses.partner_set'))), this.said);
    this.node = element('details', { class: 'card' }, element('summary', {}, t('courses.partner')), this.form);
    this.choose();
  }

  async choose() {
    const kind = this.kind.value;
    show(this.paceRow, kind === 'pace');
    show(this.activityRow, kind === 'activity');
    this.pace.disabled = kind !== 'pace';
    this.activity.disabled = kind !== 'activity';
    if (kind !== 'activity' || this.activity.length > 0) return;
    const list = await session.attempt(() => getLines('/api/activities', { limit: PARTNERS })) ?? [];
    this.activity.replaceChildren(...list.filter((one) => !one.open).map((one) => element('option', { value: one.id },
      [activityTitle(one), distance(one.distance_m), startText(one)].join(' · '))));
  }

  params() {
    if (this.kind.value === 'none') return {};
    if (this.kind.value === 'activity') {
      return { activity: Number(this.activity.value), on_course: this.onCourse.checked };
    }
    const [minutes, seconds] = this.pace.value.split(':').map(Number);
    return { pace_s_per_m: (minutes * 60 + seconds) / (isMetric() ? 1000 : METRES_PER_MILE) };
  }

  async send() {
    const params = this.params();
    show(this.said, false);
    if (await session.attempt(() => rpc('course.partner', params)) === undefined) return;
    setText(this.said, this.sentence(params));
    show(this.said, true);
  }

  sentence({ pace_s_per_m: kept, activity }) {
    if (kept) return t('courses.partner_keeps', { pace: pace(kept) });
    if (activity) return t('courses.partner_repeats', { name: this.activity.selectedOptions[0].textContent });
    return t('courses.partner_off');
  }
}

// The page

let map = null;

function makeUploader() {
  const loads = element('input', { type: 'checkbox' });
  return new Uploader({
    path: '/api/courses', title: t('courses.upload'), help: t('courses.upload_help'),
    controls: [element('label', { class: 'check' }, loads, element('span', {}, t('courses.upload_load')))],
    query: () => (loads.checked ? { load: 1 } : {}), describe: errorText, onDone: () => render(),
    resultOf: storedCourse,
  });
}

const back = () => element('a', { class: 'back', href: '#' }, t('courses.back'));

function replace(...children) {
  map?.destroy();
  map = null;
  session.main.replaceChildren(...children);
}

async function render() {
  const id = Number(location.hash.slice(1));
  await (id > 0 ? showCourse(id) : showList());
}

const uploader = makeUploader();
const partner = new PartnerForm();

addEventListener('hashchange', async () => {
  await render();
  scrollTo(0, 0);
  const heading = session.main.querySelector('h1');
  heading.tabIndex = -1;
  heading.focus({ preventScroll: true });
});
await render();
