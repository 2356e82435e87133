// The way of the run in progress, thinned so that it does not grow without end.

import { rpc } from './api.js';

const MOST = 5000;
const METRES_PER_DEGREE = 111_195;

/** Points [latitude, longitude]; null breaks the line. */
export class Trail {
  constructor() {
    this.clear();
  }

  clear() {
    this.points = [];
    this.spacing = 2;
    this.last = null;
    this.isBroken = false;
  }

  /** The next point starts a new line. */
  break() {
    this.isBroken = true;
  }

  add(latitude, longitude) {
    const point = [latitude, longitude];
    if (this.last && !this.isBroken && metres(this.last, point) < this.spacing) return false;
    if (this.isBroken && this.points.length > 0 && this.points.at(-1) !== null) this.points.push(null);
    this.isBroken = false;
    this.points.push(point);
    this.last = point;
    if (this.points.length > MOST) this.halve();
    return true;
  }

  /** Leaves out every second point; breaks remain. */
  halve() {
    let index = 0;
    this.points = this.points.filter((point) => point === null || index++ % 2 === 0);
    // Only breaks are left to drop if there are thousands of them.
    if (this.points.length > MOST) this.points = this.points.slice(-MOST / 2);
    this.spacing *= 2;
  }

  /** Replaces the points by those of the journal. Those that come meanwhile follow. */
  async load(activity, elapsedMilliseconds) {
    const since = this.points.length;
    const interval = Math.min(Math.max(Math.ceil(elapsedMilliseconds / 2_000_000), 1), 3600) * 1000;
    const recorded = new Trail();
    let from = 0;
    let before = null;
    while (from !== undefined) {
      const { rows, next_ms: next } = await rpc('activities.track', {
        id: activity, from_ms: from, interval_ms: interval, fields: ['at_ms', 'latitude', 'longitude'] });
      for (const [at, latitude, longitude] of rows) {
        if (latitude === null || longitude === null) continue;
        if (before !== null && at - before > Math.max(3 * interval, 15_000)) recorded.break();
        recorded.add(latitude, longitude);
        before = at;
      }
      from = next > from ? next : undefined;
    }
    const newer = this.points.slice(since);
    this.points = recorded.points;
    this.spacing = recorded.spacing;
    for (const point of newer) {
      if (point) this.add(...point);
      else this.break();
    }
  }
}

function metres(a, b) {
  const north = (a[0] - b[0]) * METRES_PER_DEGREE;
  const east = (a[1] - b[1]) * METRES_PER_DEGREE * Math.cos(a[0] * Math.PI / 180);
  return Math.hypot(north, east);
}
