// The badges and the personal bests.

import { getLines } from './api.js';
import { badgePicture, gradeMark } from './badge-art.js';
import { badgeName, badgeStory } from './badge-text.js';
import { besideYear, isSame } from './best-rows.js';
import { element, svg } from './dom.js';
import { distance, height, pace, rate } from './format.js';
import { activityAddress, bestName, bestValue, onFoot } from './history.js';
import { date, t } from './i18n.js';
import { start } from './page.js';
import { powerCurve } from './power-curve.js';
import { sportPicture } from './sport-art.js';

const GRADES = ['earned', 'silver', 'gold', 'best'];
/** A grade takes more than this many times the speed of the activity that earned the badge. */
const FACTORS = { silver: 1.05, gold: 1.1 };
const METRES = { '400m': 400, '1km': 1000, '1mile': 1609.344, '5km': 5000, '10km': 10_000, 'half-marathon': 21_097.5,
  marathon: 42_195 };

const session = await start({ needs: 'history', name: 'badges' });
const year = new Date().getFullYear();
const [badges, bests, bestsOfYear] = await session.attempt(() => Promise.all([getLines('/api/badges'),
  getLines('/api/bests'), getLines('/api/bests', { since: `${year}-01-01` })])) ?? [[], [], []];
session.main.append(element('div', { class: 'title' }, element('h1', {}, t('nav.badges')),
  element('a', { class: 'back', href: '#bests' }, t('badges.bests'))),
element('div', { class: 'stack' }, ...badgeSections(), bestsSection()));

// Badges

function badgeSections() {
  if (badges.length === 0) return [];
  const earned = badges.filter((badge) => badge.earned).reverse();
  const title = t('badges.earned', { count: earned.length, all: badges.length });
  return [nextCard(), element('section', {}, element('h2', {}, title),
    earned.length === 0 ? element('p', {}, t('badges.none')) : null,
    element('ul', { class: 'list cards' }, earned.map(badgeCard))),
  lockedSection()].filter(Boolean);
}

/** What a badge is earned for. */
function ruleText({ distance_m: metres }) {
  return metres > 0 ? t('badges.over', { distance: distance(metres) }) : t('badges.any');
}

/** Those that are not earned, with the distance that each needs. */
function lockedSection() {
  const locked = badges.filter((badge) => !badge.earned);
  if (locked.length === 0) return null;
  return element('section', {}, element('h2', {}, t('badges.locked', { count: locked.length })),
    element('ul', { class: 'list locked' }, locked.map((badge) => element('li', {}, badgePicture(badge.badge),
      element('b', {}, badgeName(badge.badge)), element('span', {}, ruleText(badge))))));
}

/** The next badge in a ring of the way to it: how far it is, and what it takes. */
function nextCard() {
  const next = badges.find((badge) => !badge.earned);
  const heading = element('h2', {}, t('badges.next'));
  if (!next) return element('section', { class: 'card next' }, heading, element('p', {}, t('badges.all')));
  const longest = Math.max(0, ...bests.filter(({ best, sport }) => best === 'distance' && onFoot.includes(sport))
    .map((best) => best.distance_m));
  const name = badgeName(next.badge);
  const left = Math.max(next.distance_m - longest, 0);
  const isFirst = next.distance_m === 0;
  return element('section', { class: 'card next' }, heading, element('div', { class: 'pictured' },
    ringed(badgePicture(next.badge), isFirst ? 0 : Math.min(longest / next.distance_m, 1)), element('div', {},
      element('p', { class: 'big' }, isFirst ? name : t('badges.to_next', { distance: distance(left), badge: name })),
      element('p', {}, isFirst ? t('badges.first') : t('badges.rule', { distance: distance(next.distance_m) })),
      longest > 0 ? element('p', { class: 'soft' }, t('badges.longest', { distance: distance(longest) })) : null)));
}

/** A picture in a ring that is drawn to a share of it. */
function ringed(picture, share) {
  const ring = (kind) => svg('circle', { class: kind, cx: 50, cy: 50, r: 46, pathLength: 100 });
  const done = ring('done');
  done.style.strokeDasharray = `${share * 100} 100`;
  const drawing = svg('svg', { viewBox: '0 0 100 100', class: 'ring', 'aria-hidden': 'true' }, ring('way'), done);
  return element('div', { class: 'ringed' }, drawing, picture);
}

/** An earned badge: its picture with its grades, and folded its story and its days. */
function badgeCard(badge) {
  const isBestEarned = badge.best?.activity === badge.earned.activity;
  const grades = GRADES.filter((grade) => (badge[grade] || FACTORS[grade]) && !(grade === 'best' && isBestEarned));
  const rows = grades.flatMap((grade) => [element('dt', {}, t(`badges.${grade}_by`)), element('dd', {},
    badge[grade] ? [activityLink(badge[grade]), element('span', {}, pace(paceOf(badge[grade])))]
      : t('badges.needs', { pace: pace(paceOf(badge.earned) / FACTORS[grade]) }))]);
  const marks = Object.keys(FACTORS).filter((grade) => badge[grade]).map(gradeMark);
  const story = badgeStory(badge.badge);
  return element('li', {}, element('details', { class: 'card badge' },
    element('summary', {}, badgePicture(badge.badge), element('span', {}, element('h3', {}, badgeName(badge.badge)),
      element('span', { class: 'soft' }, ruleText(badge))), element('span', { class: 'grades' }, marks)),
    story ? element('p', {}, story) : null, element('dl', {}, rows)));
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
  return element('section', { class: 'stack', id: 'bests' }, element('h2', {}, t('badges.bests')),
    bests.length === 0 ? element('p', {}, t('badges.no_bests')) : null,
    besideYear(bests, bestsOfYear).map(({ sport, rows }) => element('section', { class: 'card', dataset: { sport } },
      element('h3', { class: 'sport-title' }, svg('svg', { viewBox: '0 0 40 40', 'aria-hidden': 'true' },
        sportPicture(sport, 40)), t(`sport.${sport}`)),
      element('div', { class: 'bests' }, bestsTable(sport, rows), powerCurve(rows, year)))));
}

function bestsTable(sport, rows) {
  const head = [element('span', { class: 'unseen' }, t('badges.best')), t('badges.all_time'), String(year)];
  return element('table', { 'aria-label': t('badges.bests_of', { sport: t(`sport.${sport}`) }) },
    element('thead', {}, element('tr', {}, head.map((title) => element('th', { scope: 'col' }, title)))),
    element('tbody', {}, rows.map((row) => element('tr', {}, element('th', { scope: 'row' }, bestName(row)),
      element('td', {}, bestCell(row.all)), element('td', {}, yearCell(row))))));
}

/** The best of this year; that it is the best of all time is said, not repeated. */
function yearCell(row) {
  if (!row.year) return element('span', { class: 'soft' }, '–');
  return isSame(row) ? element('span', { class: 'same' }, t('badges.same')) : bestCell(row.year);
}

/** A best as a link to its activity, with its pace and its day. */
function bestCell(best) {
  const metres = METRES[best.best];
  const about = [metres && rate(best.elapsed_ms / 1000 / metres, best.sport), best.started && date(best.started)];
  return element('a', { href: activityAddress(best.activity) },
    element('strong', {}, bestValue(best) ?? height(best.ascent_m)),
    about.filter(Boolean).map((text) => element('span', {}, text)));
}
