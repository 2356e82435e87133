// Places that are too many for a map, as discs with a count.

import { project } from './mercator.js';

/** The side of a cell, in pixels. */
const CELL = 44;
const MOST = 200;

/**
 * Groups of places, one for each cell of a grid over the world: [{ latitude, longitude, places }]. The middle of a
 * group is that of its places. `size`: the pixels of the world. Of more groups than fit, each takes four cells.
 */
export function clustersOf(places, size) {
  const cells = new Map();
  for (const place of places) {
    const [x, y] = project(place.latitude, place.longitude);
    const key = `${Math.floor(x * size / CELL)} ${Math.floor(y * size / CELL)}`;
    if (cells.has(key)) cells.get(key).push(place);
    else cells.set(key, [place]);
  }
  if (cells.size > MOST) return clustersOf(places, size / 2);
  const mean = (list, member) => list.reduce((sum, one) => sum + one[member], 0) / list.length;
  return [...cells.values()].map((list) =>
    ({ latitude: mean(list, 'latitude'), longitude: mean(list, 'longitude'), places: list }));
}
