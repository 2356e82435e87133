// Departures and ways home by public transport, as elements.

import { element } from './dom.js';
import { age } from './format.js';
import { clock, t } from './i18n.js';
import { reasonText } from './internet.js';
import { far, minutes } from './outside.js';

export const isColour = (colour) => /^#[0-9a-f]{6}$/i.test(colour ?? '');

/** The short name of a line. */
export const title = ({ code, name, line }) => code ?? name ?? line;

/** Its code and its name. */
export const fullTitle = ({ code, name, line }) => [code, name].filter(Boolean).join(' – ') || line;

/** The colour of a line as a small square; null without a colour. */
export function swatch({ color }) {
  if (!isColour(color)) return null;
  const square = element('span', { class: 'swatch', 'aria-hidden': 'true' });
  square.style.backgroundColor = color;
  return square;
}

/** The short name of a line with its colour. */
export function lineMark(line) {
  return element('span', { class: 'line-mark' }, swatch(line), element('b', {}, title(line)));
}

/** That times are those of the timetable, and why. */
export function scheduleText(reason) {
  const said = reasonText(reason);
  if (said) return `${t('buses.schedule')}. ${said}`;
  return reason ? t('buses.schedule_reason', { reason }) : t('buses.schedule');
}

/** Whether the times of an answer are live, and whose they are. */
export function statusText({ agency, live, live_age_s: seconds, reason }) {
  const state = live ? t('buses.live', { age: age(seconds ?? 0) }) : scheduleText(reason);
  return [agency, state].filter(Boolean).join(' · ');
}

/** The time of day in the zone of the text: that of the agency, or that of the browser for UTC. */
function agencyClock(text) {
  return text ? clock(text.replace(/[+-]\d\d:\d\d$/, '')) : '';
}

function notesOf(ride) {
  const plan = agencyClock(ride.scheduled);
  return [
    ride.canceled ? t('buses.canceled') : ride.live ? t('buses.is_live') : null,
    plan && plan !== agencyClock(ride.departure) ? t('buses.planned', { time: plan }) : null,
    ride.headway_s ? t('buses.headway', { minutes: Math.max(Math.round(ride.headway_s / 60), 1) }) : null,
    ride.bikes === undefined ? null : t(ride.bikes ? 'buses.with_bikes' : 'buses.without_bikes'),
  ].filter(Boolean);
}

/** Departures with the minutes until then; `hasStop` names their stops. */
export function departureList(list, now, hasStop = false) {
  return element('ol', { class: 'plain departures' }, list.map((one) => {
    const left = one.departure ? Date.parse(one.departure) - now : NaN;
    const isSoon = left > -60_000 && left < 86_400_000;
    const notes = [...notesOf(one), hasStop ? one.stop_name : null].filter(Boolean);
    return element('li', { class: one.canceled ? 'canceled' : '' },
      element('span', { class: 'in figures' }, isSoon ? minutes(left) : one.text ?? ''),
      element('span', {}, lineMark(one), ' ', one.headsign ?? ''),
      element('span', { class: 'at figures' }, agencyClock(one.departure)),
      notes.length === 0 ? null : element('span', { class: `note${one.canceled ? ' bad' : ''}` }, notes.join(' · ')));
  }));
}

/** What there is instead of departures. */
export function noDeparture({ timetable_ends: end }) {
  return end ? t('buses.no_departure_end', { day: end }) : t('buses.no_departure');
}

/** The ways home, the last one of the night, and whose times they are. */
export function journeys(answer, now) {
  const { journeys: list, last } = answer;
  return [
    list.length === 0 ? element('p', {}, noHome(answer)) : null, ...list.map((one) => journey(one, now)),
    last ? element('p', {}, lastText(last)) : null,
    element('p', { class: 'soft' }, statusText(answer)),
  ].filter(Boolean);
}

const lastText = ({ leave, arrive }) => t('buses.last', { leave: agencyClock(leave), arrive: agencyClock(arrive) });

const noHome = ({ timetable_ends: end }) => (end ? t('buses.no_home_end', { day: end }) : t('buses.no_home'));

function journey(way, now) {
  const left = Date.parse(way.leave) - now;
  const span = t('buses.journey', { leave: agencyClock(way.leave), arrive: agencyClock(way.arrive) });
  const legs = way.legs.flatMap((leg, index) => [
    index > 0 ? element('li', {}, t('buses.change', { stop: leg.from.name })) : null, legItem(leg)]);
  return element('article', { class: 'journey' },
    element('h3', { class: 'figures' }, span,
      left >= 0 ? element('span', { class: 'soft' }, ` ${t('buses.leave_in', { time: minutes(left) })}`) : null),
    element('ol', { class: 'plain' }, walk(way.distance_to_stop_m, 'buses.walk_to', way.legs[0].from.name), legs,
      walk(way.distance_from_stop_m, 'buses.walk_home')));
}

const walk = (metres, key, stop) => (metres === undefined ? null
  : element('li', {}, t(key, { distance: far(metres), stop })));

function legItem(leg) {
  const notes = notesOf(leg).join(' · ');
  return element('li', {}, element('b', { class: 'figures' }, agencyClock(leg.departure)), ' ', lineMark(leg), ' ',
    leg.headsign ?? '', ' – ', t('buses.off', { time: agencyClock(leg.arrival), stop: leg.to.name }),
    notes ? element('span', { class: 'note' }, notes) : null);
}
