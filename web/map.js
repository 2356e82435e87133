// A small map without network, drawn on a canvas: lines, points and a position, north up. Behind them are the tiles of the
// server's own map, if it has one.

import { element } from './dom.js';
import { decimal } from './format.js';
import { isMetric, t } from './i18n.js';
import { sharedTiles } from './tiles.js';

const METRES_PER_DEGREE = 111_195;
const PADDING = 28;
const BUTTONS = 44;
const CLOSEST = 4;
const STEPS = [1, 2, 5];

/** The value of a custom property of CSS, or the colour itself. */
function colourOf(style, colour) {
  return colour.startsWith('--') ? style.getPropertyValue(colour).trim() || '#888' : colour;
}

/**
 * A map in an element.
 *
 * setLines([{ points: [[latitude, longitude], …], colour, width, dash, casing }]): null in points breaks a line.
 * setPoints([{ latitude, longitude, label, colour, radius, shape: 'dot' | 'flag' | 'arrow', heading }])
 * setPosition({ latitude, longitude, heading, isStale } or null). A colour is a custom property ('--course') or one of
 * CSS. fit() shows everything; `follow` keeps the position in the middle. onClick({ latitude, longitude }) and
 * onPoint(point) report a tap.
 * `buttons`: 'view' leaves out the one that follows the position.
 */
export class RouteMap {
  constructor(parent, { label = t('map.label'), buttons = true, follow = false, onClick = null, onPoint = null } = {}) {
    Object.assign(this, { lines: [], points: [], position: null, follow, onClick, onPoint });
    this.origin = null;
    this.view = null;
    /** The width that the buttons cover. */
    this.inset = buttons ? BUTTONS : 0;
    this.pointers = new Map();
    this.canvas = element('canvas', { role: 'img', 'aria-label': label });
    this.frame = element('div', { class: 'map', tabIndex: 0, role: 'group', 'aria-label': t('map.keys', { label }) },
      this.canvas, buttons ? this.buttons(buttons !== 'view') : null);
    parent.append(this.frame);
    this.listen();
    this.redraw = () => this.draw();
    sharedTiles().then((tiles) => this.useTiles(tiles));
  }

  useTiles(tiles) {
    if (!tiles) return;
    this.tiles = tiles;
    if (tiles.attribution) this.frame.append(element('p', { class: 'map-credit' }, plainText(tiles.attribution)));
    this.draw();
  }

  buttons(canFollow) {
    const button = (text, label, call) => element('button', { type: 'button', 'aria-label': label, title: label,
      onclick: call }, text);
    return element('div', { class: 'map-buttons' },
      button('+', t('map.in'), () => this.zoom(1.6)), button('−', t('map.out'), () => this.zoom(1 / 1.6)),
      button('⤢', t('map.fit'), () => this.fit()),
      canFollow ? button('◎', t('map.follow'), () => this.followPosition()) : null);
  }

  listen() {
    this.observer = new ResizeObserver(() => this.resize());
    this.observer.observe(this.frame);
    this.themed = () => this.draw();
    addEventListener('paced-theme', this.themed);
    const on = (name, call, options) => this.canvas.addEventListener(name, call, options);
    on('pointerdown', (event) => this.press(event));
    on('pointermove', (event) => this.drag(event));
    for (const name of ['pointerup', 'pointercancel']) on(name, (event) => this.release(event));
    on('wheel', (event) => {
      event.preventDefault();
      this.zoom(event.deltaY < 0 ? 1.25 : 0.8, this.placeOf(event));
    }, { passive: false });
    this.frame.addEventListener('keydown', (event) => this.key(event));
  }

  destroy() {
    this.observer.disconnect();
    removeEventListener('paced-theme', this.themed);
    this.frame.remove();
  }

  // Data

  setLines(lines) {
    this.lines = lines;
    this.changed();
  }

  setPoints(points) {
    this.points = points;
    this.changed();
  }

  setPosition(position) {
    this.position = position;
    this.changed();
  }

  changed() {
    if (!this.view || !this.isMoved) this.fitView();
    this.draw();
  }

  /** Metres east and south of the origin. */
  project(latitude, longitude) {
    if (!this.origin) this.origin = { latitude, longitude, scale: Math.cos(latitude * Math.PI / 180) };
    let east = longitude - this.origin.longitude;
    if (east > 180) east -= 360;
    if (east < -180) east += 360;
    return [east * this.origin.scale * METRES_PER_DEGREE, (this.origin.latitude - latitude) * METRES_PER_DEGREE];
  }

  unproject([x, y]) {
    return {
      latitude: this.origin.latitude - y / METRES_PER_DEGREE,
      longitude: this.origin.longitude + x / METRES_PER_DEGREE / this.origin.scale,
    };
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

  /** Shows everything, and goes on to. */
  fit() {
    this.isMoved = false;
    this.follow = false;
    this.fitView();
    this.draw();
  }

  /** Keeps the position in the middle. */
  followPosition(metresPerPixel) {
    this.follow = true;
    this.isMoved = true;
    if (metresPerPixel) this.wanted = metresPerPixel;
    else if (this.view) this.view.scale = Math.min(this.view.scale, 3);
    this.draw();
  }

  /** Shows the surroundings of a place. */
  look(latitude, longitude, metresPerPixel = 2) {
    const [x, y] = this.project(latitude, longitude);
    this.view = { x, y, scale: metresPerPixel };
    this.isMoved = true;
    this.follow = false;
    this.draw();
  }

  fitView() {
    const box = this.bounds();
    const [width, height] = this.size ?? [];
    if (!box || !width || !height) return;
    const scale = Math.max((box[2] - box[0]) / Math.max(width - this.inset - 2 * PADDING, 40),
      (box[3] - box[1]) / Math.max(height - 2 * PADDING, 40), 1 / CLOSEST);
    this.view = { x: (box[0] + box[2] + this.inset * scale) / 2, y: (box[1] + box[3]) / 2, scale };
  }

  zoom(factor, [px, py] = []) {
    if (!this.view) return;
    const [width, height] = this.size;
    const scale = Math.min(Math.max(this.view.scale / factor, 0.05), 50_000);
    if (px !== undefined && !this.follow) {
      this.view.x += (px - width / 2) * (this.view.scale - scale);
      this.view.y += (py - height / 2) * (this.view.scale - scale);
    }
    this.view.scale = scale;
    this.isMoved = true;
    this.draw();
  }

  pan(dx, dy) {
    if (!this.view) return;
    this.view.x -= dx * this.view.scale;
    this.view.y -= dy * this.view.scale;
    this.isMoved = true;
    this.follow = false;
    this.draw();
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
    const box = this.canvas.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  }

  press(event) {
    this.canvas.setPointerCapture(event.pointerId);
    this.pointers.set(event.pointerId, this.placeOf(event));
    this.travel = this.pointers.size > 1 ? Infinity : 0;
  }

  drag(event) {
    const before = this.pointers.get(event.pointerId);
    if (!before) return;
    const now = this.placeOf(event);
    const others = [...this.pointers].filter(([id]) => id !== event.pointerId).map(([, place]) => place);
    const [dx, dy] = [now[0] - before[0], now[1] - before[1]];
    this.travel += Math.hypot(dx, dy);
    if (this.travel > 5 && others.length === 0) this.pan(dx, dy);
    if (others.length === 1) {
      const distance = (place) => Math.max(Math.hypot(place[0] - others[0][0], place[1] - others[0][1]), 1);
      this.zoom(distance(now) / distance(before), [(now[0] + others[0][0]) / 2, (now[1] + others[0][1]) / 2]);
    }
    this.pointers.set(event.pointerId, now);
  }

  release(event) {
    const isTap = this.pointers.delete(event.pointerId) && event.type === 'pointerup' && this.travel <= 5;
    if (!isTap || !this.view) return;
    const place = this.placeOf(event);
    const distance = (point) => {
      const [x, y] = this.pixel(point.latitude, point.longitude);
      return Math.hypot(x - place[0], y - place[1]);
    };
    const nearest = this.points.reduce((best, point) =>
      (!best || distance(point) < distance(best) ? point : best), null);
    if (this.onPoint && nearest && distance(nearest) < 24) return this.onPoint(nearest);
    this.onClick?.(this.unproject([this.view.x + (place[0] - this.size[0] / 2) * this.view.scale,
      this.view.y + (place[1] - this.size[1] / 2) * this.view.scale]));
  }

  // Drawing

  resize() {
    const { clientWidth: width, clientHeight: height } = this.frame;
    if (this.size?.[0] === width && this.size?.[1] === height) return;
    this.size = [width, height];
    if (!this.view || !this.isMoved) this.fitView();
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
    if (!width || !height || !this.canvas.isConnected) return;
    const ratio = devicePixelRatio || 1;
    const [wide, high] = [Math.round(width * ratio), Math.round(height * ratio)];
    if (this.canvas.width !== wide || this.canvas.height !== high) {
      this.canvas.width = wide;
      this.canvas.height = high;
    }
    const pen = this.canvas.getContext('2d');
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.clearRect(0, 0, width, height);
    if (!this.view) return;
    if (this.follow && this.position) {
      [this.view.x, this.view.y] = this.project(this.position.latitude, this.position.longitude);
      this.view.scale = this.wanted ?? this.view.scale;
      this.wanted = null;
    }
    const style = getComputedStyle(this.frame);
    if (this.tiles) this.drawTiles(pen, style);
    for (const line of this.lines) this.drawLine(pen, style, line);
    for (const point of this.points) this.drawPoint(pen, style, point);
    if (this.position) this.drawPosition(pen, style);
    this.drawScale(pen, style, height);
  }

  drawTiles(pen, style) {
    const { x, y, scale } = this.view;
    const [width, height] = this.size;
    const corner = (side) => this.unproject([x + side * width / 2 * scale, y + side * height / 2 * scale]);
    pen.save();
    pen.globalAlpha = Number(style.getPropertyValue('--map-tiles')) || 1;
    for (const tile of this.tiles.cover(corner(-1), corner(1), scale, this.redraw)) {
      const [left, top] = this.pixel(tile.north, tile.west);
      const [right, bottom] = this.pixel(tile.south, tile.east);
      // Half a pixel more, so that no line is left between two tiles.
      pen.drawImage(tile.image, left, top, right - left + 0.5, bottom - top + 0.5);
    }
    pen.restore();
  }

  pixel(latitude, longitude) {
    const [x, y] = this.project(latitude, longitude);
    const { x: middle, y: centre, scale } = this.view;
    return [(x - middle) / scale + this.size[0] / 2, (y - centre) / scale + this.size[1] / 2];
  }

  drawLine(pen, style, { points, colour = '--accent', width = 4, dash = [], casing = '--map-casing' }) {
    pen.beginPath();
    let isOpen = false;
    for (const point of points) {
      if (point) {
        const [x, y] = this.pixel(point[0], point[1]);
        if (isOpen) pen.lineTo(x, y);
        else pen.moveTo(x, y);
      }
      isOpen = Boolean(point);
    }
    pen.lineCap = 'round';
    pen.lineJoin = 'round';
    if (casing) {
      pen.setLineDash([]);
      pen.lineWidth = width + 3;
      pen.strokeStyle = colourOf(style, casing);
      pen.stroke();
    }
    pen.setLineDash(dash);
    pen.lineWidth = width;
    pen.strokeStyle = colourOf(style, colour);
    pen.stroke();
    pen.setLineDash([]);
  }

  drawPoint(pen, style, { latitude, longitude, label, colour = '--text', radius = 6, shape = 'dot', heading = 0 }) {
    const [x, y] = this.pixel(latitude, longitude);
    pen.fillStyle = colourOf(style, colour);
    pen.strokeStyle = colourOf(style, '--map-back');
    pen.lineWidth = 2;
    pen.beginPath();
    if (shape === 'arrow') arrow(pen, x, y, heading, radius);
    else if (shape === 'flag') pen.rect(x - radius, y - radius, 2 * radius, 2 * radius);
    else pen.arc(x, y, radius, 0, 2 * Math.PI);
    pen.stroke();
    pen.fill();
    if (label) this.drawLabel(pen, style, label, x, y, radius + 4);
  }

  /** Draws a text right of a place, or left of it where the buttons or the edge would cover the text. */
  drawLabel(pen, style, label, x, y, gap = 0) {
    pen.font = `600 13px ${style.fontFamily}`;
    pen.textBaseline = 'middle';
    pen.lineWidth = 4;
    pen.lineJoin = 'round';
    pen.strokeStyle = colourOf(style, '--map-back');
    const length = pen.measureText(label).width;
    const isCovered = x + gap + length > this.size[0] - this.inset - 12;
    const left = Math.max(isCovered ? x - gap - length : x + gap, 4);
    pen.strokeText(label, left, y);
    pen.fillStyle = colourOf(style, '--text');
    pen.fillText(label, left, y);
  }

  drawPosition(pen, style) {
    const { latitude, longitude, heading, isStale } = this.position;
    const [x, y] = this.pixel(latitude, longitude);
    pen.fillStyle = colourOf(style, isStale ? '--soft' : '--position');
    pen.strokeStyle = colourOf(style, '--map-back');
    pen.lineWidth = 3;
    pen.beginPath();
    if (Number.isFinite(heading)) arrow(pen, x, y, heading, 12);
    else pen.arc(x, y, 8, 0, 2 * Math.PI);
    pen.stroke();
    pen.fill();
    if (Number.isFinite(heading)) return;
    // A ring, so that the position does not look like a point.
    pen.fillStyle = pen.strokeStyle;
    pen.beginPath();
    pen.arc(x, y, 3, 0, 2 * Math.PI);
    pen.fill();
  }

  drawScale(pen, style, height) {
    const unit = isMetric() ? 1 : 0.3048;
    const most = 110 * this.view.scale / unit;
    let length = niceLength(most);
    let text = `${length} ${isMetric() ? 'm' : 'ft'}`;
    let metres = length * unit;
    const far = isMetric() ? 1000 : 1609.344;
    if (110 * this.view.scale >= far) {
      length = niceLength(110 * this.view.scale / far);
      metres = length * far;
      text = `${decimal(length, 0)} ${isMetric() ? 'km' : 'mi'}`;
    }
    const wide = metres / this.view.scale;
    const [x, y] = [10.5, height - 10.5];
    pen.lineWidth = 2;
    pen.strokeStyle = colourOf(style, '--text');
    pen.beginPath();
    pen.moveTo(x, y - 6);
    pen.lineTo(x, y);
    pen.lineTo(x + wide, y);
    pen.lineTo(x + wide, y - 6);
    pen.stroke();
    this.drawLabel(pen, style, text, x + 6, y - 11);
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

/** An arrowhead with the heading clockwise from north. */
function arrow(pen, x, y, heading, radius) {
  const turn = heading * Math.PI / 180;
  const at = (angle, length) => [x + length * Math.sin(turn + angle), y - length * Math.cos(turn + angle)];
  pen.moveTo(...at(0, radius * 1.25));
  pen.lineTo(...at(2.5, radius));
  pen.lineTo(...at(Math.PI, radius * 0.35));
  pen.lineTo(...at(-2.5, radius));
  pen.closePath();
}
