// A map with a line and points that can be dragged to another place.

import { svg } from './dom.js';
import { REACH, RouteMap } from './map.js';
import { toScreen, toWorld, unproject } from './mercator.js';

/** Pixels from the place of the press, beyond which it is a drag. */
const DRAGGED = 8;

/**
 * `onGrab(point, line, position)` is asked at a press near a point with `isDraggable`, or near a line with it: the
 * nearest point or null, the line, and the place of the press. It returns what is dragged, or null to pan:
 * { neighbours: [{ latitude, longitude }, …], drop(position) }.
 */
export class DragMap extends RouteMap {
  constructor(parent, { onGrab, ...options }) {
    super(parent, options);
    this.onGrab = onGrab;
    this.held = null;
    this.preview = svg('svg', { class: 'map-preview', 'aria-hidden': 'true' }, svg('path'), svg('path'),
      svg('circle', { r: 11 }));
    this.preview.setAttribute('hidden', '');
    this.pane.after(this.preview);
  }

  press(event) {
    super.press(event);
    this.letGo();
    if (this.pointers.size > 1 || event.button > 0 || !this.view) return;
    const place = this.placeOf(event);
    const reach = event.pointerType === 'mouse' ? REACH.mouse : REACH.touch;
    const [point, away] = this.nearest(this.seen.filter(({ isDraggable }) => isDraggable), place);
    const near = away <= Math.max(reach, point?.radius ?? 0) ? point : null;
    const lines = near ? [] : this.lines.filter(({ isDraggable }) => isDraggable);
    const line = this.overlay.lineAt(this.view, lines, place, reach);
    const held = near || line ? this.onGrab(near, line, this.positionAt(place)) : null;
    this.held = held && { ...held, place, isMoved: false };
  }

  /** A finger that rests before it drags is no long press. */
  hold(place) {
    if (!this.held) super.hold(place);
  }

  drag(event) {
    const { held } = this;
    if (!held || !this.pointers.has(event.pointerId)) return super.drag(event);
    const place = this.placeOf(event);
    this.travel = Math.max(this.travel, Math.hypot(place[0] - held.place[0], place[1] - held.place[1]));
    held.isMoved ||= this.travel > DRAGGED;
    this.pointers.set(event.pointerId, place);
    if (held.isMoved) this.showPreview(held.neighbours, place);
  }

  release(event) {
    const { held } = this;
    const isDropped = held?.isMoved && this.pointers.has(event.pointerId) && event.type === 'pointerup';
    super.release(event);
    this.letGo();
    if (isDropped) held.drop(this.positionAt(this.placeOf(event)));
  }

  letGo() {
    this.held = null;
    this.preview.setAttribute('hidden', '');
  }

  positionAt(place) {
    return unproject(toWorld(this.view, ...place));
  }

  showPreview(neighbours, [x, y]) {
    const [under, over, circle] = this.preview.children;
    const ends = neighbours.map(({ latitude, longitude }) => toScreen(this.view, ...this.project(latitude, longitude)));
    const text = ends.map((end) => `M${end.map((one) => one.toFixed(1))}L${x.toFixed(1)} ${y.toFixed(1)}`).join('');
    for (const path of [under, over]) path.setAttribute('d', text);
    circle.setAttribute('cx', x);
    circle.setAttribute('cy', y);
    this.preview.removeAttribute('hidden');
  }
}
