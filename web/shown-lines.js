// What the page of buses says about lines: sections, titles, and their buses.

import { fullTitle, title } from './bus-times.js';
import { t } from './i18n.js';
import { metresBetween } from './outside.js';

/** The lines by their sections: pairs of a heading and its lines. A list of one section has no heading. */
export function sectionsOf(lines) {
  const sections = new Map();
  for (const line of lines) sections.set(line.section, [...sections.get(line.section) ?? [], line]);
  return [...sections].map(([name, ofIt]) => [sections.size > 1 ? name ?? t('buses.no_section') : null, ofIt]);
}

/** The title of the map: the only line by code and name, else the group of the lines, else their short names. */
export function mapTitle(shown, groups) {
  if (shown.length === 1) return fullTitle(shown[0]);
  const isOf = ({ lines }) => lines.length === shown.length && shown.every(({ line }) => lines.includes(line));
  return groups.find(isOf)?.name ?? shown.map(title).join(', ');
}

/** The lines without a vehicle: `followed` by paced-net, and `others`. `ids`: those that it follows; absent: all. */
export function linesWithoutBus(shown, vehicles, ids) {
  const without = shown.filter(({ line }) => vehicles.every((vehicle) => vehicle.line !== line));
  const isFollowed = ({ line }) => ids === undefined || ids.includes(line);
  return { followed: without.filter(isFollowed), others: without.filter((line) => !isFollowed(line)) };
}

/** The metres at which a vehicle comes near, as paced-net has them, and beyond which it is away again. */
const NEAR = 550;
const AWAY = 800;

/** Finds the vehicles that come near, each once for an approach. */
export class ApproachWatch {
  #near = new Set();

  /** The vehicles that have come near, the nearest first, each with its `metres`. */
  update(vehicles, here) {
    const measured = vehicles.map((vehicle) => ({ vehicle, metres: metresBetween(here, vehicle) }));
    const come = measured.filter(({ vehicle, metres }) => metres <= NEAR && !this.#near.has(vehicle.id));
    for (const { vehicle } of come) this.#near.add(vehicle.id);
    for (const { vehicle, metres } of measured) if (metres > AWAY) this.#near.delete(vehicle.id);
    return come.sort((one, other) => one.metres - other.metres);
  }
}
