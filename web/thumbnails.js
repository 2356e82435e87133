// The drawings of routes in a list: they are asked for when they come into view, a few at once.

import { rpc } from './api.js';
import { svg } from './dom.js';
import { sportPicture } from './sport-art.js';
import { keptForVisit, keepForVisit } from './store.js';
import { thumbnailPath } from './thumbnail.js';

const SIDE = 72;
const SAMPLES = 120;
const AT_ONCE = 3;
/** So far below the window they are made ready. */
const AHEAD = '200px';

const key = ({ id, uuid }) => `paced.route.${uuid ?? id}`;

export class Thumbnails {
  constructor() {
    this.waiting = new Map();
    this.running = 0;
    this.observer = new IntersectionObserver((entries) => this.see(entries), { rootMargin: AHEAD });
  }

  /** The picture of an activity: that of its sport, until its route is known. */
  make(summary) {
    const node = svg('svg', { viewBox: `0 0 ${SIDE} ${SIDE}`, class: 'thumbnail', 'aria-hidden': 'true',
      'data-sport': summary.sport });
    node.summary = summary;
    const path = summary.open ? null : keptForVisit(key(summary));
    draw(node, path);
    if (path === null) this.observer.observe(node);
    return node;
  }

  see(entries) {
    for (const { target, isIntersecting } of entries) {
      if (isIntersecting) this.waiting.set(target, target.summary);
      else this.waiting.delete(target);
    }
    this.next();
  }

  next() {
    for (const [node, summary] of this.waiting) {
      if (this.running >= AT_ONCE) return;
      this.waiting.delete(node);
      this.observer.unobserve(node);
      this.load(node, summary);
    }
  }

  async load(node, summary) {
    this.running += 1;
    try {
      const path = thumbnailPath(await routeOf(summary), SIDE);
      if (!summary.open) keepForVisit(key(summary), path);
      draw(node, path);
    } catch (error) {
      // The picture of the sport stays. Without paced there is no route of any other one either.
      if (['unreachable', 'offline'].includes(error.code)) this.stop();
    }
    this.running -= 1;
    this.next();
  }

  stop() {
    this.observer.disconnect();
    this.waiting.clear();
  }
}

async function routeOf({ id, total_ms: total }) {
  const interval = Math.min(Math.max(Math.ceil(total / SAMPLES), 1000), 3_600_000);
  const { rows } = await rpc('activities.track', { id, interval_ms: interval, fields: ['latitude', 'longitude'] });
  return rows;
}

function draw(node, path) {
  if (!path) return node.replaceChildren(sportPicture(node.dataset.sport, SIDE));
  const [, x, y] = /^M(\S+) ([^L]+)/.exec(path);
  node.replaceChildren(svg('path', { d: path }), svg('circle', { cx: x, cy: y, r: 3 }));
}
