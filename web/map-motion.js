// What of the map is up while somebody moves: the direction, held at a stop and smoothed, or north with a look ahead.

/** Metres a second below which a receiver's direction is noise. */
const SLOWEST = 1;
/** Milliseconds over which directions are averaged, about. */
const SMOOTHED = 2500;
/** Paper turns in steps, or each position would be a flash. */
const PAPER_STEP = 20 * Math.PI / 180;
/** Where the position is with the direction up, and the part of the shorter side that north up looks ahead. */
const LOW = 0.7;
const LOOK_AHEAD = 0.2;

const nearer = (angle) => Math.atan2(Math.sin(angle), Math.cos(angle));

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
    this.bearing = (this.bearing ?? next) + part * nearer(next - (this.bearing ?? next));
    this.at = now;
    const isPaper = document.documentElement.dataset.theme === 'e-ink';
    if (!isPaper || Math.abs(nearer(this.bearing - this.shown)) > PAPER_STEP) this.shown = this.bearing;
  }

  /** The turn of a view and the place of the position in it. */
  place(isDirectionUp, width, height) {
    if (this.bearing === null) return { turn: 0 };
    if (isDirectionUp) return { turn: this.shown, ay: height * LOW };
    const ahead = LOOK_AHEAD * Math.min(width, height);
    return { turn: 0, ax: width / 2 - ahead * Math.sin(this.shown), ay: height / 2 + ahead * Math.cos(this.shown) };
  }
}
