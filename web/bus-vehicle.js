// One bus on its way, in a line of text and as facts.

import { element } from './dom.js';
import { age, decimal, speed } from './format.js';
import { hasText, t } from './i18n.js';
import { bearingBetween, metresBetween, towards } from './outside.js';

/** How long ago it was seen; null if that is unknown. `now`: milliseconds since 1970, or null. */
function seen({ observed }, now) {
  return observed && now !== null ? age(Math.max(now - Date.parse(observed), 0) / 1000) : null;
}

const wayFrom = (here, vehicle) =>
  (here ? towards(metresBetween(here, vehicle), bearingBetween(here, vehicle)) : null);

const pace = ({ speed_mps: value }) => (value === undefined ? null : speed(value));

/** How many are on board, or how full it is. */
function load({ passengers, occupancy }) {
  const key = `buses.occupancy.${occupancy}`;
  return [passengers === undefined ? null : t('buses.passengers', { count: decimal(passengers, 0) }),
    occupancy && hasText(key) ? t(key) : null].filter(Boolean).join(', ') || null;
}

/** What is known of a bus, in one line. `here`: the user's position, or null. */
export function busText(vehicle, here, now) {
  const age = seen(vehicle, now);
  return [vehicle.direction, wayFrom(here, vehicle), pace(vehicle), load(vehicle),
    age ? t('buses.seen', { age }) : null].filter(Boolean).join(' · ');
}

/** Whether it is on time, as an element; null if that is unknown. */
export function punctuality({ punctuality: state }) {
  if (!state || !hasText(`buses.punctuality.${state}`)) return null;
  return element('span', { class: state === 'on-time' ? 'good' : 'bad' }, t(`buses.punctuality.${state}`));
}

/** What is known of a bus: pairs of a name and a value. */
export function busFacts(vehicle, here, now) {
  const age = seen(vehicle, now);
  return [
    [t('buses.direction'), vehicle.direction], [t('buses.timing'), punctuality(vehicle)],
    [t('buses.load'), load(vehicle)], [t('buses.speed'), pace(vehicle)], [t('buses.where'), wayFrom(here, vehicle)],
    [t('buses.position'), age ? t('buses.seen', { age }) : null],
  ].filter(([, value]) => value);
}
