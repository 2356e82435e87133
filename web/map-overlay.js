// What is drawn over the land of a map: lines, points with labels, and the position.

import { element } from './dom.js';
import { project, squareToScreen, toScreen, viewToView } from './mercator.js';

/** Pixels between the arrows of a course. */
const ARROWS = 60;
/** Ways have units of this part of the world, since a canvas computes with few digits. */
export const UNIT = 2 ** -26;

/** The value of a custom property of CSS, or the colour itself. */
export function colourOf(style, colour) {
  return colour.startsWith('--') ? style.getPropertyValue(colour).trim() || '#888' : colour;
}

/** A canvas with a margin, and the view it was drawn in. */
export class Overlay {
  constructor(label) {
    this.canvas = element('canvas', { role: 'img', 'aria-label': label });
    this.drawn = null;
    /** By the array of points. */
    this.ways = new WeakMap();
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

  /** The way of a line; kept while the line has the same points. */
  wayOf({ points }) {
    const kept = this.ways.get(points);
    const way = kept?.isBeginningOf(points) ? kept : new Way();
    this.ways.set(points, way);
    return way.grow(points);
  }

  matrixOf({ x, y }) {
    return squareToScreen(this.view, x - Math.round(x - this.view.x), y, UNIT, 1);
  }

  drawLine(line) {
    const { pen, style, ratio } = this;
    const { colour = '--accent', width = 4, dash = [], casing = '--map-casing' } = line;
    const way = this.wayOf(line);
    if (way.x === undefined) return;
    const { path } = way;
    const matrix = this.matrixOf(way);
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
    if (line.arrows) this.drawArrows(way.numbers, matrix, width, colourOf(style, casing ?? '--map-casing'));
  }

  /** Arrowheads inside a line, each some pixels farther from its beginning. */
  drawArrows(numbers, matrix, width, colour) {
    const { pen, view } = this;
    pen.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    pen.fillStyle = colour;
    const [a, b, c, d, e, f] = matrix;
    let [x, y] = [NaN, NaN];
    let rest = ARROWS / 2;
    pen.beginPath();
    // No arrays in this loop: a course has thousands of points.
    for (let index = 0; index < numbers.length; index += 2) {
      const dx = a * numbers[index] + c * numbers[index + 1] + e - x;
      const dy = b * numbers[index] + d * numbers[index + 1] + f - y;
      const length = Math.hypot(dx, dy);
      for (; rest <= length; rest += ARROWS) {
        const [right, down] = [x + dx * rest / length, y + dy * rest / length];
        if (right > 0 && down > 0 && right < view.width && down < view.height) {
          head(pen, right, down, Math.atan2(dx, -dy), 0.6 * width);
        }
      }
      // A break: the next part begins anew.
      rest = Number.isNaN(length) ? ARROWS / 2 : rest - length;
      x = a * numbers[index] + c * numbers[index + 1] + e;
      y = b * numbers[index] + d * numbers[index + 1] + f;
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

/**
 * A line in units around its first point x, y: a path, and the numbers of its points, NaN for a break. A trail grows at
 * its end, so that only new points cost something.
 */
class Way {
  constructor() {
    Object.assign(this, { path: new Path2D(), numbers: [], count: 0, last: null });
  }

  /** Whether points are those of before with more at the end. */
  isBeginningOf(points) {
    return points.length >= this.count && (this.count === 0 || points[this.count - 1] === this.last);
  }

  grow(points) {
    for (; this.count < points.length; this.count += 1) {
      const point = points[this.count];
      if (point) this.add(...project(point[0], point[1]));
      else this.numbers.push(NaN, NaN);
      this.last = point;
    }
    return this;
  }

  add(east, south) {
    if (this.x === undefined) [this.x, this.y] = [east, south];
    const isOpen = this.numbers.length > 0 && !Number.isNaN(this.numbers.at(-1));
    const [x, y] = [(east - this.x - Math.round(east - this.x)) / UNIT, (south - this.y) / UNIT];
    if (isOpen) this.path.lineTo(x, y);
    else this.path.moveTo(x, y);
    this.numbers.push(x, y);
  }
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
