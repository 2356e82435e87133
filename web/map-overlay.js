// What is drawn over the land of a map: lines, points with labels, and the position.

import { project, squareToScreen, toScreen, viewToView } from './mercator.js';
import { element } from './dom.js';

/** Pixels between the arrows of a course. */
const ARROWS = 60;
/** Paths have units of this part of the world, since a canvas computes with few digits. */
const UNIT = 2 ** -26;

/** The value of a custom property of CSS, or the colour itself. */
export function colourOf(style, colour) {
  return colour.startsWith('--') ? style.getPropertyValue(colour).trim() || '#888' : colour;
}

/** A canvas with a margin, and the view it was drawn in. */
export class Overlay {
  constructor(label) {
    this.canvas = element('canvas', { role: 'img', 'aria-label': label });
    this.drawn = null;
    this.paths = new Map();
  }

  /** Lines have changed: their points too, perhaps in the same arrays. */
  forgetPaths() {
    this.paths.clear();
  }

  /**
   * Draws in a view. `right`: where the buttons begin, in its pixels; `images`: tiles of a map of images.
   */
  draw({ view, ratio, style, lines, points, position, images = [], right }) {
    Object.assign(this, { view, drawn: view, style, right });
    const [wide, high] = [Math.round(view.width * ratio), Math.round(view.height * ratio)];
    if (this.canvas.width !== wide) this.canvas.width = wide;
    if (this.canvas.height !== high) this.canvas.height = high;
    Object.assign(this.canvas.style, { width: `${view.width}px`, height: `${view.height}px` });
    this.pen = this.canvas.getContext('2d');
    this.ratio = ratio;
    this.pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    this.pen.clearRect(0, 0, view.width, view.height);
    if (images.length > 0) this.drawImages(images);
    for (const line of lines) this.drawLine(line);
    this.pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    for (const point of points) this.drawPoint(point);
    if (position) this.drawPosition(position);
  }

  /** Moves the canvas as its place in another view is. */
  place(view) {
    if (this.drawn) this.canvas.style.transform = `matrix(${viewToView(this.drawn, view).join()})`;
  }

  drawImages(tiles) {
    const { pen, ratio } = this;
    pen.globalAlpha = Number(this.style.getPropertyValue('--map-tiles')) || 1;
    for (const { image, z, x, y } of tiles) {
      const side = 2 ** -z;
      const matrix = squareToScreen(this.view, x * side, y * side, side, 256);
      pen.setTransform(...matrix.map((one) => one * ratio));
      // Half a pixel more, so that no line is left between two tiles.
      const length = 256 + 0.5 / Math.hypot(matrix[0], matrix[1]);
      pen.drawImage(image, 0, 0, length, length);
    }
    pen.globalAlpha = 1;
  }

  /** Where a place is: east or west of the view's middle, whichever is nearer. */
  pixel(latitude, longitude) {
    const [x, y] = project(latitude, longitude);
    return toScreen(this.view, x - Math.round(x - this.view.x), y);
  }

  drawLine(line) {
    const { pen, style, ratio } = this;
    const { points, colour = '--accent', width = 4, dash = [], casing = '--map-casing' } = line;
    if (!this.paths.has(line)) this.paths.set(line, pathOf(points));
    const { path, x, y } = this.paths.get(line);
    if (!path) return;
    const matrix = squareToScreen(this.view, x - Math.round(x - this.view.x), y, UNIT, 1);
    pen.setTransform(...matrix.map((one) => one * ratio));
    const scale = this.view.size * UNIT;
    pen.lineCap = 'round';
    pen.lineJoin = 'round';
    if (casing) {
      pen.setLineDash([]);
      pen.lineWidth = (width + 4) / scale;
      pen.strokeStyle = colourOf(style, casing);
      pen.stroke(path);
    }
    pen.setLineDash(dash.map((one) => one / scale));
    pen.lineWidth = width / scale;
    pen.strokeStyle = colourOf(style, colour);
    pen.stroke(path);
    pen.setLineDash([]);
    if (line.arrows) this.drawArrows(line, colourOf(style, casing ?? '--map-casing'));
  }

  /** Arrowheads inside a line, each some pixels farther from its beginning. */
  drawArrows({ points, width = 4 }, colour) {
    const { pen, view } = this;
    pen.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    pen.fillStyle = colour;
    let before = null;
    let rest = ARROWS / 2;
    pen.beginPath();
    for (const point of points) {
      const next = point && this.pixel(point[0], point[1]);
      if (!before || !next) {
        before = next;
        continue;
      }
      const [dx, dy] = [next[0] - before[0], next[1] - before[1]];
      const length = Math.hypot(dx, dy);
      const isOut = Math.max(before[0], next[0]) < 0 || Math.min(before[0], next[0]) > view.width
        || Math.max(before[1], next[1]) < 0 || Math.min(before[1], next[1]) > view.height;
      if (isOut && rest < length) rest += Math.ceil((length - rest) / ARROWS) * ARROWS;
      for (; rest <= length; rest += ARROWS) {
        const [x, y] = [before[0] + dx * rest / length, before[1] + dy * rest / length];
        if (x > 0 && y > 0 && x < view.width && y < view.height) head(pen, x, y, Math.atan2(dx, -dy), 0.6 * width);
      }
      rest -= length;
      before = next;
    }
    pen.fill();
  }

  drawPoint({ latitude, longitude, label, colour = '--text', radius = 6, shape = 'dot', heading = 0 }) {
    const { pen, style } = this;
    const [x, y] = this.pixel(latitude, longitude);
    pen.fillStyle = colourOf(style, colour);
    pen.strokeStyle = colourOf(style, '--map-back');
    pen.lineWidth = 2;
    pen.beginPath();
    if (shape === 'arrow') arrow(pen, x, y, this.turnOf(heading), radius);
    else if (shape === 'flag') pen.rect(x - radius, y - radius, 2 * radius, 2 * radius);
    else pen.arc(x, y, radius, 0, 2 * Math.PI);
    pen.stroke();
    pen.fill();
    if (label) this.drawLabel(label, x, y, radius + 4);
  }

  /** Draws a text right of a place, or left of it where the buttons or the edge would cover the text. */
  drawLabel(label, x, y, gap) {
    const { pen, style } = this;
    pen.font = `600 13px ${style.fontFamily}`;
    pen.textBaseline = 'middle';
    pen.lineWidth = 4;
    pen.lineJoin = 'round';
    pen.strokeStyle = colourOf(style, '--map-back');
    const length = pen.measureText(label).width;
    const isCovered = x + gap + length > this.right - 12;
    const left = Math.max(isCovered ? x - gap - length : x + gap, 4);
    pen.strokeText(label, left, y);
    pen.fillStyle = colourOf(style, '--text');
    pen.fillText(label, left, y);
  }

  drawPosition({ latitude, longitude, heading, isStale }) {
    const { pen, style } = this;
    const [x, y] = this.pixel(latitude, longitude);
    pen.fillStyle = colourOf(style, isStale ? '--soft' : '--position');
    pen.strokeStyle = colourOf(style, '--map-back');
    pen.lineWidth = 3;
    pen.beginPath();
    if (Number.isFinite(heading)) arrow(pen, x, y, this.turnOf(heading), 12);
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

  /** The turn on the screen of a heading in degrees. */
  turnOf(heading) {
    return heading * Math.PI / 180 - this.view.turn;
  }
}

/** A path around its first point x, y; null in the points breaks it. */
function pathOf(points) {
  const first = points.find((point) => point);
  if (!first) return {};
  const [x, y] = project(first[0], first[1]);
  const path = new Path2D();
  let isOpen = false;
  for (const point of points) {
    if (point) {
      const [east, south] = project(point[0], point[1]);
      const place = [(east - x - Math.round(east - x)) / UNIT, (south - y) / UNIT];
      if (isOpen) path.lineTo(...place);
      else path.moveTo(...place);
    }
    isOpen = Boolean(point);
  }
  return { path, x, y };
}

/** A small triangle that fits into a line. */
function head(pen, x, y, turn, radius) {
  const [right, down] = [Math.sin(turn) * radius, -Math.cos(turn) * radius];
  pen.moveTo(x + 1.3 * right, y + 1.3 * down);
  pen.lineTo(x - right - down, y - down + right);
  pen.lineTo(x - right + down, y - down - right);
  pen.closePath();
}

/** An arrowhead with the turn clockwise from up. */
function arrow(pen, x, y, turn, radius) {
  const at = (angle, length) => [x + length * Math.sin(turn + angle), y - length * Math.cos(turn + angle)];
  pen.moveTo(...at(0, radius * 1.25));
  pen.lineTo(...at(2.5, radius));
  pen.lineTo(...at(Math.PI, radius * 0.35));
  pen.lineTo(...at(-2.5, radius));
  pen.closePath();
}
