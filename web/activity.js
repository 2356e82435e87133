// One activity: its figures, its map, laps, zones and sensors; editing, downloads and deletion.

import { getJSON, getLines, request, rpc } from './api.js';
import { badgePicture } from './badge-art.js';
import { badgeName, badgeStory } from './badge-text.js';
import { ask, element, show } from './dom.js';
import {
  distance, duration, height, pace, percent, rate, speed, temperature,
} from './format.js';
import {
  activityTitle, askHide, averageOf, bar, bestName, bestValue, courseLink, downloadFrom, form, mapPoints, markList,
  marksOf, onFoot, paged, profileOf, sportOptions, startText, table, valueList, whole,
} from './history.js';
import { clock, date, hasText, number, t } from './i18n.js';
import { RouteMap } from './map.js';
import { labelled, select, start } from './page.js';
import { Profile } from './profile.js';
import {
  badgePlaces, FASTEST, linesOfSeconds, secondsOf, speedColour, speedStretches,
} from './speed-line.js';
import { exportFormats } from './tables.js';

const LAPS_AT_ONCE = 100;

const session = await start({ needs: 'history', name: 'activities', offline: true });
let map = null;
/** Draws the line of the map in the colours of the theme. */
let colourMap = () => {};

// Figures

const rateOf = (secondsPerMetre, sport) => (secondsPerMetre > 0 ? rate(secondsPerMetre, sport) : null);
const turns = (value, sport) => whole(value, t(sport === 'ride' ? 'activity.rpm' : 'activity.steps'));
const metres = (value) => (Number.isFinite(value) ? height(value) : null);

function leadFigures({ sport, ...total }) {
  return [
    [t('field.distance'), distance(total.distance_m)], [t('field.time'), duration(total.elapsed_ms)],
    [t(sport === 'ride' ? 'field.average_speed' : 'field.average_pace'), averageOf(total, sport)],
    [t('field.average_heart_rate'), whole(total.average_bpm, 'bpm')],
    [t('field.ascent'), metres(total.ascent_m)],
  ];
}

function otherFigures({ sport, ...total }) {
  const paused = total.total_ms - total.elapsed_ms;
  const isRide = sport === 'ride';
  const stood = total.elapsed_ms - (total.moving_ms ?? total.elapsed_ms) >= 1000;
  return [
    [t('field.moving_time'), stood ? duration(total.moving_ms) : null],
    [t('activity.paused'), paused >= 1000 ? duration(paused) : null],
    [t(isRide ? 'field.average_moving_speed' : 'field.average_moving_pace'),
      stood ? rateOf(total.average_moving_pace_s_per_m, sport) : null],
    [t('field.average_grade_adjusted_pace'),
      total.average_grade_adjusted_pace_s_per_m ? pace(total.average_grade_adjusted_pace_s_per_m) : null],
    [t(isRide ? 'field.max_speed' : 'field.max_pace'),
      total.max_speed_mps > 0 ? rate(1 / total.max_speed_mps, sport) : null],
    [t('field.max_heart_rate'), whole(total.max_bpm, 'bpm')],
    [t('field.energy'), whole(total.energy_kcal, 'kcal')],
    [t('field.trimp'), total.trimp === undefined ? null : number(total.trimp)],
    [t('field.average_power'), whole(total.average_power_w, 'W')],
    [t('field.normalized_power'), whole(total.normalized_power_w, 'W')],
    [t('field.max_power'), whole(total.max_power_w, 'W')],
    [t('field.work'), total.work_j === undefined ? null : whole(total.work_j / 1000, 'kJ')],
    [t('field.average_cadence'), turns(total.average_cadence_rpm, sport)],
    [t('field.max_cadence'), turns(total.max_cadence_rpm, sport)],
    [t('field.descent'), metres(total.descent_m)],
    [t('activity.gaps'), total.gaps > 0 ? number(total.gaps) : null],
  ];
}

/** How the ascent was measured, and how well. */
function ascentText({ ascent_source: source, ascent_error_m: error }) {
  if (!source) return null;
  return element('p', { class: 'soft' }, t(`activity.ascent_by.${source}`, { error: metres(error) ?? '--' }));
}

const card = (title, ...children) => element('section', { class: 'card' }, element('h2', {}, title), ...children);

// Laps, zones, bests

function lapsCard(laps, sport) {
  if (laps.length < 2) return null;
  const columns = [
    [t('field.laps'), (lap) => number(lap.number)], [t('field.distance'), (lap) => distance(lap.distance_m)],
    [t('field.time'), (lap) => duration(lap.elapsed_ms)],
    [t(sport === 'ride' ? 'field.speed' : 'field.pace'), (lap) => averageOf(lap, sport)],
    [t('field.heart_rate'), (lap) => whole(lap.average_bpm, 'bpm')],
    [t('field.power'), (lap) => whole(lap.average_power_w, 'W')], [t('field.ascent'), (lap) => metres(lap.ascent_m)],
  ].filter(([, cell]) => laps.some((lap) => cell(lap)));
  const frame = table(t('activity.laps'), columns.map(([title]) => [title, true]), []);
  const more = paged(frame.querySelector('tbody'), laps, (lap) => element('tr', {}, columns.map(([, cell]) =>
    element('td', { class: 'number' }, cell(lap) ?? ''))), LAPS_AT_ONCE);
  return card(t('activity.laps'), frame, more);
}

/** Times in zones as bars. `zones`: [name, from, milliseconds, colour]. */
function zonesCard(title, zones) {
  const all = zones.reduce((sum, [, , time]) => sum + time, 0);
  if (all === 0) return null;
  const most = Math.max(...zones.map(([, , time]) => time));
  return card(title, table(title, [[t('field.zone')], [t('activity.zone_from'), true], [t('field.time'), true],
    [t('activity.share'), true], ['']], zones.map(([name, from, time, colour]) =>
    [name, from, duration(time), percent(time / all * 100, 0), bar(time / most, colour)])));
}

function heartZones({ zones, zone_ms: times }) {
  if (!zones || !times) return null;
  return zonesCard(t('activity.zones'), times.map((time, zone) => (zone === 0
    ? [t('live.warm_up'), '', time, '--zone-0']
    : [t('live.zone', { zone }), `${zones[zone - 1]} bpm`, time, `--zone-${zone}`])));
}

function powerZones({ power_zone_ms: times }) {
  if (!times) return null;
  return zonesCard(t('activity.power_zones'), times.map((time, index) =>
    [t('live.zone', { zone: index + 1 }), '', time, `--zone-${Math.min(index, 5)}`]));
}

function bestsCard(bests) {
  if (!bests?.length) return null;
  return card(t('activity.bests'), table(t('activity.bests'), [[t('badges.best')], [t('badges.value'), true],
    [t('badges.from'), true]], bests.map((best) => [bestName(best), element('strong', {}, bestValue(best)),
    best.from_distance_m === undefined ? duration(best.from_elapsed_ms) : distance(best.from_distance_m)])));
}

function variabilityCard(hrv) {
  if (!hrv) return null;
  const milliseconds = (value) => (value === undefined ? null : `${number(value, 1)} ms`);
  return card(t('activity.hrv'), valueList([
    [t('activity.mean_rr'), milliseconds(hrv.mean_rr_ms)], ['RMSSD', milliseconds(hrv.rmssd_ms)],
    ['SDNN', milliseconds(hrv.sdnn_ms)], ['pNN50', hrv.pnn50_percent === undefined ? null : percent(hrv.pnn50_percent)],
    ['DFA α1', hrv.dfa_alpha1 === undefined ? null : number(hrv.dfa_alpha1, 2)],
    [t('activity.artifacts'), percent(hrv.artifact_percent)],
  ]));
}

// What it was recorded with, and in

function sensorsCard(sensors) {
  if (!sensors?.length) return null;
  return card(t('activity.sensors'), element('ul', { class: 'lines' }, sensors.map((sensor) => {
    const maker = [sensor.manufacturer, sensor.model].filter(Boolean).join(' ');
    const name = sensor.name ?? (maker || t('activity.sensor'));
    const { battery_percent: charge } = sensor;
    const battery = charge === undefined ? null : t('activity.battery', { percent: charge });
    return element('li', {}, element('strong', {}, name), element('div', { class: 'soft' },
      [sensor.kinds.map(kindName).join(', '), name === maker ? null : maker, battery].filter(Boolean).join(' · ')));
  })));
}

const kindName = (kind) => (hasText(`activity.kind.${kind}`) ? t(`activity.kind.${kind}`) : kind);

function weatherCard(weather) {
  if (!weather) return null;
  const wind = weather.wind_speed_mps;
  return card(t('activity.weather'), valueList([
    [t('field.temperature'), weather.temperature_c === undefined ? null : temperature(weather.temperature_c)],
    [t('live.wind'), wind === undefined ? null : wind > 0 ? speed(wind) : t('live.calm')],
    [t('activity.wind_from'), windFrom(weather)],
    [t('activity.gusts'), weather.wind_gust_mps === undefined ? null : speed(weather.wind_gust_mps)],
    [t('field.humidity'), whole(weather.humidity_percent, '%')],
    [t('field.pressure'), whole(weather.pressure_hpa, 'hPa')],
    [t('activity.weather_codes'), weather.codes?.join(' ')],
  ]), element('p', { class: 'soft' }, t('activity.station', { station: weather.station,
    distance: distance(weather.distance_m), time: observed(weather.observed_at) })));
}

function windFrom({ wind_variable: isVariable, wind_from_deg: degrees }) {
  if (isVariable) return t('live.wind_variable');
  return degrees === undefined ? null : `${number(degrees)}°`;
}

const observed = (time) => (Number.isNaN(Date.parse(time)) ? time : `${date(time)}, ${clock(time)}`);

function sourceCard(source) {
  if (!source) return null;
  const values = [
    [t('field.distance'), source.distance_m === undefined ? null : distance(source.distance_m)],
    [t('field.time'), source.elapsed_ms === undefined ? null : duration(source.elapsed_ms)],
    [t('activity.with_pauses'), source.total_ms === undefined ? null : duration(source.total_ms)],
    [t('field.ascent'), metres(source.ascent_m)], [t('field.average_heart_rate'), whole(source.average_bpm, 'bpm')],
    [t('field.max_heart_rate'), whole(source.max_bpm, 'bpm')],
    [t('field.average_power'), whole(source.average_power_w, 'W')],
    [t('field.max_power'), whole(source.max_power_w, 'W')],
    [t('field.normalized_power'), whole(source.normalized_power_w, 'W')],
    [t('field.energy'), whole(source.energy_kcal, 'kcal')],
  ];
  return card(t('activity.source'), source.creator ? element('p', {}, source.creator) : null,
    element('div', { class: 'small' }, valueList(values)));
}

// The map

/** The route and its elevation. Without positions the card says so, and the other one is removed. */
async function drawRoute({ id, sport }, mapCard, profileCard) {
  let seconds = [];
  try {
    const response = await request(`/api/activities/${id}/file`, { query: { format: 'csv' } });
    seconds = secondsOf(await response.text());
  } catch {
    // The error of an activity that does not exist has been shown.
  }
  const lines = linesOfSeconds(seconds);
  if (lines.length === 0) {
    mapCard.querySelector('.chart').replaceWith(element('p', {}, t('activity.no_positions')));
    profileCard.remove();
    return;
  }
  showMap(lines, sport, mapCard);
  const measured = lines.map((line) => line.map(({ latitude, longitude, altitude, metres: way }) =>
    [latitude, longitude, Number.isFinite(altitude) ? altitude : undefined, way]));
  const line = profileOf(measured);
  show(profileCard, line.altitudes.some(Number.isFinite));
  new Profile(profileCard).set({ lines: [{ ...line, isFilled: true }] });
  if (onFoot.includes(sport)) await showBadges(seconds, lines, mapCard);
}

function showMap(lines, sport, mapCard) {
  const { scale, stretches } = speedStretches(lines);
  const base = mapPoints(lines.map((line) => line.map(({ latitude, longitude }) => [latitude, longitude])));
  map?.destroy();
  const legend = element('p', { class: 'legend' });
  mapCard.append(legend);
  const chart = mapCard.querySelector('.chart');
  map = new RouteMap(chart, { label: t('activity.route'), buttons: 'view', onPoint: (point) => point.open?.() });
  colourMap = () => {
    map.setLines(scale ? colouredLines(base, stretches) : [{ points: base, colour: '--trail' }]);
    legend.replaceChildren(...scale ? legendOf(scale, sport) : []);
  };
  colourMap();
  map.setPoints(endsOf(lines));
}

const endsOf = (lines) => [[lines.at(-1).at(-1), t('activity.end'), 'flag'], [lines[0][0], t('activity.start'), 'dot']]
  .map(([{ latitude, longitude }, label, shape]) => ({ latitude, longitude, label, shape }));

const isPaper = () => document.documentElement.dataset.theme === 'e-ink';

/** A dark line below the colours; on paper thicker lines are faster. */
function colouredLines(base, stretches) {
  const colours = stretches.map((points, number) => ({ points, casing: null, ...isPaper()
    ? { colour: '--text', width: [2, 4, 7][Math.floor(number * 3 / (FASTEST + 1))] }
    : { colour: speedColour(number), width: 5 } })).filter(({ points }) => points.length > 0);
  return isPaper() ? colours : [{ points: base, colour: '--speed-casing', width: 8, casing: null }, ...colours];
}

/** What the colours mean. */
function legendOf({ slow, median, fast }, sport) {
  const word = (key, speedValue) => element('span', {}, t(key, { rate: rate(1 / speedValue, sport) }));
  return [word('activity.slow', slow), element('i', { 'aria-hidden': 'true' }), word('activity.fast', fast),
    word(isPaper() ? 'activity.median_paper' : 'activity.median', median)];
}

/** Stars on the map where badges were earned, and the same as a list of buttons. */
async function showBadges(seconds, lines, mapCard) {
  const places = badgePlaces(await getLines('/api/badges').catch(() => []), seconds);
  if (places.length === 0) return;
  const note = element('div', { class: 'badge-note pictured', role: 'status', hidden: true });
  const open = (place) => {
    note.replaceChildren(...badgeWords(place));
    show(note, true);
  };
  const points = places.map((place) => ({ latitude: place.second.latitude, longitude: place.second.longitude,
    shape: 'star', radius: 9, colour: '--star', open: () => open(place) }));
  map.setPoints([...points, ...endsOf(lines)]);
  const buttons = places.map((place, index) => element('button', { type: 'button', onclick: () => {
    open(place);
    map.look(points[index].latitude, points[index].longitude, 4);
  } }, `★ ${badgeName(place.badge)}`));
  mapCard.append(note, element('details', { class: 'on-the-way' }, element('summary', {},
    t('activity.badges', { count: places.length })), element('div', { class: 'buttons' }, buttons)));
}

function badgeWords({ badge, distance_m: metresOf, second }) {
  const story = badgeStory(badge);
  return [badgePicture(badge), element('div', {}, element('h3', {}, badgeName(badge)),
    story ? element('p', {}, story) : null, element('p', { class: 'soft' }, t('activity.badge_at', {
      distance: distance(metresOf), time: duration(Math.round(second.elapsed * 1000)) })))];
}

// Actions

function reportLinks(id) {
  const link = (text, options) => element('a', { class: 'button', href: `/report.html#${id}${options}` }, text);
  return card(t('activity.report'), element('p', { class: 'soft' }, t('activity.report_help')),
    element('div', { class: 'buttons' }, link(t('activity.report_hidden'), ''),
      link(t('activity.report_whole'), '&hide=0')));
}

function downloads(id) {
  const get = async (format) => {
    const choice = await askHide(t('activity.download_as', { format: t(`format.${format}`) }));
    if (choice === null) return;
    const { hide } = choice;
    if (format === 'html') await downloadFrom(session, `/api/activities/${id}/report`, { hide }, `activity-${id}.html`);
    else await downloadFrom(session, `/api/activities/${id}/file`, { format, ...choice });
  };
  return card(t('activity.downloads'), element('p', { class: 'soft' }, t('activity.downloads_help')),
    element('div', { class: 'buttons formats' }, [...exportFormats, 'html'].map((format) =>
      element('button', { type: 'button', onclick: () => get(format) }, t(`format.${format}`)))));
}

async function edit({ id, name, sport }) {
  const nameInput = element('input', { maxLength: 64, value: name ?? '', required: name !== undefined,
    autocomplete: 'off' });
  const sportSelect = select(sportOptions(), sport, () => {});
  const isSent = await form(t('activity.edit'), [labelled(t('activity.name'), nameInput),
    labelled(t('activities.sport'), sportSelect)], t('history.save'));
  const changed = {};
  if (nameInput.value.trim() !== (name ?? '')) changed.name = nameInput.value.trim();
  if (sportSelect.value !== sport) changed.sport = sportSelect.value;
  if (!isSent || Object.keys(changed).length === 0) return;
  if (await session.attempt(() => rpc('activities.edit', { id, ...changed })) === undefined) return;
  await load();
  session.notice(t('history.saved'));
}

async function remove(summary) {
  const answer = await ask(t('activity.delete_title', { name: activityTitle(summary) }), t('activity.delete_text', {
    start: startText(summary), distance: distance(summary.distance_m) }), [
    { value: 'delete', label: t('history.delete'), kind: 'danger main' },
    { value: '', label: t('history.cancel'), autofocus: true }]);
  if (answer !== 'delete') return;
  if (await session.attempt(() => rpc('activities.delete', { id: summary.id })) === undefined) return;
  session.main.replaceChildren(back(), element('p', { role: 'status' }, t('activity.deleted')));
}

/** Stores the way of the activity as a course. */
async function makeCourse({ id }) {
  const made = await session.attempt(async () =>
    (await request(`/api/activities/${id}/course`, { method: 'POST' })).json());
  if (!made) return;
  const name = made.name ?? t('courses.unnamed', { id: made.id });
  session.notice(t('activity.course_made', { name }), { link: courseLink(made.id) });
}

function commands(summary) {
  const why = session.whyNoCommand();
  if (why) return element('p', { class: 'soft' }, why);
  return element('div', { class: 'buttons' },
    element('button', { type: 'button', onclick: () => edit(summary) }, t('activity.edit')),
    element('button', { type: 'button', onclick: () => makeCourse(summary) }, t('activity.make_course')),
    element('button', { class: 'danger', type: 'button', onclick: () => remove(summary) }, t('history.delete')));
}

// The page

const back = () => element('a', { class: 'back', href: '/activities.html' }, t('activity.back'));

function render(activity) {
  const { summary, laps = [] } = activity;
  const title = activityTitle(summary);
  document.title = `${title} – paced`;
  const route = card(t('activity.route'), element('div', { class: 'chart' }));
  const profile = card(t('profile.label'));
  const about = [summary.name === undefined ? null : t(`sport.${summary.sport}`), startText(summary)];
  session.main.replaceChildren(back(), element('div', { class: 'title' }, element('h1', {}, title), element('p', {},
    about.filter(Boolean).join(' · '), ' ', markList(marksOf(summary)))),
  element('div', { class: 'stack' },
    element('section', { class: 'card lead', 'aria-label': t('activity.figures') }, valueList(leadFigures(summary))),
    element('div', { class: 'two' }, element('div', { class: 'stack' }, route, profile),
      element('div', { class: 'stack' }, card(t('activity.more'), valueList(otherFigures(summary)),
        ascentText(summary)), reportLinks(summary.id))),
    lapsCard(laps, summary.sport), element('div', { class: 'columns' }, [heartZones(activity), powerZones(activity),
      bestsCard(activity.bests), variabilityCard(activity.hrv), weatherCard(activity.weather),
      sensorsCard(activity.sensors), sourceCard(activity.source_totals)]),
    downloads(summary.id), commands(summary),
    summary.uuid ? element('p', { class: 'soft uuid' }, t('activity.uuid', { uuid: summary.uuid })) : null));
  drawRoute(summary, route, profile);
}

async function load() {
  const activity = await session.attempt(() => getJSON(`/api/activities/${encodeURIComponent(location.hash.slice(1))}`));
  if (activity) render(activity);
  else session.main.replaceChildren(back(), element('h1', {}, t('nav.activities')));
}

addEventListener('paced-theme', () => colourMap());
addEventListener('hashchange', () => load());
await load();
