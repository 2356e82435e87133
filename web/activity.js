// One activity: its figures, its map and charts, laps, zones and sensors; another one beside it; and what can be done.

import {
  bestsCard, figuresCard, heartZones, leadFigures, ownCard, powerZones, sensorsCard, sourceCard, variabilityCard,
  weatherCard,
} from './activity-cards.js';
import { back, commands, downloads, reportLinks } from './activity-actions.js';
import { LapsCard } from './activity-laps.js';
import { markCard, runMarks } from './activity-marks.js';
import { TrackCard } from './activity-track.js';
import { getJSON, getLines, request, token } from './api.js';
import { badgePicture } from './badge-art.js';
import { badgeName, badgeStory } from './badge-text.js';
import { element, show } from './dom.js';
import { distance, duration } from './format.js';
import { activityTitle, bestName, bestValue, markList, marksOf, onFoot, startText, valueList } from './history.js';
import { t } from './i18n.js';
import { declare } from './own-fields.js';
import { start } from './page.js';
import { badgePlaces, bestRows } from './stretch.js';
import { trackOf } from './track.js';

/** The seconds of the first activity: the slowest part is asked for before the rights of the page are known. */
const early = token.get() && /^[\w-]+$/.test(addressed().id)
  ? { id: addressed().id, csv: readSeconds(addressed().id) } : null;
const session = await start({ needs: 'history', name: 'activities', offline: true });
/** The card of the map and the charts that is shown. */
let shown = null;
/** The number of the last load: what an earlier one still reads is not shown. */
let loads = 0;

// Reading

function pathOf(id) {
  return `/api/activities/${encodeURIComponent(id)}`;
}

/** The seconds of an activity as a file; null if there are none. */
async function readSeconds(id) {
  try {
    return await (await request(`${pathOf(id)}/file`, { query: { format: 'csv' } })).text();
  } catch {
    // The error of an activity that does not exist is shown.
    return null;
  }
}

/** The track of a file with the fields of other programs; null without one. */
function trackFrom(csv, { distance_m: metres }, fields) {
  const track = csv === null ? null : trackOf(csv, metres, fields.map(({ name }) => name));
  return track?.count > 0 ? track : null;
}

/** The activity of the address, and the one beside it: #ID or #ID&with=OTHER. */
function addressed() {
  const [id, options = ''] = location.hash.slice(1).split('&', 2);
  return { id, other: new URLSearchParams(options).get('with') };
}

// Bests and badges

/** Marks on charts and map: [{ row, sign, title, point, open }]; `point` is drawn at its row if it has no place. */
function bestMarks(bests, track, select) {
  return (bests ?? []).flatMap((best) => {
    const rows = bestRows(track, best);
    if (!rows) return [];
    const name = `${bestName(best)}: ${bestValue(best)}`;
    return [{ row: Math.round((rows.from + rows.to) / 2), sign: '◆', title: name,
      point: { shape: 'flag', radius: 5, colour: '--accent' }, open: () => select({ ...rows, name }) }];
  });
}

function badgeWords({ badge, distance_m: metres }, seconds) {
  const story = badgeStory(badge);
  return [badgePicture(badge), element('div', {}, element('h3', {}, badgeName(badge)),
    story ? element('p', {}, story) : null, element('p', { class: 'soft' }, t('activity.badge_at', {
      distance: distance(metres), time: duration(Math.round(seconds * 1000)) })))];
}

/** Marks of the badges, and the same as a list of buttons below the map. */
async function badgeMarks(card, track) {
  const places = badgePlaces(await getLines('/api/badges').catch(() => []), track);
  if (places.length === 0) return [];
  const note = element('div', { class: 'badge-note pictured', role: 'status', hidden: true });
  const marks = places.map((place) => ({ row: place.row, sign: '★', title: badgeName(place.badge),
    point: { shape: 'star', radius: 9, colour: '--star' }, open: () => {
      note.replaceChildren(...badgeWords(place, track.elapsed[place.row]));
      show(note, true);
      card.charts?.move(place.row);
    } }));
  const buttons = marks.map((mark) => element('button', { type: 'button', onclick: () => {
    mark.open();
    card.map.lookAt(mark.row);
  } }, `★ ${mark.title}`));
  card.side.append(note, element('details', { class: 'on-the-way' }, element('summary', {},
    t('activity.badges', { count: places.length })), element('div', { class: 'buttons' }, buttons)));
  return marks;
}

/** Shows bests, badges and the user's marks on the charts and the map. */
async function showMarks(card, { summary, bests, marks: own }, track) {
  const made = track ? runMarks(own, track, (row) => card.charts?.move(row)) : [];
  const list = markCard(own, track && ((index) => made[index].open()));
  if (list) card.side.append(list);
  if (!track) return;
  const marks = bestMarks(bests, track, (stretch) => card.select(stretch));
  const show = () => {
    // Flags with a number are over the others.
    const all = [...marks, ...made];
    card.charts?.setMarks(all);
    card.map?.setPoints(all.map(({ row, point, open }) => ({ ...card.map.pointOf(row), ...point, open }))
      .filter(({ latitude }) => Number.isFinite(latitude)));
  };
  show();
  if (!onFoot.includes(summary.sport) || !card.map) return;
  marks.push(...await badgeMarks(card, track));
  show();
}

// Comparing

async function choose(summary, track) {
  const { chooseOther } = await import('./activity-compare.js');
  await chooseOther(session, summary, track);
}

/** Shows another activity beside this one, in a place of the page. */
async function compare({ summary, fields }, track, otherId, place) {
  const { compareCard } = await import('./activity-compare.js');
  const other = await session.attempt(() => getJSON(pathOf(otherId)));
  if (!other) return;
  const otherTrack = trackFrom(await readSeconds(otherId), other.summary, fields);
  place.append(compareCard(summary, other.summary));
  if (track && otherTrack) shown.showOther(otherTrack);
}

// Uploads

/** Shows where paced-link uploads the activity. It takes none that is in progress, of the demo or in the trash. */
async function uploads({ uuid, open, demo, trashed }, place) {
  if (!session.rights.link || session.storedAt !== null || !uuid || open || demo || trashed) return;
  const { showUploads } = await import('./activity-uploads.js');
  showUploads(session, uuid, place);
}

// The page

/** The parts that need no track; the others have a place. */
function render(activity) {
  const { summary } = activity;
  const title = activityTitle(summary);
  document.title = `${title} – paced`;
  const about = [summary.name === undefined ? null : t(`sport.${summary.sport}`), startText(summary)];
  shown?.destroy();
  const places = { compared: element('div', { class: 'compared' }), laps: element('div', { class: 'laps-place' }),
    sensors: element('div', {}), uploads: element('div', { class: 'uploads-place' }) };
  shown = new TrackCard({ sport: summary.sport, onSelect: (stretch) => places.lapsCard?.mark(stretch) });
  const card = shown;
  const selectBest = (best) => {
    const rows = card.track && bestRows(card.track, best);
    if (rows) card.select({ ...rows, name: `${bestName(best)}: ${bestValue(best)}` });
  };
  const comparing = element('button', { type: 'button', onclick: () => choose(summary, card.track) },
    t('compare.button'));
  session.main.replaceChildren(back(), element('div', { class: 'title' }, element('h1', {}, title), comparing,
    element('p', {}, about.filter(Boolean).join(' · '), ' ', markList(marksOf(summary)))),
  element('div', { class: 'stack' },
    element('section', { class: 'card lead', 'aria-label': t('activity.figures') }, valueList(leadFigures(summary))),
    places.compared, card.node, places.laps,
    element('div', { class: 'columns' }, [figuresCard(summary), heartZones(activity), powerZones(activity),
      bestsCard(activity.bests, selectBest), ownCard(activity.fields),
      variabilityCard(activity.hrv), weatherCard(activity.weather), places.sensors,
      sourceCard(activity.source_totals), reportLinks(summary.id)]),
    downloads(session, summary.id), places.uploads, commands(session, summary, load),
    summary.uuid ? element('p', { class: 'soft uuid' }, t('activity.uuid', { uuid: summary.uuid })) : null));
  uploads(summary, places.uploads);
  return places;
}

/** The parts that need the track. */
function fill(activity, track, places) {
  const { summary, laps = [], fields, sensors } = activity;
  const card = shown;
  card.fill(track);
  places.lapsCard = new LapsCard({ laps, fields, track, sport: summary.sport,
    onSelect: (stretch) => card.select(stretch) });
  if (places.lapsCard.node) places.laps.append(places.lapsCard.node);
  const own = sensorsCard(sensors, card.losses);
  if (own) places.sensors.append(own);
  showMarks(card, activity, track);
}

async function load() {
  loads += 1;
  const own = loads;
  const { id, other } = addressed();
  const reading = own === 1 && early?.id === id ? early.csv : readSeconds(id);
  const activity = await session.attempt(() => getJSON(pathOf(id)));
  if (own !== loads) return;
  if (!activity) {
    session.main.replaceChildren(back(), element('h1', {}, t('nav.activities')));
    return;
  }
  activity.fields ??= [];
  declare(activity.fields);
  const places = render(activity);
  // The early request has failed if the sign-in was needed first.
  const csv = await reading ?? await readSeconds(id);
  if (own !== loads) return;
  const track = trackFrom(csv, activity.summary, activity.fields);
  fill(activity, track, places);
  if (other) await compare(activity, track, other, places.compared);
}

addEventListener('hashchange', () => load());
await load();
