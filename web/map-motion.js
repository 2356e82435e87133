// What a map shows while somebody moves: what is up, which is the direction, held at a stop and smoothed, or north with
// a look ahead; and by a setting, how much of the way ahead.

import { nearest } from './mercator.js';

/** Metres a second below which a receiver's direction is noise. */
const SLOWEST = 1;
/** Milliseconds over which directions are averaged, about. */
const SMOOTHED = 2500;
/** Paper turns in steps, or each position would be a flash. */
const PAPER_STEP = 20 * Math.PI / 180;
/** Where the position is with the direction up, and the part of the shorter side that north up looks ahead. */
const LOW = 0.7;
const LOOK_AHEAD = 0.2;

/** Seconds of the way ahead that a map shows, at least and at most. */
const [SHORTEST, LONGEST] = [60, 90];
/** Metres a second by which the speed must change to count: 2 km/h. */
const CHANGED = 2 / 3.6;
/** Milliseconds between steps. */
const STEP_PAUSE = 10_000;
/** Metres before a turn, and the metres of a pixel there at most. */
const BEFORE_TURN = 200;
const AT_TURN = 2;
/** Half zooms out from there, at least and at most: 0.5 to 32 metres. A scale this near to a step is on it. */
const [FINEST, COARSEST] = [-4, 8];
const SLACK = 0.01;

export class Motion {
  constructor() {
    this.bearing = null;
    this.shown = 0;
    this.at = 0;
  }

  /** Takes a position of RouteMap: where it follows a course, the direction of that is steadier than its own. */
  take({ heading, along, speed }, now = performance.now()) {
    const direction = along ?? heading;
    if (!Number.isFinite(direction) || (speed ?? SLOWEST) < SLOWEST) return;
    const next = direction * Math.PI / 180;
    const part = this.bearing === null ? 1 : 1 - Math.exp(-(now - this.at) / SMOOTHED);
    this.bearing = (this.bearing ?? next) + part * nearest(next - (this.bearing ?? next));
    this.at = now;
    const isPaper = document.documentElement.dataset.theme === 'e-ink';
    if (!isPaper || Math.abs(nearest(this.bearing - this.shown)) > PAPER_STEP) this.shown = this.bearing;
  }

  /** The pixels that a view shows ahead of the position. */
  ahead(isDirectionUp, width, height) {
    return isDirectionUp ? height * LOW : (0.5 + LOOK_AHEAD) * Math.min(width, height);
  }

  /** The turn of a view and the place of the position in it. */
  place(isDirectionUp, width, height) {
    if (this.bearing === null) return { turn: 0 };
    if (isDirectionUp) return { turn: this.shown, ay: height * LOW };
    const ahead = LOOK_AHEAD * Math.min(width, height);
    return { turn: 0, ax: width / 2 - ahead * Math.sin(this.shown), ay: height / 2 + ahead * Math.cos(this.shown) };
  }
}

/** Half steps of zoom by speed. */
export class SpeedZoom {
  constructor() {
    Object.assign(this, { speed: null, steppedAt: -Infinity });
  }

  /**
   * The metres of a pixel that follow `scale`, at a time in milliseconds. `speed` is in metres a second, `ahead` in
   * pixels, `turn` the metres to the next turn of a course, if there is one.
   */
  next(scale, { speed, ahead, turn = Infinity }, now = performance.now()) {
    if (!(Math.abs(speed - this.speed) <= CHANGED)) this.speed = speed;
    if (!(this.speed >= SLOWEST) || now - this.steppedAt < STEP_PAUSE) return scale;
    const seconds = scale * ahead / this.speed;
    const step = 2 * Math.log2(scale / AT_TURN);
    const most = turn <= BEFORE_TURN ? 0 : COARSEST;
    let wanted = null;
    if (seconds > LONGEST || step > most + SLACK) wanted = Math.ceil(step - SLACK) - 1;
    else if (seconds < SHORTEST && step < most - SLACK) wanted = Math.floor(step + SLACK) + 1;
    if (wanted === null || wanted < FINEST) return scale;
    this.steppedAt = now;
    return AT_TURN * 2 ** (wanted / 2);
  }
}
