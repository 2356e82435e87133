// A small map without network: lines, points and a position. Behind them is the land of the server's own map, if it has
// one. Both are canvases, which a gesture moves by a transform, without drawing.

import { element, setText } from './dom.js';
import { decimal } from './format.js';
import { isMetric, t } from './i18n.js';
import { Motion, SpeedZoom } from './map-motion.js';
import { Overlay } from './map-overlay.js';
import { metresAcross, project, toScreen, toWorld, unproject } from './mercator.js';
import { keep, kept } from './store.js';
import { sharedTiles } from './tiles.js';

const PADDING = 28;
const BUTTONS = 44;
/** Pixels of a metre, at most: where all is shown, and where somebody zooms. */
const CLOSEST = 4;
/** Pixels of a metre where there is one place only: its surroundings. */
const ALONE = 1 / 2;
const NEAREST = 20;
const FARTHEST = 1 / 50_000;
const STEPS = [1, 2, 5];
/** Pixels around a point or a line that a finger or a mouse hits, and those that a tap moves at most. */
export const REACH = { touch: 24, mouse: 10 };
const STILL = 5;
/** Milliseconds of a long press. */
const HELD = 500;
/** Milliseconds after a touch until a position that moves is followed again. */
const BACK = 8000;
const UP = 'paced.map.up';
const BY_SPEED = 'paced.map.speed';
const OPENSTREETMAP = '© OpenStreetMap contributors';

/**
 * A map in an element.
 *
 * setLines([{ points: [[latitude, longitude], …], colour, width, dash, casing, arrows }]): null in points breaks a
 * line; `arrows` show its direction.
 * setPoints([{ latitude, longitude, label, colour, radius, shape: 'dot' | 'flag' | 'star' | 'arrow', heading, mark,
 * inner }], arrange): `mark` is a path in a square of 16 units and `inner` a short text, inside the point;
 * `arrange(points, view)` returns those to draw in a view, instead of all.
 * setPosition({ latitude, longitude, heading, along, turn, speed, isStale } or null): `along` is the direction of the
 * course that is followed, `turn` the metres to its next turn. A colour is a custom property ('--course') or one of
 * CSS; a line without colour is its arrows. fit() shows everything; `follow` keeps the position in its place.
 * onPoint(point), onLine(line, { latitude, longitude }) and onClick({ latitude, longitude }) report a tap, the first
 * that is near; onHold({ latitude, longitude }) reports a long press, or the other button of a mouse; onMove() reports
 * that the user moves or scales the map.
 * `buttons`: 'view' leaves out those that follow the position. `isUnderWay`: a run is on, so the map looks ahead, and
 * follows again after a touch.
 */
export class RouteMap {
  constructor(parent, { label = t('map.label'), buttons = true, follow = false, onClick = null, onPoint = null,
    onLine = null, onHold = null, onMove = null } = {}) {
    Object.assign(this, { lines: [], points: [], seen: [], position: null, follow, onClick, onPoint, onLine, onHold,
      onMove });
    /** Of mercator.js; null until there is something to show. */
    this.view = null;
    /** The width that the buttons cover. */
    this.inset = buttons ? BUTTONS : 0;
    this.pointers = new Map();
    this.isUnderWay = false;
    this.isDirectionUp = kept(UP) === 'direction';
    this.motion = new Motion();
    this.speedZoom = new SpeedZoom();
    this.isZoomedBySpeed = kept(BY_SPEED) === 'on';
    /** Somebody has zoomed: the speed waits until the position is followed anew. */
    this.isZoomHeld = false;
    this.overlay = new Overlay(label);
    this.canvas = this.overlay.canvas;
    this.pane = element('div', { class: 'map-pane' }, this.canvas, this.overlay.tail, this.overlay.mark);
    this.scale = element('p', { class: 'map-scale', hidden: true });
    this.frame = element('div', { class: 'map', tabIndex: 0, role: 'group', 'aria-label': t('map.keys', { label }) },
      this.pane, this.scale, buttons ? this.buttons(buttons !== 'view') : null);
    parent.append(this.frame);
    this.listen();
    this.redraw = () => this.draw();
    sharedTiles().then((tiles) => this.useTiles(tiles)).catch((error) => console.warn(error));
  }

  async useTiles(tiles) {
    if (!tiles || this.isDestroyed) return;
    const credit = tiles.attribution || (tiles.facts ? OPENSTREETMAP : '');
    this.credit = plainText(credit);
    this.creditLine = element('p', { class: 'map-credit' }, this.credit);
    if (credit) this.frame.append(this.creditLine);
    if (tiles.facts) {
      const { Land } = await import('./map-land.js');
      if (!this.isDestroyed) this.land = new Land(tiles.facts, this);
    } else this.images = tiles;
    this.draw();
  }

  /** Says beside the credit how many tiles are left out. */
  showDamaged(count) {
    setText(this.creditLine, [this.credit, count > 0 && t('map.damaged', { count })].filter(Boolean).join(' · '));
  }

  buttons(canFollow) {
    const button = (text, label, call) => element('button', { type: 'button', 'aria-label': label, title: label,
      onclick: call }, text);
    return element('div', { class: 'map-buttons' },
      button('+', t('map.in'), () => this.zoom(1.6)), button('−', t('map.out'), () => this.zoom(1 / 1.6)),
      button('⤢', t('map.fit'), () => this.fit()),
      canFollow ? [button('◎', t('map.follow'), () => this.followPosition()), this.upButton()] : null);
  }

  zoomBySpeed(isOn) {
    keep(BY_SPEED, isOn ? 'on' : null);
    Object.assign(this, { isZoomedBySpeed: isOn, isZoomHeld: false });
    this.draw();
  }

  upButton() {
    const button = element('button', { type: 'button', 'aria-label': t('map.direction'), title: t('map.direction'),
      'aria-pressed': String(this.isDirectionUp), onclick: () => {
        this.setDirectionUp(!this.isDirectionUp);
        keep(UP, this.isDirectionUp ? 'direction' : null);
      } }, '⇧');
    this.up = button;
    return button;
  }

  setDirectionUp(isUp) {
    this.isDirectionUp = isUp;
    this.up?.setAttribute('aria-pressed', String(isUp));
    if (!this.follow && this.view) this.view.turn = 0;
    this.draw();
  }

  listen() {
    this.observer = new ResizeObserver(() => this.resize());
    this.observer.observe(this.frame);
    this.themed = () => this.draw();
    addEventListener('paced-theme', this.themed);
    const on = (name, call, options) => this.pane.addEventListener(name, call, options);
    on('pointerdown', (event) => this.press(event));
    on('pointermove', (event) => this.drag(event));
    for (const name of ['pointerup', 'pointercancel']) on(name, (event) => this.release(event));
    on('wheel', (event) => {
      event.preventDefault();
      this.zoom(event.deltaY < 0 ? 1.25 : 0.8, this.placeOf(event));
    }, { passive: false });
    on('contextmenu', (event) => {
      if (!this.onHold) return;
      event.preventDefault();
      this.hold(this.placeOf(event));
    });
    this.frame.addEventListener('keydown', (event) => this.key(event));
  }

  destroy() {
    this.isDestroyed = true;
    this.land?.destroy();
    clearTimeout(this.back);
    clearTimeout(this.holding);
    this.observer.disconnect();
    removeEventListener('paced-theme', this.themed);
    this.frame.remove();
  }

  // Data

  setLines(lines) {
    this.lines = lines;
    if (!this.overlay.grow(lines)) this.isChanged = true;
    this.changed();
  }

  setPoints(points, arrange = null) {
    Object.assign(this, { points, arrange });
    this.isChanged = true;
    this.changed();
  }

  setPosition(position) {
    this.position = position;
    if (position) this.motion.take(position);
    this.changed();
  }

  changed() {
    if (!this.view || !this.isMoved) this.fitView();
    this.draw();
  }

  /** Where a place is in the world, on the side of the date line where the others are. */
  project(latitude, longitude) {
    const [x, y] = project(latitude, longitude);
    this.origin ??= x;
    return [x - Math.round(x - this.origin), y];
  }

  bounds() {
    const box = [Infinity, Infinity, -Infinity, -Infinity];
    const add = (latitude, longitude) => {
      const [x, y] = this.project(latitude, longitude);
      box[0] = Math.min(box[0], x);
      box[1] = Math.min(box[1], y);
      box[2] = Math.max(box[2], x);
      box[3] = Math.max(box[3], y);
    };
    for (const line of this.lines) for (const point of line.points) if (point) add(point[0], point[1]);
    for (const point of this.points) add(point.latitude, point.longitude);
    if (this.position) add(this.position.latitude, this.position.longitude);
    return box[0] === Infinity ? null : box;
  }

  // View

  /** The middle of what is shown, with half its diagonal and the size of a pixel in metres; null without a view. */
  get shown() {
    if (!this.view) return null;
    const { width, height, size } = this.view;
    const [x, y] = toWorld(this.view, width / 2, height / 2);
    const metres = metresAcross(y) / size;
    return { ...unproject([x, y]), radius: Math.hypot(width, height) / 2 * metres, metresPerPixel: metres };
  }

  /** Shows everything, and goes on to. */
  fit() {
    this.stay();
    this.isMoved = false;
    this.follow = false;
    this.fitView();
    this.draw();
  }

  /** Keeps the position in the middle. */
  followPosition(metresPerPixel) {
    this.stay();
    this.follow = true;
    this.isMoved = true;
    this.isZoomHeld = false;
    if (metresPerPixel) this.wanted = metresPerPixel;
    else if (this.view) this.view.size = Math.max(this.view.size, metresAcross(this.view.y) / 3);
    this.draw();
  }

  /** Shows the surroundings of a place. */
  look(latitude, longitude, metresPerPixel = 2) {
    const [x, y] = this.project(latitude, longitude);
    this.stay();
    this.setView({ x, y, size: metresAcross(y) / metresPerPixel, turn: 0 });
    this.isMoved = true;
    this.follow = false;
    this.draw();
  }

  setView(change) {
    const [width, height] = this.size ?? [0, 0];
    this.view = { turn: 0, ...this.view, width, height, ax: width / 2, ay: height / 2, ...change };
  }

  fitView() {
    const box = this.bounds();
    const [width, height] = this.size ?? [];
    if (!box || !width || !height) return;
    const y = (box[1] + box[3]) / 2;
    const closest = box[0] === box[2] && box[1] === box[3] ? ALONE : CLOSEST;
    const size = Math.min(Math.max(width - this.inset - 2 * PADDING, 40) / (box[2] - box[0]),
      Math.max(height - 2 * PADDING, 40) / (box[3] - box[1]), metresAcross(y) * closest);
    this.setView({ x: (box[0] + box[2] + this.inset / size) / 2, y, size, turn: 0 });
  }

  zoom(factor, [px, py] = []) {
    if (!this.view) return;
    const across = metresAcross(this.view.y);
    const isAt = px !== undefined && !this.follow;
    const [x, y] = isAt ? toWorld(this.view, px, py) : [];
    this.view.size = Math.min(Math.max(this.view.size * factor, across * FARTHEST), across * NEAREST);
    if (isAt) {
      const [newX, newY] = toWorld(this.view, px, py);
      this.view.x += x - newX;
      this.view.y += y - newY;
    }
    this.isMoved = true;
    this.isZoomHeld = true;
    this.draw();
    this.onMove?.();
  }

  pan(dx, dy) {
    if (!this.view) return;
    if (this.follow && this.isUnderWay) this.returns = true;
    this.comeBack();
    [this.view.x, this.view.y] = toWorld(this.view, this.view.ax - dx, this.view.ay - dy);
    this.isMoved = true;
    this.follow = false;
    this.draw();
    this.onMove?.();
  }

  /** Follows again when nobody has touched the map for a while, if it was left while following. */
  comeBack() {
    clearTimeout(this.back);
    if (!this.returns) return;
    this.back = setTimeout(() => {
      if (this.pointers.size > 0) return this.comeBack();
      this.stay();
      this.follow = true;
      this.draw();
    }, BACK);
  }

  stay() {
    this.returns = false;
    clearTimeout(this.back);
  }

  key(event) {
    if (event.target !== this.frame || event.ctrlKey || event.metaKey || event.altKey) return;
    const call = {
      ArrowLeft: () => this.pan(60, 0), ArrowRight: () => this.pan(-60, 0), ArrowUp: () => this.pan(0, 60),
      ArrowDown: () => this.pan(0, -60), '+': () => this.zoom(1.6), '=': () => this.zoom(1.6),
      '-': () => this.zoom(1 / 1.6), 0: () => this.fit(), f: () => this.followPosition(),
    }[event.key];
    if (!call) return;
    event.preventDefault();
    event.stopPropagation();
    call();
  }

  // Pointers

  placeOf(event) {
    const box = this.pane.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  }

  press(event) {
    this.pane.setPointerCapture(event.pointerId);
    this.pointers.set(event.pointerId, this.placeOf(event));
    this.travel = this.pointers.size > 1 ? Infinity : 0;
    clearTimeout(this.holding);
    if (this.onHold && this.travel === 0 && event.pointerType !== 'mouse') {
      this.holding = setTimeout(() => this.hold(this.pointers.get(event.pointerId)), HELD);
    }
  }

  /** Reports a long press; what follows is no tap. */
  hold(place) {
    clearTimeout(this.holding);
    if (!place || !this.view || this.travel > STILL) return;
    this.travel = Infinity;
    this.onHold(unproject(toWorld(this.view, ...place)));
  }

  drag(event) {
    const before = this.pointers.get(event.pointerId);
    if (!before) return;
    const now = this.placeOf(event);
    const others = [...this.pointers].filter(([id]) => id !== event.pointerId).map(([, place]) => place);
    const [dx, dy] = [now[0] - before[0], now[1] - before[1]];
    this.travel += Math.hypot(dx, dy);
    if (this.travel > STILL && others.length === 0) this.pan(dx, dy);
    if (others.length === 1) {
      const distance = (place) => Math.max(Math.hypot(place[0] - others[0][0], place[1] - others[0][1]), 1);
      this.zoom(distance(now) / distance(before), [(now[0] + others[0][0]) / 2, (now[1] + others[0][1]) / 2]);
    }
    this.pointers.set(event.pointerId, now);
  }

  release(event) {
    const isTap = this.pointers.delete(event.pointerId) && event.type === 'pointerup'
      && this.travel <= STILL && event.button === 0;
    clearTimeout(this.holding);
    if (!isTap || !this.view) return;
    const place = this.placeOf(event);
    const [point, away] = this.nearest(this.seen, place);
    if (this.onPoint && away < REACH.touch) return this.onPoint(point);
    const there = unproject(toWorld(this.view, ...place));
    const reach = event.pointerType === 'mouse' ? REACH.mouse : REACH.touch;
    const line = this.onLine && this.overlay.lineAt(this.view, this.lines, place, reach);
    if (line) return this.onLine(line, there);
    this.onClick?.(there);
  }

  /** The point that is nearest to a pixel, and how many pixels it is away. */
  nearest(points, [px, py]) {
    return points.reduce((best, point) => {
      const [x, y] = toScreen(this.view, ...this.project(point.latitude, point.longitude));
      const away = Math.hypot(x - px, y - py);
      return away < best[1] ? [point, away] : best;
    }, [null, Infinity]);
  }

  // Drawing

  resize() {
    const { clientWidth: width, clientHeight: height } = this.frame;
    if (this.size?.[0] === width && this.size?.[1] === height) return;
    this.size = [width, height];
    if (!this.view || !this.isMoved) this.fitView();
    else this.setView({});
    this.isChanged = true;
    this.draw();
  }

  /** Draws in the next frame. */
  draw() {
    if (this.isDue) return;
    this.isDue = true;
    requestAnimationFrame(() => {
      this.isDue = false;
      this.drawNow();
    });
  }

  drawNow() {
    const [width, height] = this.size ?? [0, 0];
    if (!width || !height || !this.pane.isConnected || !this.view) return;
    if (this.follow && this.position) this.center();
    if (this.land) this.land.show(this.view);
    else {
      const images = this.images?.cover(this.view, this.redraw);
      this.drawOverlay(this.view, Math.max(devicePixelRatio, 1), { images, right: width - this.inset });
    }
    this.drawScale();
  }

  center() {
    const [x, y] = this.project(this.position.latitude, this.position.longitude);
    this.setView({ x, y, turn: 0, ...(this.wanted ? { size: metresAcross(y) / this.wanted } : {}),
      ...(this.isUnderWay ? this.motion.place(this.isDirectionUp, ...this.size) : {}) });
    this.wanted = null;
    if (this.isUnderWay && this.isZoomedBySpeed && !this.isZoomHeld) this.view.size = this.sizeBySpeed();
  }

  sizeBySpeed() {
    const across = metresAcross(this.view.y);
    const ahead = this.motion.ahead(this.isDirectionUp, ...this.size);
    return across / this.speedZoom.next(across / this.view.size, { ...this.position, ahead });
  }

  drawOverlay(view, ratio, options) {
    const { lines } = this;
    const style = getComputedStyle(this.frame);
    this.seen = this.arrange?.(this.points, view) ?? this.points;
    this.overlay.draw({ view: { ...view }, ratio, style, lines, points: this.seen, ...options });
    this.overlay.place(this.view, this.position);
  }

  drawScale() {
    const [unit, far, short, long] = isMetric() ? [1, 1000, 'm', 'km'] : [0.3048, 1609.344, 'ft', 'mi'];
    const metres = metresAcross(this.view.y) / this.view.size;
    const isFar = 110 * metres >= far;
    const length = niceLength(110 * metres / (isFar ? far : unit));
    this.scale.hidden = false;
    const wide = `${Math.round(length * (isFar ? far : unit) / metres)}px`;
    // Each change is a layout of the page, which a pan should not cost.
    if (this.scale.style.width !== wide) this.scale.style.width = wide;
    setText(this.scale, `${isFar ? decimal(length, 0) : length} ${isFar ? long : short}`);
  }
}

/** The text of an attribution, which may have markup. */
function plainText(markup) {
  return new DOMParser().parseFromString(markup, 'text/html').body.textContent;
}

/** The largest of 1, 2, 5, 10, … that is at most so much. */
function niceLength(most) {
  const power = 10 ** Math.floor(Math.log10(Math.max(most, 1)));
  return Math.max(...STEPS.map((step) => step * power).filter((length) => length <= Math.max(most, 1)));
}
