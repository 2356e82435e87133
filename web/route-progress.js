// Where somebody is on a route before a run: paced follows a course in runs only.

import { bearingBetween } from './outside.js';
import { nearestAlong, placeAlong } from './via-points.js';

/** Metres beside the route, beyond which one is off it. */
const OFF = 50;
/** Metres of the route behind and ahead of the last place, where the next one is looked for first. */
const BEHIND = 50;
const AHEAD = 300;
/** What a metre from the last place along the route costs in metres beside it, since ways there and back are close. */
const COST = 0.05;
/** Metres before the end that count as the end, as in paced. */
const END = 15;

export class RouteProgress {
  #metres = 0;
  #isDone = false;

  /** `route`: of course-file.js. */
  constructor(route) {
    this.route = route;
    this.length = route.distances.at(-1);
    this.climbs = climbsOf(route.vertices);
  }

  /** The members of the block `course` of STATE at a position; `ascent`: the metres that the whole route climbs. */
  take(position, ascent) {
    const { route, length } = this;
    const cost = ({ metres, away }) => away + COST * Math.abs(metres - this.#metres);
    let place = nearestAlong(route, position, [this.#metres - BEHIND, this.#metres + AHEAD], cost);
    if (place.away > OFF) place = nearestAlong(route, position);
    const isOn = place.away <= OFF;
    if (isOn) this.#metres = place.metres;
    this.#isDone ||= isOn && length - this.#metres <= END;
    const [cue, second] = route.points.filter(({ distance }) => distance > this.#metres)
      .map(({ type, name, distance }) => ({ type, name, distance_m: distance - this.#metres }));
    const climbed = this.climbs[route.distances.findLastIndex((one) => one <= this.#metres)] / this.climbs.at(-1);
    return { remaining_ascent_m: climbed >= 0 && ascent >= 0 ? ascent * (1 - climbed) : undefined,
      progress_m: this.#metres, remaining_m: length - this.#metres, cross_track_m: place.away, cue,
      second_cue: second, status: this.#isDone ? 'done' : isOn ? 'on' : 'off', return_m: isOn ? undefined : place.away,
      return_bearing_deg: isOn ? undefined : bearing(position, placeAlong(route, place.metres)) };
  }
}

/** The climb from the start to each vertex, without the smoothing of paced. */
export function climbsOf(vertices) {
  let climb = 0;
  return vertices.map((vertex, index) => {
    climb += Math.max(vertex.altitude_m - vertices[index - 1]?.altitude_m, 0) || 0;
    return climb;
  });
}

const bearing = (from, to) => (bearingBetween(from, to) + 360) % 360;
