// The badges and the personal bests.

import { getLines } from './api.js';
import { badgePicture, gradeMark } from './badge-art.js';
import { badgeName, badgeStory } from './badge-text.js';
import { element } from './dom.js';
import { distance, duration, height, pace, rate } from './format.js';
import { activityAddress, bestName, bestValue, groupBy, onFoot, table, withUnit } from './history.js';
import { date, t } from './i18n.js';
import { start } from './page.js';

const GRADES = ['earned', 'silver', 'gold', 'best'];
/** A grade takes more than this many times the speed of the activity that earned the badge. */
const FACTORS = { silver: 1.05, gold: 1.1 };
const METRES = { '400m': 400, '1km': 1000, '1mile': 1609.344, '5km': 5000, '10km': 10_000, 'half-marathon': 21_097.5,
  marathon: 42_195 };

const session = await start({ needs: 'history', name: 'badges' });
const badges = await session.attempt(() => getLines('/api/badges')) ?? [];
const bests = await session.attempt(() => getLines('/api/bests')) ?? [];
session.main.append(element('h1', {}, t('nav.badges')), element('div', { class: 'stack' }, ...badgeSections(),
  bestsSection()));

// Badges

function badgeSections() {
  if (badges.length === 0) return [];
  const earned = badges.filter((badge) => badge.earned).reverse();
  const title = t('badges.earned', { count: earned.length, all: badges.length });
  return [nextCard(), element('section', {}, element('h2', {}, title),
    earned.length === 0 ? element('p', {}, t('badges.none')) : null,
    element('ul', { class: 'list cards' }, earned.map(badgeCard))), lockedSection()].filter(Boolean);
}

/** Those that are not earned, with the distance that each needs. */
function lockedSection() {
  const locked = badges.filter((badge) => !badge.earned);
  if (locked.length === 0) return null;
  return element('section', {}, element('h2', {}, t('badges.locked', { count: locked.length })),
    element('ul', { class: 'list locked' }, locked.map(({ badge, distance_m: metres }) => element('li', {},
      badgePicture(badge), element('b', {}, badgeName(badge)),
      element('span', {}, metres > 0 ? t('badges.over', { distance: distance(metres) }) : t('badges.any'))))));
}

/** The next badge, and how much farther than the longest activity it is. */
function nextCard() {
  const next = badges.find((badge) => !badge.earned);
  const heading = element('h2', {}, t('badges.next'));
  if (!next) return element('section', { class: 'card next' }, heading, element('p', {}, t('badges.all')));
  const longest = Math.max(0, ...bests.filter(({ best, sport }) => best === 'distance' && onFoot.includes(sport))
    .map((best) => best.distance_m));
  const left = longest > 0
    ? [element('p', { class: 'big left' }, withUnit(distance(Math.max(next.distance_m - longest, 0)))),
      element('p', {}, t('badges.left', { longest: distance(longest) }))]
    : [element('p', {}, t('badges.first'))];
  return element('section', { class: 'card next' }, heading, element('div', { class: 'sides' },
    element('div', { class: 'pictured' }, badgePicture(next.badge), element('div', {},
      element('p', { class: 'big' }, badgeName(next.badge)),
      element('p', {}, t('badges.rule', { distance: distance(next.distance_m) })))), element('div', {}, left)));
}

function badgeCard(badge) {
  const isBestEarned = badge.best?.activity === badge.earned.activity;
  const grades = GRADES.filter((grade) => (badge[grade] || FACTORS[grade]) && !(grade === 'best' && isBestEarned));
  const rows = grades.flatMap((grade) => [element('dt', {}, t(`badges.${grade}_by`)), element('dd', {},
    badge[grade] ? [activityLink(badge[grade]), element('span', {}, pace(paceOf(badge[grade])))]
      : t('badges.needs', { pace: pace(paceOf(badge.earned) / FACTORS[grade]) }))]);
  const over = badge.distance_m > 0 ? t('badges.over', { distance: distance(badge.distance_m) }) : t('badges.any');
  const marks = Object.keys(FACTORS).filter((grade) => badge[grade]).map(gradeMark);
  const story = badgeStory(badge.badge);
  return element('li', { class: 'card badge' }, element('div', { class: 'pictured' }, element('div', { class: 'medal' },
    badgePicture(badge.badge), element('span', { class: 'grades' }, marks)), element('div', {},
    element('h3', {}, badgeName(badge.badge)), element('p', { class: 'soft' }, over),
    story ? element('p', {}, story) : null)), element('dl', {}, rows));
}

function paceOf({ elapsed_ms: elapsed, distance_m: metres }) {
  return elapsed / 1000 / metres;
}

/** A link to an activity, by its day if it has one. */
function activityLink({ activity, started }) {
  return element('a', { href: activityAddress(activity) },
    started ? date(started) : t('badges.activity', { id: activity }));
}

// Bests

function bestsSection() {
  const bySport = groupBy(bests, ({ sport }) => sport);
  return element('section', { class: 'stack' }, element('h2', {}, t('badges.bests')),
    bests.length === 0 ? element('p', {}, t('badges.no_bests')) : null,
    [...bySport].map(([sport, list]) => element('section', { class: 'card' }, element('h3', {}, t(`sport.${sport}`)),
      bestsTable(sport, list))));
}

/** A column without a value is left out. */
function bestsTable(sport, list) {
  const columns = [[t('badges.best')], [t('badges.value'), true],
    [t(sport === 'ride' ? 'field.speed' : 'field.pace'), true], [t('badges.day')], [t('badges.from'), true]];
  const rows = list.map(bestRow);
  const isUsed = (_, index) => rows.some((row) => row[index] !== '');
  return table(t('badges.bests_of', { sport: t(`sport.${sport}`) }), columns.filter(isUsed),
    rows.map((row) => row.filter((__, index) => isUsed(null, index))));
}

function bestRow(best) {
  const metres = METRES[best.best];
  const from = best.from_distance_m !== undefined ? distance(best.from_distance_m)
    : best.from_elapsed_ms !== undefined ? duration(best.from_elapsed_ms) : '';
  return [bestName(best), element('strong', {}, bestValue(best) ?? height(best.ascent_m)),
    metres ? rate(best.elapsed_ms / 1000 / metres, best.sport) : '', activityLink(best), from];
}
