// Shows the land of a map and its lines in two canvases, larger than what is seen: a finger moves them by a transform,
// and new ones are painted when they have been moved far, turned or scaled.

import { UNIT } from './map-overlay.js';
import { Picture } from './map-picture.js';
import { nearest, toScreen, viewToView } from './mercator.js';

const MARGIN = 128;
const MOST_PIXELS = 4_000_000;
const MOST_RATIO = 2;
/** A new picture: after so many pixels of a gesture, or of following; after so much turn, in radians. */
const PANNED = 12;
const FOLLOWED = MARGIN / 2;
const TURNED = 5 * Math.PI / 180;
/** Milliseconds between pictures on paper, where each is a flash. */
const PAPER_PAUSE = 3000;
/** Milliseconds of rest after which a pinch is over. */
const PINCH_REST = 120;
const WAY_GROWN = 50;

export class Land {
  constructor(facts, map) {
    this.map = map;
    this.speed = [0, 0];
    this.isStale = true;
    this.picture = new Picture(facts, {
      onPicture: (wish) => this.take(wish),
      onStale: () => {
        this.isStale = true;
        map.draw();
      },
    });
    map.pane.prepend(this.picture.canvas);
    this.lookAgain = () => {
      this.isStale = true;
      map.isChanged = true;
      map.draw();
    };
    addEventListener('paced-theme', this.lookAgain);
  }

  destroy() {
    removeEventListener('paced-theme', this.lookAgain);
    clearTimeout(this.timer);
    this.picture.destroy();
  }

  /** Moves both canvases to a view, and asks for a picture if that is not enough. */
  show(view) {
    this.measureSpeed(view);
    const { map, picture } = this;
    if (map.isChanged || isFar(map.overlay.drawn, view, MARGIN, 1.5)) {
      map.isChanged = false;
      this.drawOverlay(withMargin(view));
    } else map.overlay.place(view, map.position);
    this.place(view);
    if (!picture.isBusy && this.isNeeded(view)) this.ask(view);
  }

  place(view) {
    const { drawn, canvas } = this.picture;
    if (drawn) canvas.style.transform = `matrix(${viewToView(drawn, view).join()})`;
  }

  drawOverlay(view) {
    this.map.drawOverlay(view, ratioOf(view), { right: view.width - MARGIN - this.map.inset });
  }

  isNeeded(view) {
    const { drawn } = this.picture;
    const isPaper = document.documentElement.dataset.theme === 'e-ink';
    if (this.isStale || !drawn || hasOtherSides(drawn, view)) return true;
    if (this.map.pointers.size > 1 && drawn.size !== view.size) return this.isRested();
    if (isPaper && performance.now() - this.askedAt < PAPER_PAUSE) {
      this.later(PAPER_PAUSE);
      return false;
    }
    return isFar(drawn, view, this.map.follow ? FOLLOWED : PANNED, 1.001);
  }

  /** While fingers scale the map, the picture is scaled, and painted when they rest. */
  isRested() {
    this.later(PINCH_REST);
    return performance.now() - this.scaledAt > PINCH_REST;
  }

  later(milliseconds) {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.map.draw(), milliseconds);
  }

  measureSpeed(view) {
    const now = performance.now();
    const { seen } = this;
    if (seen && seen.size !== view.size) this.scaledAt = now;
    const isDragged = seen && this.map.pointers.size === 1;
    const passed = Math.max(now - (seen?.at ?? 0), 1);
    const [x, y] = isDragged ? toScreen(seen, view.x, view.y) : [view.ax, view.ay];
    this.speed = isDragged ? [(x - view.ax) / passed, (y - view.ay) / passed].map((one, axis) =>
      (one + this.speed[axis]) / 2) : [0, 0];
    this.seen = { ...view, at: now };
  }

  ask(view) {
    const ahead = this.speed.map((one) => {
      const shift = one * 1.5 * this.picture.duration;
      return Math.min(Math.max(shift, -0.8 * MARGIN), 0.8 * MARGIN);
    });
    const wide = withMargin(view);
    const wished = { ...wide, ...shifted(view, ahead) };
    const style = getComputedStyle(this.map.frame);
    this.sendWays();
    this.isStale = false;
    this.askedAt = performance.now();
    this.picture.ask({ view: wished, theme: document.documentElement.dataset.theme, ratio: ratioOf(wide),
      family: style.fontFamily, covered: this.covered(view) });
  }

  /** Tells where no label should be. A few new points of a trail are not worth it. */
  sendWays() {
    const { lines, overlay } = this.map;
    const isSame = this.sent?.length === lines.length && lines.every(({ points }, index) =>
      points === this.sent[index].points && points.length < this.sent[index].count + WAY_GROWN);
    if (isSame) return;
    this.sent = lines.map(({ points }) => ({ points, count: points.length }));
    this.picture.setWays(lines.map((line) => {
      const { x, y, numbers } = overlay.wayOf(line);
      return Float64Array.from(numbers, (one, index) => (index % 2 === 0 ? x : y) + one * UNIT);
    }));
  }

  /** What stands over the map: buttons, scale and credit. */
  covered(view) {
    const frame = this.map.pane.getBoundingClientRect();
    return [...this.map.frame.querySelectorAll('.map-buttons, .map-scale, .map-credit')].map((node) => {
      const box = node.getBoundingClientRect();
      return [box.left - frame.left, box.top - frame.top, box.right - frame.left, box.bottom - frame.top]
        .map((side) => side + MARGIN);
    });
  }

  take(wish) {
    if (this.picture.canvas.parentNode !== this.map.pane) this.map.pane.prepend(this.picture.canvas);
    Object.assign(this.picture.canvas.style, { width: `${wish.view.width}px`, height: `${wish.view.height}px` });
    this.map.showDamaged(this.picture.damaged);
    if (!this.map.view) return;
    // The lines are moved as well as the land is, so they are not drawn with each picture.
    if (isFar(this.map.overlay.drawn, wish.view, MARGIN / 2, 1.001)) this.drawOverlay(wish.view);
    this.map.draw();
  }
}

const withMargin = (view) => ({ ...view, width: view.width + 2 * MARGIN, height: view.height + 2 * MARGIN,
  ax: view.ax + MARGIN, ay: view.ay + MARGIN });

function shifted(view, [right, down]) {
  const [cos, sin] = [Math.cos(view.turn) / view.size, Math.sin(view.turn) / view.size];
  return { x: view.x + cos * right - sin * down, y: view.y + sin * right + cos * down };
}

/** Whether what was drawn would be moved, scaled or turned too far in a view. */
function isFar(drawn, view, distance, scale) {
  if (!drawn) return true;
  const [x, y] = toScreen(view, drawn.x, drawn.y);
  const scaled = Math.max(drawn.size / view.size, view.size / drawn.size);
  return Math.hypot(x - view.ax, y - view.ay) > distance || scaled > scale 
    || Math.abs(nearest(drawn.turn - view.turn)) > TURNED;
}

const hasOtherSides = (drawn, { width, height }) => drawn.width !== width + 2 * MARGIN
  || drawn.height !== height + 2 * MARGIN;

const ratioOf = ({ width, height }) => Math.min(Math.max(devicePixelRatio, 1), MOST_RATIO,
  Math.sqrt(MOST_PIXELS / width / height));
