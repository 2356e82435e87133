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
  }

  /** The members of the block `course` of STATE at a position. */
  take(position) {
    const { route, length } = this;
    const cost = ({ metres, away }) => away + COST * Math.abs(metres - this.#metres);
    let place = nearestAlong(route, position, [this.#metres - BEHIND, this.#metres + AHEAD], cost);
    if (place.away > OFF) place = nearestAlong(route, position);
    const isOn = place.away <= OFF;
    if (isOn) this.#metres = place.metres;
    this.#isDone ||= isOn && length - this.#metres <= END;
    const [cue, second] = route.points.filter(({ distance }) => distance > this.#metres)
      .map(({ type, name, distance }) => ({ type, name, distance_m: distance - this.#metres }));
    return { progress_m: this.#metres, remaining_m: length - this.#metres, cross_track_m: place.away, cue,
      second_cue: second, status: this.#isDone ? 'done' : isOn ? 'on' : 'off', return_m: isOn ? undefined : place.away,
      return_bearing_deg: isOn ? undefined : bearing(position, placeAlong(route, place.metres)) };
  }
}

const bearing = (from, to) => (bearingBetween(from, to) + 360) % 360;
