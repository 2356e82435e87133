// Places near, along the course, and by name, on a map and in a list.

import { getJSON } from './api.js';
import { clustersOf } from './clusters.js';
import { element, setText, show } from './dom.js';
import { errorText, hasText, t } from './i18n.js';
import { RouteMap } from './map.js';
import { zoomOf } from './mercator.js';
import {
  bearingBetween, far, follow, Latest, metresBetween, outerLink, parsePosition, positionOf, positionText, segments,
  toggle,
} from './outside.js';
import { labelled, select, start } from './page.js';
import { markOf, placeMark } from './place-marks.js';
import { PlacePhoto } from './place-photo.js';
import { kindText, nameText, openText, phones, whereText } from './place-words.js';
import { keep, kept } from './store.js';

const KINDS = ['water', 'toilets', 'shelter', 'food', 'bicycle-shop', 'repair-station', 'pump', 'pharmacy', 'hospital',
  'aed', 'station', 'viewpoint', 'park', 'garden', 'playground', 'bench'];
const RADII = [200, 500, 1000, 2000, 5000, 10_000, 20_000];
const DEFAULT_RADIUS = { near: 2000, along: 500 };
const PAGE = 20;
const MOST = 200;
/** Of the last search: how far, in parts of its radius, and by what factor of the scale a new one is due. */
const MOVED = 0.25;
const SCALED = 1.5;
/** Milliseconds of rest after which the map is searched. */
const REST = 400;
/** Of a search of what the map shows: metres, and places. */
const FARTHEST = 50_000;
const SHOWN = 500;
/** Metres of a pixel at which streets are told apart. */
const STREETS = 2;
/** From this zoom of the map on, a tap on a group lists it. */
const NEAREST_ZOOM = 17;
/** What stands first of what is nearby, and where the browser keeps it. */
const ORDERS = ['distance', 'prominence'];
const ORDER = 'paced.places.order';
/** The value of the choice of the radius that means what the map shows. */
const AREA = 'map';

const session = await start({ needs: 'history', name: 'places' });
const requests = new Latest();
const details = new Latest();
const kinds = new Set();
const radius = { ...DEFAULT_RADIUS };
let mode = 'near';
let order = ORDERS.includes(kept(ORDER)) ? kept(ORDER) : ORDERS[0];
let limit = PAGE;
/** The middle of the search instead of the position of paced. */
let centre = null;
/** What the map showed when that was searched, instead of a radius: as `shown` of RouteMap. */
let area = null;
/** The middle, the radius and the scale of the last search nearby. */
let searched = null;
let here = null;
let course = null;
let found = [];
let chosen = null;
/** The position at the time of the search. */
let searchedAt = null;

// The parts of the page

const problem = element('p', { class: 'problem', role: 'alert', hidden: true });
const status = element('p', { role: 'status', class: 'soft' });
/** How far paced's search for a position is, unless all is well. */
const acquisition = element('p', { role: 'status', class: 'notice-line', hidden: true });
const offline = element('p', { role: 'status', class: 'soft', hidden: true }, t('places.offline'));
const list = element('ul', { class: 'results' });
const more = element('button', { type: 'button', hidden: true, onclick: () => {
  limit += PAGE;
  if (found.length > limit - PAGE) present(found, status.textContent, { keeps: true });
  else search({ keeps: true });
} }, t('places.more'));
const credit = element('p', { class: 'soft credit' });
const detail = element('section', { class: 'card', hidden: true, tabIndex: -1, 'aria-labelledby': 'place-name' });
const photo = new PlacePhoto();
const moved = element('button', { type: 'button', hidden: true, onclick: () => search({ fits: true }) },
  t('places.again'));

const modes = segments(t('places.mode'), ['near', 'along', 'name'].map((one) => [one, t(`places.mode.${one}`)]), mode,
  (value) => {
    mode = value;
    area = null;
    showFilters();
    searchAnew({ fits: true });
  });
const name = element('input', { type: 'search', id: 'name', autocomplete: 'off', required: true, maxLength: 64 });
const nameForm = element('form', { hidden: true, onsubmit: (event) => {
  event.preventDefault();
  searchAnew({ fits: true });
} }, element('label', { for: 'name' }, t('places.name')),
element('div', { class: 'line-of-controls' }, name,
  element('button', { class: 'main', type: 'submit' }, t('places.search'))));
const areaOption = element('option', { value: AREA }, t('places.radius_map'));
const radiusSelect = select(RADII.map((metres) => [String(metres), far(metres)]), String(radius.near),
  (value) => {
    if (value === AREA) return searchArea();
    radius[mode] = Number(value);
    area = null;
    return searchAnew();
  });
radiusSelect.prepend(areaOption);
const orderPart = labelled(t('places.order'), select(ORDERS.map((one) => [one, t(`places.order.${one}`)]), order,
  (value) => {
    order = value;
    keep(ORDER, value);
    searchAnew();
  }));
const chips = element('div', { class: 'chips', role: 'group', 'aria-label': t('places.kinds') },
  KINDS.map((kind) => toggle({ class: 'chip' }, false, (isOn) => {
    if (isOn) kinds.add(kind);
    else kinds.delete(kind);
    searchAnew();
  }, t(`places.kind.${kind}`))));
const around = element('input', { id: 'around', autocomplete: 'off', spellcheck: false, placeholder: '52.5,13.4' });
const backHere = element('button', { type: 'button', hidden: true, onclick: () => setCentre(null, { fits: true }) },
  t('places.around_here'));
const aroundForm = element('form', { onsubmit: (event) => {
  event.preventDefault();
  const position = parsePosition(around.value);
  if (position) setCentre(position, { fits: true });
  else report(t('places.no_position'));
} }, element('label', { for: 'around' }, t('places.around')),
element('div', { class: 'line-of-controls' }, around,
  element('button', { type: 'submit' }, t('places.search'))),
element('p', { class: 'soft' }, t('places.around_help')));
const filters = element('div', { class: 'stack' },
  element('div', { class: 'radius' }, labelled(t('places.radius'), radiusSelect), orderPart),
  element('details', {}, element('summary', {}, t('places.kinds')), chips));
const aroundPart = element('details', {}, element('summary', {}, t('places.elsewhere')), aroundForm);

const mapBox = element('div', { class: 'map-box' });
const map = new RouteMap(mapBox, { label: t('places.map'), onPoint: tap, onMove: rest,
  onClick: (position) => { if (mode === 'near') setCentre(position); } });
session.main.append(element('h1', {}, t('nav.places')), element('div', { class: 'split kept' },
  element('div', { class: 'side' }, mapBox),
  element('div', { class: 'stack' }, modes, nameForm, filters, aroundPart, acquisition, problem,
    element('div', { class: 'row' }, status, moved, backHere), detail, list, more, credit)));

function showFilters() {
  show(nameForm, mode === 'name');
  show(filters, mode !== 'name');
  show(aroundPart, mode === 'near');
  show(orderPart, mode === 'near');
  show(areaOption, mode === 'near');
  if (mode === 'name') name.focus();
  else showRadius();
  show(backHere, mode === 'near' && (centre ?? area) !== null);
}

function showRadius() {
  radiusSelect.value = area ? AREA : String(radius[mode]);
}

function setCentre(position, { fits = false } = {}) {
  centre = position;
  area = null;
  around.value = position ? positionText(position) : '';
  showFilters();
  searchAnew({ fits });
}

function report(text) {
  setText(problem, text);
  show(problem, true);
}

// The search

function searchAnew(options) {
  limit = PAGE;
  return search(options);
}

/** Searches what the map shows. The places of before stay until there are new ones. */
function searchArea() {
  if (!map.shown) return undefined;
  area = map.shown;
  centre = null;
  around.value = '';
  showFilters();
  return searchAnew();
}

let resting = null;

/** Searches once the map has been moved far enough, and rests. */
function rest() {
  clearTimeout(resting);
  resting = setTimeout(() => {
    if (map.pointers.size > 0) return rest();
    const isDue = mode === 'near' && !map.follow && map.shown && hasMoved(map.shown);
    return isDue ? searchArea() : undefined;
  }, REST);
}

function hasMoved(now) {
  if (!searched) return true;
  const scale = now.metresPerPixel / (searched.metresPerPixel ?? now.metresPerPixel);
  return metresBetween(searched, now) > MOVED * searched.radius || Math.max(scale, 1 / scale) > SCALED;
}

/** `keeps`: further places follow those of before. `fits`: the map shows them all. */
async function search({ keeps = false, fits = false } = {}) {
  show(problem, false);
  show(moved, false);
  if (mode === 'name' && name.value.trim() === '') return present([], t('places.type_name'));
  setText(status, t('places.searching'));
  searchedAt = centre ?? here;
  const middle = area ?? searchedAt;
  searched = mode === 'near' && middle ? { radius: radius.near, ...middle } : null;
  const wanted = area;
  try {
    const [page] = await requests.run((signal) =>
      Promise.all([request(signal), mode === 'along' ? loadCourse(signal) : null])) ?? [];
    if (!page) return undefined;
    const places = page.features.map(placeOf);
    setText(credit, page.attribution ?? '');
    const word = foundText(places, Boolean(wanted));
    return present(wanted ? withChosen(places) : places, word, { keeps, fits });
  } catch (error) {
    report(errorText(error));
    return wanted ? setText(status, '') : present([], '');
  }
}

/** How many places there are; `isArea`: on the map. */
function foundText(places, isArea) {
  const count = places.length;
  if (count === 0) return t('places.none');
  const isRanked = mode === 'near' && order === 'prominence';
  const isUnranked = isRanked && places.every(({ prominence }) => prominence === undefined);
  const most = isRanked ? 'places.best_known' : 'places.nearest';
  return t(isArea && count >= SHOWN ? most : 'places.count', { count }) + (isUnranked ? `. ${t('places.unranked')}` : '');
}

/** The chosen place stays, as the first one, where a moved map is searched. */
function withChosen(places) {
  return chosen ? [chosen, ...places.filter(({ id }) => id !== chosen.id)] : places;
}

function request(signal) {
  const kind = [...kinds].join(',');
  if (mode === 'name') return getJSON('/api/places/search', { text: name.value.trim() }, signal);
  if (mode === 'along') return getJSON('/api/places/along', { kind, radius: radius.along, limit }, signal);
  const at = area ?? centre;
  const query = area ? { radius: Math.min(Math.ceil(area.radius), FARTHEST), limit: SHOWN }
    : { radius: radius.near, limit };
  if (order !== ORDERS[0]) query.order = order;
  return getJSON('/api/places/near', { at: at ? positionText(at) : null, kind, ...query }, signal);
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
  const place = { id, latitude, longitude, ...properties };
  // Distances are from the user, not from the middle of the map.
  return area && here ? { ...place, distance_m: metresBetween(here, place), bearing_deg: bearingBetween(here, place) }
    : place;
}

function present(places, word, { keeps = false, fits = false } = {}) {
  const before = list.children.length;
  found = places;
  setText(status, word);
  const isCut = mode !== 'name' && !area && places.length >= limit && limit < MOST;
  show(more, places.length > rows() || isCut);
  showList();
  if (!keeps && !places.some((place) => place.id === chosen?.id)) {
    closeDetail();
    chosen = null;
  }
  drawMap();
  if (fits) map.fit();
  if (searched && !area) searched.metresPerPixel = map.shown?.metresPerPixel;
  if (keeps) list.children[before]?.querySelector('button').focus();
}

/** How many places of those that are found the list has. */
const rows = () => (mode === 'name' ? Infinity : limit);

function showList() {
  const focused = document.activeElement?.dataset?.id;
  list.replaceChildren(...found.slice(0, rows()).map(item));
  if (focused) rowOf(focused)?.focus();
}

const rowOf = (id) => [...list.querySelectorAll('button')].find(({ dataset }) => dataset.id === id);

// The list

function item(place) {
  const open = openText(place);
  const address = place.kind === 'address' ? place.address : null;
  const about = [place.name ? kindText(place) : null, address].filter(Boolean).join(', ');
  return element('li', {}, element('button', { type: 'button', class: 'result place', dataset: { id: place.id },
    'aria-pressed': String(place.id === chosen?.id), onclick: () => choose(place) }, placeMark(place.kind),
  element('span', { class: 'title' }, nameText(place)), element('span', { class: 'where figures' }, whereText(place)),
  element('span', { class: 'about' }, about),
  open ? element('span', { class: place.open ? 'good' : 'bad' }, open) : null,
  element('span', { class: 'once-more' }, t('places.once_more'))));
}

// One place

/** A row chooses its place, where the map goes then; chosen once more, it opens the details. */
function choose(place) {
  if (place.id === chosen?.id) return openDetail(place);
  pick(place);
  return map.look(place.latitude, place.longitude, Math.min(map.shown?.metresPerPixel ?? STREETS, STREETS));
}

function pick(place) {
  if (place.id !== chosen?.id) closeDetail();
  chosen = place;
  markChosen();
}

/** A tap on the map. */
function tap(point) {
  if (point.places) return openGroup(point);
  if (!point.place) return undefined;
  if (point.place.id === chosen?.id) return openDetail(chosen);
  pick(point.place);
  return lift([point.place]);
}

/** Shows the surroundings of a group, or lists its places where that does not part them. */
function openGroup({ latitude, longitude, places }) {
  if (zoomOf(map.view) < NEAREST_ZOOM) {
    map.look(latitude, longitude, map.shown.metresPerPixel / 4);
    return rest();
  }
  lift(places);
  return list.querySelector('button').focus();
}

/** Brings places into sight in the list: those below its end to its beginning. */
function lift(places) {
  const isLow = places.length > 1 || !rowOf(places[0].id);
  if (isLow) {
    found = [...places, ...found.filter((one) => !places.includes(one))];
    showList();
  }
  rowOf(places[0].id).scrollIntoView({ block: 'nearest' });
}

async function openDetail(place) {
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
    [t('places.phone'), phones(value('phone'))], [t('places.website'), outerLink(value('website'))],
    [t('places.position'), positionText(first)],
    [t('places.osm'), outerLink(value('osm'), value('osm')?.replace('https://www.', ''))],
  ].filter(([, text]) => text);
  const title = value('name') ?? kindText(first);
  photo.show(value('image'), title);
  detail.replaceChildren(element('h2', { id: 'place-name' }, title), photo.node,
    element('dl', { class: 'facts' },
      rows.flatMap(([head, text]) => [element('dt', {}, head), element('dd', {}, text)])),
    offline, element('div', { class: 'buttons' }, goLink(first, title),
      element('button', { type: 'button', onclick: leaveDetail }, t('places.close'))));
  show(detail, true);
}

/** Links to other sites need a network: that of the browser. */
const showNetwork = () => show(offline, !navigator.onLine);

function leaveDetail() {
  closeDetail();
  rowOf(chosen.id)?.focus();
}

function goLink(place, title) {
  const why = session.whyNoCommand();
  if (why) return element('p', { class: 'soft' }, t('places.go_rights'), ' ', why);
  const query = new URLSearchParams({ to: positionText(place), name: title });
  return element('a', { class: 'button main-link', href: `/routes.html?${query}` }, t('places.go'));
}

// The map

function drawMap() {
  map.setLines(mode === 'along' && track ? [{ points: track.points, colour: '--course', width: 4 }] : []);
  const middle = mode === 'near' && centre
    ? [{ ...centre, shape: 'flag', colour: '--accent', label: t('places.middle') }] : [];
  map.setPoints([...middle, ...found.map(point)], arranger());
}

function point(place) {
  const isChosen = place.id === chosen?.id;
  return { latitude: place.latitude, longitude: place.longitude, place, radius: isChosen ? 15 : 11,
    mark: markOf(place.kind), colour: isChosen ? '--bad' : '--accent', label: isChosen ? nameText(place) : undefined };
}

function groupPoint(group) {
  const { places } = group;
  return places.length === 1 ? places[0]
    : { ...group, places: places.map(({ place }) => place), radius: 16, colour: '--text', inner: `${places.length}` };
}

/** Arranges points for a view: places that would cover each other are a disc with their number, but not the chosen. */
function arranger() {
  const id = chosen?.id;
  let size = null;
  let arranged = null;
  return (points, view) => {
    if (size === view.size) return arranged;
    const places = points.filter(({ place }) => place && place.id !== id);
    size = view.size;
    arranged = [...points.filter(({ place }) => !place), ...clustersOf(places, size).map(groupPoint),
      ...points.filter(({ place }) => place && place.id === id)];
    return arranged;
  };
}

// Lines of paced

let isFirst = true;

/** What the user waits for; a search that takes a moment only is not worth a line. */
function showAcquisition(state) {
  const key = `places.acquisition.${state?.acquisition?.state}`;
  setText(acquisition, hasText(key) ? t(key) : '');
  show(acquisition, hasText(key) && mode !== 'name');
}

follow(session, { blocks: ['course'] }, (line) => {
  if (line.class === 'SETTINGS') {
    for (const option of radiusSelect.options) {
      if (option !== areaOption) setText(option, far(Number(option.value)));
    }
    showList();
  }
  if (line.class !== 'STATE') return undefined;
  here = positionOf(line);
  course = line.blocks?.course?.id ?? null;
  map.setPosition(here);
  showAcquisition(line);
  if (isFirst) {
    isFirst = false;
    if (mode === 'near' && !(centre ?? area)) search();
  }
  if (mode !== 'near' || (centre ?? area) || !here) return undefined;
  // The first search had no position, so it failed.
  if (!searchedAt) return search({ fits: true });
  if (metresBetween(here, searchedAt) > MOVED * radius.near) show(moved, true);
  return undefined;
});
for (const event of ['online', 'offline']) addEventListener(event, showNetwork);
showNetwork();
showFilters();
