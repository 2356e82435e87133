// What is drawn over the land of a map: lines and points with labels in a canvas, and the position. What changes each
// second is small elements of SVG, since a browser copies a whole canvas for the least change in it.

import { element, svg } from './dom.js';
import { project, squareToScreen, toScreen, viewToView } from './mercator.js';

/** Pixels between the arrows of a course. */
const ARROWS = 60;
/** Points that a line may grow by before the canvas is drawn anew. */
const GROWN = 10;
const ARROW = 'M0-15 7.2 9.6 0 4.2-7.2 9.6z';
/** Ways have units of this part of the world, since a canvas computes with few digits. */
export const UNIT = 2 ** -26;

/** The value of a custom property of CSS, or the colour itself. */
export function colourOf(style, colour) {
  return colour.startsWith('--') ? style.getPropertyValue(colour).trim() || '#888' : colour;
}

const looksOf = ({ colour = '--accent', width = 4, dash = [], casing = '--map-casing', arrows = false }) =>
  ({ colour, width, dash, casing, arrows });

/** A canvas with a margin, the view it was drawn in, what has grown since then, and the position. */
export class Overlay {
  constructor(label) {
    this.canvas = element('canvas', { role: 'img', 'aria-label': label });
    this.tail = svg('svg', { class: 'map-tail', 'aria-hidden': 'true' }, svg('path'), svg('path'));
    this.mark = svg('svg', { class: 'map-mark', 'aria-hidden': 'true', hidden: '' }, svg('path', { d: ARROW }),
      svg('circle', { r: 8 }), svg('circle', { r: 3 }));
    this.drawn = null;
    /** The lines of the canvas: [{ points, count, looks }]. */
    this.shown = [];
    /** By the array of points. */
    this.ways = new WeakMap();
  }

  /**
   * Draws in a view. `right`: where the buttons begin, in its pixels; `images`: tiles of a map of images.
   */
  draw({ view, ratio, style, lines, points, images = [], right }) {
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
    this.shown = lines.map((line) => ({ points: line.points, count: line.points.length,
      looks: JSON.stringify(looksOf(line)) }));
    for (const path of this.tail.children) path.setAttribute('d', '');
  }

  /** Moves all as their place in another view is. */
  place(view, position) {
    if (!this.drawn) return;
    const transform = `matrix(${viewToView(this.drawn, view).join()})`;
    for (const { style } of [this.canvas, this.tail]) style.transform = transform;
    this.mark.toggleAttribute('hidden', !position);
    if (!position) return;
    const { latitude, longitude, heading, isStale } = position;
    const isArrow = Number.isFinite(heading);
    const turn = isArrow ? turnOf(view, heading) : 0;
    const [x, y] = pixel(view, latitude, longitude);
    Object.assign(this.mark.dataset, { shape: isArrow ? 'arrow' : 'dot', age: isStale ? 'old' : 'new' });
    this.mark.style.transform = `translate(${x}px, ${y}px) rotate(${turn}rad)`;
  }

  /** The line that is nearest to a place in a view and not farther than `reach` pixels, the upper one of several. */
  lineAt(view, lines, [x, y], reach) {
    const near = lines.map((line) => {
      const way = this.wayOf(line);
      if (way.x === undefined) return Infinity;
      const [a, b, c, d, e, f] = squareToScreen(view, way.x - Math.round(way.x - view.x), way.y, UNIT, 1);
      let least = Infinity;
      let [fromX, fromY] = [NaN, NaN];
      for (let index = 0; index < way.numbers.length; index += 2) {
        const toX = a * way.numbers[index] + c * way.numbers[index + 1] + e - x;
        const toY = b * way.numbers[index] + d * way.numbers[index + 1] + f - y;
        const [dx, dy] = [toX - fromX, toY - fromY];
        const part = Math.min(Math.max(-(fromX * dx + fromY * dy) / (dx * dx + dy * dy || 1), 0), 1);
        const distance = Math.hypot(fromX + part * dx, fromY + part * dy);
        // NaN, at a break, is not less.
        if (distance < least) least = distance;
        [fromX, fromY] = [toX, toY];
      }
      return least;
    });
    const best = Math.min(...near);
    return best <= reach ? lines[near.lastIndexOf(best)] : null;
  }

  /** Shows by what the last line has grown since the canvas was drawn; false if more has changed. */
  grow(lines) {
    const { shown } = this;
    const isSame = lines.length === shown.length && lines.every((line, index) => {
      const { points, count, looks } = shown[index];
      const most = index === lines.length - 1 ? count + GROWN : count;
      return points === line.points && points.length >= count && points.length <= most
        && this.ways.get(points)?.isBeginningOf(points) && looks === JSON.stringify(looksOf(line));
    });
    if (isSame && lines.length > 0) this.drawTail(lines.at(-1), shown.at(-1).count);
    return isSame;
  }

  /** Draws a line from the point before this one on. Its colour begins earlier, over the round end of the casing. */
  drawTail(line, count) {
    const { colour, width, dash, casing } = looksOf(line);
    const way = this.wayOf(line);
    const { numbers } = way;
    const isBreak = (index) => !(numbers[2 * index] <= Infinity);
    const begin = Math.max(isBreak(count - 1) ? count : count - 1, 0);
    const [a, b, c, d, e, f] = this.matrixOf(way);
    const at = (index) => [a * numbers[2 * index] + c * numbers[2 * index + 1] + e,
      b * numbers[2 * index] + d * numbers[2 * index + 1] + f];
    const before = (index) => Math.hypot(at(index)[0] - at(index - 1)[0], at(index)[1] - at(index - 1)[1]);
    let from = begin;
    for (let back = 0; back < 2 * width && !isBreak(from - 1); from -= 1) back += before(from);
    // Dashes go on as those of the canvas.
    let offset = 0;
    for (let index = from; dash.length > 0 && !isBreak(index - 1); index -= 1) offset += before(index);
    const set = (path, first, attributes) => {
      let text = '';
      for (let index = first; index < numbers.length / 2; index += 1) {
        const command = index === first || isBreak(index - 1) ? 'M' : 'L';
        if (!isBreak(index)) text += command + at(index).map((one) => one.toFixed(1));
      }
      for (const [name, value] of Object.entries({ d: text, ...attributes })) path.setAttribute(name, value);
    };
    const [under, over] = this.tail.children;
    set(under, casing ? begin : numbers.length, { stroke: colourOf(this.style, casing ?? ''),
      'stroke-width': width + 4 });
    set(over, from, { stroke: colourOf(this.style, colour), 'stroke-width': width, 'stroke-dasharray': dash.join(' '),
      'stroke-dashoffset': offset });
  }

  drawImages(tiles) {
    const { pen, ratio } = this;
    for (const { image, z, x, y } of tiles) {
      const side = 2 ** -z;
      const matrix = squareToScreen(this.view, x * side, y * side, side, 256);
      pen.setTransform(...matrix.map((one) => one * ratio));
      // A pixel of the screen more, also where it is turned, so that no line is left between two tiles.
      const length = 256 + 1.5 / (Math.hypot(matrix[0], matrix[1]) * ratio);
      pen.drawImage(image, 0, 0, length, length);
    }
    // All at once: what two tiles cover would be twice as strong.
    pen.setTransform(1, 0, 0, 1, 0, 0);
    Object.assign(pen, { fillStyle: '#000', globalCompositeOperation: 'destination-in' });
    pen.globalAlpha = Number(this.style.getPropertyValue('--map-tiles')) || 1;
    pen.fillRect(0, 0, this.canvas.width, this.canvas.height);
    Object.assign(pen, { globalCompositeOperation: 'source-over', globalAlpha: 1 });
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
    const { colour, width, dash, casing, arrows } = looksOf(line);
    const way = this.wayOf(line);
    if (way.x === undefined) return;
    const { path } = way;
    const matrix = this.matrixOf(way);
    pen.setTransform(...matrix.map((one) => one * ratio));
    const scale = this.view.size * UNIT;
    pen.lineCap = 'round';
    pen.lineJoin = 'round';
    if (casing && colour) {
      pen.setLineDash([]);
      pen.lineWidth = (width + 4) / scale;
      pen.strokeStyle = colourOf(style, casing);
      pen.stroke(path);
    }
    if (colour) {
      pen.setLineDash(dash.map((one) => one / scale));
      pen.lineWidth = width / scale;
      pen.strokeStyle = colourOf(style, colour);
      pen.stroke(path);
      pen.setLineDash([]);
    }
    if (arrows) this.drawArrows(way.numbers, matrix, width, colourOf(style, casing ?? '--map-casing'));
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

  drawPoint({ latitude, longitude, label, colour = '--text', radius = 6, shape = 'dot', heading = 0, mark, inner }) {
    const { pen, style } = this;
    const [x, y] = pixel(this.view, latitude, longitude);
    pen.fillStyle = colourOf(style, colour);
    pen.strokeStyle = colourOf(style, '--map-back');
    pen.lineWidth = 2;
    pen.beginPath();
    if (shape === 'arrow') arrow(pen, x, y, turnOf(this.view, heading), radius);
    else if (shape === 'star') star(pen, x, y, radius);
    else if (shape === 'flag') pen.rect(x - radius, y - radius, 2 * radius, 2 * radius);
    else pen.arc(x, y, radius, 0, 2 * Math.PI);
    pen.stroke();
    pen.fill();
    if (mark) this.drawMark(mark, x, y, radius);
    if (inner) this.drawInner(inner, x, y);
    if (label) this.drawLabel(label, x, y, radius + 4);
  }

  /** Draws a path in a square of 16 units into a disc. */
  drawMark(path, x, y, radius) {
    const { pen, style } = this;
    const scale = 1.25 * radius / 16;
    pen.save();
    pen.translate(x - 8 * scale, y - 8 * scale);
    pen.scale(scale, scale);
    pen.lineWidth = 1.7;
    pen.lineCap = pen.lineJoin = 'round';
    pen.strokeStyle = colourOf(style, '--map-back');
    pen.stroke(markPath(path));
    pen.restore();
  }

  drawInner(text, x, y) {
    const { pen, style } = this;
    pen.save();
    pen.font = `700 13px ${style.fontFamily}`;
    pen.textAlign = 'center';
    pen.textBaseline = 'middle';
    pen.fillStyle = colourOf(style, '--map-back');
    pen.fillText(text, x, y + 1);
    pen.restore();
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
}

const markPaths = new Map();

/** A path is read once. */
function markPath(text) {
  if (!markPaths.has(text)) markPaths.set(text, new Path2D(text));
  return markPaths.get(text);
}

/** Where a place is: east or west of the view's middle, whichever is nearer. */
function pixel(view, latitude, longitude) {
  const [x, y] = project(latitude, longitude);
  return toScreen(view, x - Math.round(x - view.x), y);
}

/** The turn on the screen of a heading in degrees. */
const turnOf = (view, heading) => heading * Math.PI / 180 - view.turn;

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

/** A star of five points. */
function star(pen, x, y, radius) {
  for (let point = 0; point < 10; point += 1) {
    const [angle, length] = [point * Math.PI / 5, point % 2 === 0 ? radius : radius * 0.45];
    pen.lineTo(x + length * Math.sin(angle), y - length * Math.cos(angle));
  }
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
