// Places near, along the course, and by name, on a map and in a list.

import { getJSON } from './api.js';
import { element, setText, show } from './dom.js';
import { errorText, hasText, t } from './i18n.js';
import { RouteMap } from './map.js';
import {
  far, follow, Latest, metresBetween, outerLink, parsePosition, positionOf, positionText, segments, toggle, towards,
} from './outside.js';
import { labelled, select, start } from './page.js';

const KINDS = ['water', 'toilets', 'shelter', 'food', 'bicycle-shop', 'repair-station', 'pump', 'pharmacy', 'hospital',
  'aed', 'station', 'viewpoint', 'park', 'garden', 'playground', 'bench'];
const RADII = [200, 500, 1000, 2000, 5000, 10_000, 20_000];
const DEFAULT_RADIUS = { near: 2000, along: 500 };
const PAGE = 20;
const MOST = 200;
/** Of the last search, after which a new one is offered. */
const MOVED = 0.25;

const session = await start({ needs: 'history', name: 'places' });
const requests = new Latest();
const details = new Latest();
const kinds = new Set();
const radius = { ...DEFAULT_RADIUS };
let mode = 'near';
let limit = PAGE;
/** The middle of the search instead of the position of paced. */
let centre = null;
let here = null;
let course = null;
let found = [];
let chosen = null;
/** The position at the time of the search. */
let searchedAt = null;

// The parts of the page

const problem = element('p', { class: 'problem', role: 'alert', hidden: true });
const status = element('p', { role: 'status', class: 'soft' });
const list = element('ul', { class: 'results' });
const more = element('button', { type: 'button', hidden: true, onclick: () => {
  limit += PAGE;
  search({ keeps: true });
} }, t('places.more'));
const credit = element('p', { class: 'soft credit' });
const detail = element('section', { class: 'card', hidden: true, tabIndex: -1, 'aria-labelledby': 'place-name' });
const moved = element('button', { type: 'button', hidden: true, onclick: () => search() }, t('places.again'));

const modes = segments(t('places.mode'), ['near', 'along', 'name'].map((one) => [one, t(`places.mode.${one}`)]), mode,
  (value) => {
    mode = value;
    showFilters();
    searchAnew();
  });
const name = element('input', { type: 'search', id: 'name', autocomplete: 'off', required: true, maxLength: 64 });
const nameForm = element('form', { hidden: true, onsubmit: (event) => {
  event.preventDefault();
  searchAnew();
} }, element('label', { for: 'name' }, t('places.name')),
element('div', { class: 'line-of-controls' }, name,
  element('button', { class: 'main', type: 'submit' }, t('places.search'))));
const radiusSelect = select(RADII.map((metres) => [String(metres), far(metres)]), String(radius.near),
  (value) => {
    radius[mode] = Number(value);
    searchAnew();
  });
const chips = element('div', { class: 'chips', role: 'group', 'aria-label': t('places.kinds') },
  KINDS.map((kind) => toggle({ class: 'chip' }, false, (isOn) => {
    if (isOn) kinds.add(kind);
    else kinds.delete(kind);
    searchAnew();
  }, t(`places.kind.${kind}`))));
const around = element('input', { id: 'around', autocomplete: 'off', spellcheck: false, placeholder: '52.5,13.4' });
const backHere = element('button', { type: 'button', hidden: true, onclick: () => setCentre(null) },
  t('places.around_here'));
const aroundForm = element('form', { onsubmit: (event) => {
  event.preventDefault();
  const position = parsePosition(around.value);
  if (position) setCentre(position);
  else report(t('places.no_position'));
} }, element('label', { for: 'around' }, t('places.around')),
element('div', { class: 'line-of-controls' }, around,
  element('button', { type: 'submit' }, t('places.search')), backHere),
element('p', { class: 'soft' }, t('places.around_help')));
const filters = element('div', { class: 'stack' }, labelled(t('places.radius'), radiusSelect),
  element('details', {}, element('summary', {}, t('places.kinds')), chips));
const aroundPart = element('details', {}, element('summary', {}, t('places.elsewhere')), aroundForm);

const mapBox = element('div', { class: 'map-box' });
const map = new RouteMap(mapBox, { label: t('places.map'), onPoint: (point) => point.place && choose(point.place),
  onClick: (position) => { if (mode === 'near') setCentre(position); } });
session.main.append(element('h1', {}, t('nav.places')), element('div', { class: 'split' },
  element('div', { class: 'side' }, mapBox),
  element('div', { class: 'stack' }, modes, nameForm, filters, aroundPart, problem,
    element('div', { class: 'row' }, status, moved), detail, list, more, credit)));

function showFilters() {
  show(nameForm, mode === 'name');
  show(filters, mode !== 'name');
  show(aroundPart, mode === 'near');
  if (mode === 'name') name.focus();
  else radiusSelect.value = String(radius[mode]);
}

function setCentre(position) {
  centre = position;
  around.value = position ? positionText(position) : '';
  show(backHere, position !== null);
  searchAnew();
}

function report(text) {
  setText(problem, text);
  show(problem, true);
}

// The search

function searchAnew() {
  limit = PAGE;
  return search();
}

async function search({ keeps = false } = {}) {
  show(problem, false);
  show(moved, false);
  if (mode === 'name' && name.value.trim() === '') return present([], t('places.type_name'));
  setText(status, t('places.searching'));
  searchedAt = centre ?? here;
  try {
    const [page] = await requests.run((signal) =>
      Promise.all([request(signal), mode === 'along' ? loadCourse(signal) : null])) ?? [];
    if (!page) return undefined;
    const places = page.features.map(placeOf);
    setText(credit, page.attribution ?? '');
    const word = places.length === 0 ? t('places.none') : t('places.count', { count: places.length });
    return present(places, word, { keeps });
  } catch (error) {
    report(errorText(error));
    return present([], '');
  }
}

function request(signal) {
  const kind = [...kinds].join(',');
  if (mode === 'name') return getJSON('/api/places/search', { text: name.value.trim() }, signal);
  if (mode === 'along') return getJSON('/api/places/along', { kind, radius: radius.along, limit }, signal);
  const at = centre ? positionText(centre) : null;
  return getJSON('/api/places/near', { at, kind, radius: radius.near, limit }, signal);
}

let track = null;

/** The track of the loaded course, for the map. */
async function loadCourse(signal) {
  if (course === null || track?.id === course) return;
  const file = await getJSON(`/api/courses/${course}/file`, { format: 'geojson' }, signal);
  const lines = file.features.map(({ geometry }) => geometry).filter((geometry) => geometry?.type === 'LineString');
  const points = lines.flatMap(({ coordinates }) => [...coordinates.map(([lon, lat]) => [lat, lon]), null]);
  track = { id: course, points };
}

function placeOf({ id, geometry, properties }) {
  const [longitude, latitude] = geometry.coordinates;
  return { id, latitude, longitude, ...properties };
}

function present(places, word, { keeps = false } = {}) {
  const before = found.length;
  found = places;
  setText(status, word);
  show(more, mode !== 'name' && places.length >= limit && limit < MOST);
  list.replaceChildren(...places.map(item));
  if (!keeps && !places.some((place) => place.id === chosen?.id)) closeDetail();
  if (keeps) list.children[before]?.querySelector('button').focus();
  drawMap();
}

// The list

/** What it is, in the most telling words. */
function kindText({ kind, detail: value = '' }) {
  const telling = ['food', 'place', 'station', 'shelter', 'street'].includes(kind) && value && value !== 'yes';
  if (telling && hasText(`places.detail.${value}`)) return t(`places.detail.${value}`);
  return hasText(`places.kind.${kind}`) ? t(`places.kind.${kind}`) : kind;
}

const nameText = (place) => place.name ?? kindText(place);

function whereText(place) {
  if (place.ahead_m !== undefined) {
    const side = place.side === 'on_course' ? null : t(`places.side.${place.side}`, { distance: far(place.detour_m) });
    return [t('places.ahead', { distance: far(place.ahead_m) }), side ?? t('places.on_course')].join(', ');
  }
  return place.distance_m === undefined ? '' : towards(place.distance_m, place.bearing_deg);
}

function openText({ open }) {
  return open === undefined ? null : t(open ? 'places.open' : 'places.closed');
}

function item(place) {
  const open = openText(place);
  const address = place.kind === 'address' ? place.address : null;
  const about = [place.name ? kindText(place) : null, address].filter(Boolean).join(', ');
  return element('li', {}, element('button', { type: 'button', class: 'result', dataset: { id: place.id },
    'aria-pressed': String(place.id === chosen?.id), onclick: () => choose(place) },
  element('span', { class: 'title' }, nameText(place)), element('span', { class: 'where figures' }, whereText(place)),
  element('span', { class: 'about' }, about),
  open ? element('span', { class: place.open ? 'good' : 'bad' }, open) : null));
}

// One place

async function choose(place) {
  chosen = place;
  markChosen();
  showDetail([place]);
  detail.focus({ preventScroll: true });
  detail.scrollIntoView({ block: 'nearest' });
  try {
    const page = await details.run((signal) => getJSON('/api/places/show', { id: place.id }, signal));
    if (page?.features.length > 0) showDetail(page.features.map(placeOf));
  } catch (error) {
    detail.append(element('p', { class: 'problem', role: 'alert' }, errorText(error)));
  }
}

function markChosen() {
  for (const button of list.querySelectorAll('button')) {
    button.setAttribute('aria-pressed', String(button.dataset.id === chosen?.id));
  }
  drawMap();
}

function closeDetail() {
  details.cancel();
  chosen = null;
  show(detail, false);
}

/** `places`: the kinds that one element has. */
function showDetail(places) {
  const first = places[0];
  const telling = places.filter(({ kind }, _, all) => kind !== 'address' || all.length === 1);
  const value = (member) => places.map((place) => place[member]).find((one) => one !== undefined && one !== '');
  const open = openText({ open: value('open') });
  const rows = [
    [t('places.what'), [...new Set(telling.map(kindText))].join(', ')], [t('places.where'), whereText(chosen)],
    [t('places.open_now'), open], [t('places.hours'), value('opening_hours')], [t('places.address'), value('address')],
    [t('places.phone'), phone(value('phone'))], [t('places.website'), outerLink(value('website'))],
    [t('places.position'), positionText(first)],
    [t('places.osm'), outerLink(value('osm'), value('osm')?.replace('https://www.', ''))],
  ].filter(([, text]) => text);
  detail.replaceChildren(element('h2', { id: 'place-name' }, value('name') ?? kindText(first)),
    element('dl', { class: 'facts' },
      rows.flatMap(([head, text]) => [element('dt', {}, head), element('dd', {}, text)])),
    element('div', { class: 'buttons' }, goLink(first, value('name') ?? kindText(first)),
      element('button', { type: 'button', onclick: leaveDetail }, t('places.close'))));
  show(detail, true);
}

function leaveDetail() {
  const button = [...list.querySelectorAll('button')].find(({ dataset }) => dataset.id === chosen?.id);
  closeDetail();
  markChosen();
  button?.focus();
}

function goLink(place, title) {
  const why = session.whyNoCommand();
  if (why) return element('p', { class: 'soft' }, t('places.go_rights'), ' ', why);
  const query = new URLSearchParams({ to: positionText(place), name: title });
  return element('a', { class: 'button main-link', href: `/routes.html?${query}` }, t('places.go'));
}

function phone(text) {
  const digits = text?.replace(/[^+0-9]/g, '');
  return digits?.length > 2 ? element('a', { href: `tel:${digits}` }, text) : text;
}

// The map

function drawMap() {
  map.setLines(mode === 'along' && track ? [{ points: track.points, colour: '--course', width: 4 }] : []);
  const points = found.map((place) => ({ ...point(place), place }));
  const middle = mode === 'near' && centre
    ? [{ ...centre, shape: 'flag', colour: '--accent', label: t('places.middle') }] : [];
  map.setPoints([...middle, ...points.filter(({ place }) => place.id !== chosen?.id),
    ...points.filter(({ place }) => place.id === chosen?.id)]);
}

function point(place) {
  const isChosen = place.id === chosen?.id;
  return { latitude: place.latitude, longitude: place.longitude, radius: isChosen ? 10 : 6,
    colour: isChosen ? '--bad' : '--accent', label: isChosen ? nameText(place) : undefined };
}

// Lines of paced

let isFirst = true;

follow(session, { blocks: ['course'] }, (line) => {
  if (line.class === 'SETTINGS') {
    for (const option of radiusSelect.options) setText(option, far(Number(option.value)));
    list.replaceChildren(...found.map(item));
  }
  if (line.class !== 'STATE') return;
  here = positionOf(line);
  course = line.blocks?.course?.id ?? null;
  map.setPosition(here);
  if (isFirst) {
    isFirst = false;
    if (mode === 'near' && !centre) search();
  }
  if (mode !== 'near' || centre || !here) return;
  const isFar = searchedAt ? metresBetween(here, searchedAt) > MOVED * radius.near : !problem.hidden;
  if (isFar) show(moved, true);
});
showFilters();
