// Another activity beside this one: the dialog that chooses it, and the table of both.

import { getLines, rpc } from './api.js';
import { comparable, comparedFigures } from './compare.js';
import { element } from './dom.js';
import { difference, distance, duration, height, rate } from './format.js';
import { activityAddress, activityTitle, card, groupBy, startText, table, whole } from './history.js';
import { t } from './i18n.js';
import { hasPosition } from './track.js';
import { turns } from './figure-words.js';

/** So many activities are offered, and the starts of so many are looked at. */
const [OFFERED, LOOKED_AT] = [200, 20];
/** Metres between two starts that are the same place. */
const NEAR = 300;
const METRES_PER_DEGREE = 111_195;

export const compareAddress = (id, other) => `${activityAddress(id)}&with=${other}`;

// The choice

/** The first position of an activity of the journal; null if it begins without one. */
async function startOf(id) {
  const { rows } = await rpc('activities.track', { id, interval_ms: 3_600_000, fields: ['latitude', 'longitude'] });
  const [latitude, longitude] = rows[0] ?? [];
  return Number.isFinite(latitude) ? { latitude, longitude } : null;
}

function isNear(track, row, place) {
  const north = (track.latitude[row] - place.latitude) * METRES_PER_DEGREE;
  const east = (track.longitude[row] - place.longitude) * METRES_PER_DEGREE * Math.cos(place.latitude * Math.PI / 180);
  return Math.hypot(north, east) < NEAR;
}

/** The numbers of the activities of this sport that start near this one. Without paced none is known. */
async function nearOnes(activities, own, track) {
  const near = new Set();
  const row = track ? track.latitude.findIndex((_, index) => hasPosition(track, index)) : -1;
  if (row < 0) return near;
  const same = comparable(activities, own).filter(({ sport }) => sport === own.sport).slice(0, LOOKED_AT);
  try {
    for (const { id } of same) {
      const place = await startOf(id);
      if (place && isNear(track, row, place)) near.add(id);
    }
  } catch {
    // The order is that without places.
  }
  return near;
}

/** Opens the dialog; a choice is a link to the comparison. */
export async function chooseOther(session, own, track) {
  const activities = await session.attempt(() => getLines('/api/activities', { limit: OFFERED }));
  if (!activities) return;
  const list = element('div', { class: 'stack' });
  const dialog = element('dialog', { class: 'choice', 'aria-labelledby': 'compare-title' },
    element('h2', { id: 'compare-title' }, t('compare.choose')), list, element('div', { class: 'buttons' },
      element('button', { type: 'button', autofocus: true, onclick: () => dialog.close() }, t('history.cancel'))));
  dialog.addEventListener('close', () => dialog.remove());
  document.body.append(dialog);
  const fill = (near) => {
    const group = ({ id, sport }) => (near.has(id) ? 'near' : sport === own.sport ? 'same' : 'others');
    const groups = groupBy(comparable(activities, own, near), group);
    list.replaceChildren(...[...groups].map(([key, items]) => element('section', {},
      element('h3', {}, t(`compare.${key}`)),
      element('ul', { class: 'list' }, items.map((one) => entry(own, one, dialog))))));
    if (groups.size === 0) list.append(element('p', {}, t('compare.none')));
  };
  fill(new Set());
  dialog.showModal();
  const near = await nearOnes(activities, own, track);
  if (near.size > 0) fill(near);
}

function entry(own, one, dialog) {
  return element('li', {}, element('a', { class: 'entry', href: compareAddress(own.id, one.id),
    onclick: () => dialog.close() }, element('span', { class: 'name' }, activityTitle(one)),
  element('span', {}, distance(one.distance_m)), element('span', { class: 'details' },
    [one.name === undefined ? null : t(`sport.${one.sport}`), startText(one), duration(one.elapsed_ms)]
      .filter(Boolean).join(' · '))));
}

// The table

const signed = (value, text) => (value === 0 ? text(0) : `${value < 0 ? '-' : '+'}${text(Math.abs(value))}`);

/** The texts of a value and of a difference, by the kind of a figure. */
const KINDS = {
  distance: [distance], height: [height], time: [duration, (value) => (value === 0 ? '0' : difference(value))],
  rate: [rate, (value, sport, [a, b]) => (sport === 'ride' ? signed(1 / a - 1 / b, (one) => rate(1 / one, sport))
    : signed(value, (one) => rate(one, sport)))],
  bpm: [(value) => whole(value, 'bpm')], watt: [(value) => whole(value, 'W')], turns: [turns],
  energy: [(value) => whole(value, 'kcal')],
};

const TITLES = {
  distance_m: 'field.distance', elapsed_ms: 'field.time', average_bpm: 'field.average_heart_rate',
  max_bpm: 'field.max_heart_rate', average_power_w: 'field.average_power', average_cadence_rpm: 'field.average_cadence',
  ascent_m: 'field.ascent', descent_m: 'field.descent', energy_kcal: 'field.energy',
};

const titleOf = (key, sport) => t(TITLES[key] ?? (sport === 'ride' ? 'field.average_speed' : 'field.average_pace'));

/** Both activities with their lines, their figures and the differences of A from B. */
export function compareCard(a, b) {
  const key = (letter, line, { id, ...one }) => element('li', {}, element('i', { class: line, 'aria-hidden': 'true' }),
    element('span', {}, element('strong', {}, `${letter} `), element('a', { href: activityAddress(id) },
      `${activityTitle(one)}, ${startText(one)}`)));
  const rows = comparedFigures(a, b).map(({ key: name, kind, values: [one, other] }) => {
    const [text, ofDifference = (value, sport) => signed(value, (it) => text(it, sport))] = KINDS[kind];
    const texts = [text(one, a.sport), text(other, a.sport), ofDifference(one - other, a.sport, [one, other])];
    const [, unit] = /^\S+ (.+)$/.exec(texts[0]) ?? [];
    return [[titleOf(name, a.sport), unit ? element('small', {}, ` ${unit}`) : ''],
      ...texts.map((it) => it.split(' ')[0])];
  });
  return card(t('compare.title'), element('ul', { class: 'list keys' }, key('A', 'own', a), key('B', 'other', b)),
    table(t('compare.title'), [[t('badges.value')], ['A', true], ['B', true], [t('compare.difference'), true]], rows),
    element('div', { class: 'buttons' },
      element('a', { class: 'button', href: activityAddress(a.id) }, t('compare.end'))));
}
