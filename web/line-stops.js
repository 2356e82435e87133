// The stops of lines. The interface names no stops of a line, so they are those that lie on its way.

import { getLines } from './api.js';
import { Latest, metresBetween, positionText } from './outside.js';

/** How far a stop is from the way of its line, at most, in metres: a way is the middle of a road. */
const BESIDE = 30;
/** The limits of a request. */
const MOST = 1000;
const FARTHEST = 100_000;
/** Metres of a degree of latitude. */
const DEGREE = 111_195;

/** The stops that lie on a way: [[latitude, longitude], …], with null for a break. */
export function stopsOn(stops, points) {
  const first = points.find(Boolean);
  if (!first) return [];
  const east = DEGREE * Math.cos(first[0] * Math.PI / 180);
  const xs = Float64Array.from(points, (point) => (point ? point[1] * east : NaN));
  const ys = Float64Array.from(points, (point) => (point ? point[0] * DEGREE : NaN));
  return stops.filter(({ latitude, longitude }) => isOn(longitude * east, latitude * DEGREE, xs, ys));
}

function isOn(x, y, xs, ys) {
  for (let index = 1; index < xs.length; index += 1) {
    const [dx, dy] = [xs[index] - xs[index - 1], ys[index] - ys[index - 1]];
    const [right, down] = [x - xs[index - 1], y - ys[index - 1]];
    // Most parts are far away; of a break this is NaN, which is in no range.
    const isNear = right > Math.min(dx, 0) - BESIDE && right < Math.max(dx, 0) + BESIDE
      && down > Math.min(dy, 0) - BESIDE && down < Math.max(dy, 0) + BESIDE;
    if (!isNear) continue;
    const part = Math.min(Math.max((right * dx + down * dy) / (dx * dx + dy * dy || 1), 0), 1);
    if (Math.hypot(right - part * dx, down - part * dy) <= BESIDE) return true;
  }
  return false;
}

/** The nearest of some stops with its `metres`; null for none. */
export function closestStop(stops, here) {
  const near = stops.map((stop) => ({ stop, metres: metresBetween(here, stop) }));
  return near.reduce((best, one) => (best && best.metres <= one.metres ? best : one), null);
}

/** The stops of the lines that are shown. */
export class LineStops {
  #requests = new Latest();

  /** Resolves to the stops on some ways, or to undefined if a newer request came. */
  load(ways) {
    const all = ways.flat().filter(Boolean);
    if (all.length === 0) {
      this.#requests.cancel();
      return [];
    }
    const range = (at) => all.reduce(([least, most], point) =>
      [Math.min(least, point[at]), Math.max(most, point[at])], [Infinity, -Infinity]);
    const [[south, north], [west, east]] = [range(0), range(1)];
    const middle = { latitude: (south + north) / 2, longitude: (west + east) / 2 };
    const corners = [south, north].map((latitude) => metresBetween(middle, { latitude, longitude: west }));
    const query = { at: positionText(middle), limit: MOST,
      radius: Math.min(Math.ceil(Math.max(...corners)) + BESIDE, FARTHEST) };
    return this.#requests.run(async (signal) => {
      const stops = await getLines('/api/transit/stops', query, signal);
      const found = new Set(ways.flatMap((points) => stopsOn(stops, points)));
      return [...found];
    });
  }
}
