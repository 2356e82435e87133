// Paints decoded tiles into a canvas: each class over all tiles before the next one, or a casing would cover the road
// of the neighbour. Works in a worker and in a page.

import { BRIDGE, CLASSES, GROUND, TUNNEL } from './map-schemas.js';
import { DASHES, widthAt } from './map-style.js';
import { boxOf, squareToScreen, zoomOf } from './mercator.js';
import { SIDE } from './mvt.js';

const ROADS = CLASSES.slice(CLASSES.indexOf('rail'));
const AREAS = CLASSES.slice(0, CLASSES.indexOf('building'));
/** A road below this width is one line. */
const THIN = 2.2;
/** A band at the right of a coast, where the water is, stands for a sea whose extent is unknown. */
const COAST_BAND = 11;
/** A tile of which only a part is seen is painted by parts of this side, those outside are left out. */
const CELL = SIDE / 4;

/** tiles: [{ z, x, y, tile, clip }]; `clip`: [x, y, side] in units of the tile, for a piece of a larger tile. */
export function paint(pen, tiles, view, style, ratio) {
  pen.setTransform(1, 0, 0, 1, 0, 0);
  pen.fillStyle = style.background;
  pen.fillRect(0, 0, Math.ceil(view.width * ratio), Math.ceil(view.height * ratio));
  new Painter(pen, tiles, view, style, ratio).paint();
}

class Painter {
  constructor(pen, tiles, view, style, ratio) {
    Object.assign(this, { pen, style, zoom: zoomOf(view) });
    const seen = boxOf(view);
    this.placed = tiles.filter(({ tile }) => tile).map(({ z, x, y, tile, clip }) => {
      const side = 2 ** -z;
      const matrix = squareToScreen(view, x * side, y * side, side, SIDE).map((one) => one * ratio);
      const box = seen.map((one, index) => (one / side - (index % 2 === 0 ? x : y)) * SIDE);
      return { tile, clip, matrix, scale: view.size * side / SIDE, box };
    });
    this.hatch = style.isPaper ? hatch(pen, ratio) : null;
  }

  paint() {
    const { areas, isPaper } = this.style;
    if (!isPaper) this.paintCoast();
    for (const name of AREAS) this.fill(name, areas[name]);
    if (isPaper) {
      this.fill('water', 'hatch');
      this.stroke('water', GROUND, 1, '#000', { outline: true });
    }
    if (isPaper && this.zoom >= 16) this.stroke('building', GROUND, 1, '#000', { outline: true });
    if (this.zoom >= 15) this.fill('building', areas.building);
    for (const name of ['coast', 'stream', 'river', 'boundary', 'ferry', 'lift']) {
      this.casing(name, GROUND);
      this.line(name, GROUND);
    }
    for (const level of [TUNNEL, GROUND, BRIDGE]) {
      for (const name of ROADS) this.casing(name, level);
      for (const name of ROADS) this.line(name, level);
    }
  }

  // Lines

  width(name) {
    const { from = 0, width = Infinity } = this.style.lines[name] ?? { from: Infinity };
    return this.zoom < from ? 0 : Math.min(widthAt(name, this.zoom), width);
  }

  casing(name, level) {
    const look = this.style.lines[name];
    const width = this.width(name);
    if (!look?.casing || width < (look.least ?? THIN)) return;
    const more = this.style.isPaper ? 2.4 : level === BRIDGE ? 2.6 : 1.8;
    this.stroke(name, level, width + more, look.casing,
      { dash: level === TUNNEL ? [5, 3] : [], cap: level === GROUND ? 'round' : 'butt' });
  }

  line(name, level) {
    const look = this.style.lines[name];
    const width = this.width(name);
    if (width <= 0) return;
    const isThin = look.casing && width < (look.least ?? THIN);
    const colour = isThin ? look.thin : level === TUNNEL && look.casing ? this.style.pale : look.fill;
    const tunnel = level === TUNNEL && (isThin || !look.casing) ? [5, 3] : [];
    const dash = (look.dash ?? DASHES[name] ?? tunnel).map((one) => one * Math.max(1, width / 1.5));
    this.stroke(name, level, width, colour, { dash, cap: dash.length > 0 || level === TUNNEL ? 'butt' : 'round' });
  }

  stroke(name, level, width, colour, { dash = [], cap = 'butt', outline = false }) {
    const { pen } = this;
    pen.lineJoin = width < 5 ? 'bevel' : 'round';
    pen.lineCap = cap;
    this.each(name, level, outline, (path, placed) => {
      pen.strokeStyle = this.colour(colour, placed);
      pen.lineWidth = width / placed.scale;
      pen.setLineDash(dash.map((one) => one / placed.scale));
      pen.stroke(path);
    }, width);
  }

  // Areas

  fill(name, colour) {
    if (!colour) return;
    this.each(name, GROUND, false, (path, placed) => {
      this.pen.fillStyle = this.colour(colour, placed);
      this.pen.fill(path);
    });
  }

  paintCoast() {
    this.each('coast', GROUND, false, (path, { tile, scale }) => {
      this.pen.fillStyle = this.style.areas.water;
      this.pen.fill(coastBand(tile.buckets.get(bucketOf('coast', GROUND)), COAST_BAND / scale));
    });
  }

  // Tiles

  /** Calls `use` with each path of a class that is seen, with the transform of its tile. */
  each(name, level, outline, use, width = 0) {
    const bucket = bucketOf(name, level);
    for (const placed of this.placed) {
      const { tile, matrix, clip, scale, box } = placed;
      if (!tile.buckets.has(bucket)) continue;
      this.pen.setTransform(...matrix);
      if (clip) {
        this.pen.save();
        this.pen.beginPath();
        this.pen.rect(clip[0], clip[1], clip[2], clip[2]);
        this.pen.clip();
      }
      const edge = width / scale;
      for (const { path, box: own } of pathsOf(tile, bucket, outline, scale * SIDE > 800)) {
        if (own[0] <= box[2] + edge && own[2] >= box[0] - edge && own[1] <= box[3] + edge && own[3] >= box[1] - edge) {
          use(path, placed);
        }
      }
      if (clip) this.pen.restore();
    }
  }

  /** A hatch keeps its place on the screen, whatever the transform is. */
  colour(colour, { matrix }) {
    if (colour !== 'hatch') return colour;
    this.hatch.setTransform(new DOMMatrix(matrix).inverse());
    return this.hatch;
  }
}

const bucketOf = (name, level) => 3 * CLASSES.indexOf(name) + level;

/** Paths of a bucket: [{ path, box }], one for all or one for each cell. They are kept with the tile. */
function pathsOf(tile, bucket, outline, byCells) {
  const key = `${bucket} ${outline} ${byCells}`;
  tile.paths ??= new Map();
  if (!tile.paths.has(key)) tile.paths.set(key, makePaths(tile.buckets.get(bucket), outline, byCells ? CELL : 2 ** 15));
  return tile.paths.get(key);
}

function makePaths(parts, outline, side) {
  const cells = new Map();
  let cell = null;
  for (let at = 0; at < parts.length;) {
    const isRing = parts[at] < 0;
    const end = at + 1 + 2 * Math.abs(parts[at]);
    const points = parts.subarray(at + 1, end);
    at = end;
    // A hole belongs to the path of its outer ring.
    if (!cell || !isRing || areaOf(points) > 0) cell = cellOf(cells, points, side);
    else grow(cell.box, points);
    addPoints(cell.path, points, isRing, outline);
  }
  return [...cells.values()];
}

function cellOf(cells, points, side) {
  const box = [Infinity, Infinity, -Infinity, -Infinity];
  grow(box, points);
  const key = `${Math.floor((box[0] + box[2]) / 2 / side)} ${Math.floor((box[1] + box[3]) / 2 / side)}`;
  const cell = cells.get(key);
  if (!cell) cells.set(key, { path: new Path2D(), box });
  else grow(cell.box, box);
  return cells.get(key);
}

function grow(box, points) {
  for (let index = 0; index < points.length; index += 2) {
    box[0] = Math.min(box[0], points[index]);
    box[1] = Math.min(box[1], points[index + 1]);
    box[2] = Math.max(box[2], points[index]);
    box[3] = Math.max(box[3], points[index + 1]);
  }
}

function areaOf(points) {
  let sum = 0;
  let [x, y] = points.slice(-2);
  for (let index = 0; index < points.length; index += 2) {
    sum += x * points[index + 1] - points[index] * y;
    [x, y] = [points[index], points[index + 1]];
  }
  return sum;
}

/** An outline leaves out the edges of the tile, at which areas are cut. */
function addPoints(path, points, isRing, outline) {
  path.moveTo(points[0], points[1]);
  for (let index = 2; index < points.length; index += 2) {
    const isCut = outline && isAtEdge(points[index - 2], points[index]) || outline
      && isAtEdge(points[index - 1], points[index + 1]);
    if (isCut) path.moveTo(points[index], points[index + 1]);
    else path.lineTo(points[index], points[index + 1]);
  }
  if (isRing && !outline) path.closePath();
  else if (isRing && !isAtEdge(points[0], points.at(-2)) && !isAtEdge(points[1], points.at(-1))) {
    path.lineTo(points[0], points[1]);
  }
}

const isAtEdge = (from, to) => (from <= 0 && to <= 0) || (from >= SIDE && to >= SIDE);

/** Quadrangles at the right of each segment, and wedges where the line turns left. All turn the same way. */
function coastBand(parts, width) {
  const path = new Path2D();
  const polygon = (...points) => {
    points.forEach(([x, y], index) => (index === 0 ? path.moveTo(x, y) : path.lineTo(x, y)));
    path.closePath();
  };
  for (let at = 0; at < parts.length; at += 1 + 2 * Math.abs(parts[at])) {
    let before = null;
    for (let index = at + 1; index < at + 2 * Math.abs(parts[at]) - 1; index += 2) {
      const [x, y, nextX, nextY] = parts.subarray(index, index + 4);
      const [dx, dy] = [nextX - x, nextY - y];
      const length = Math.hypot(dx, dy);
      if (length === 0) continue;
      const [right, down] = [-dy / length * width, dx / length * width];
      polygon([x, y], [nextX, nextY], [nextX + right, nextY + down], [x + right, y + down]);
      if (before && before[0] * down - before[1] * right < 0) {
        polygon([x, y], [x + right, y + down], [x + before[0], y + before[1]]);
      }
      before = [right, down];
    }
  }
  return path;
}

/** Black diagonals on white, which have no grey. */
function hatch(pen, ratio) {
  const side = Math.round(5 * ratio);
  const canvas = typeof OffscreenCanvas === 'undefined'
    ? Object.assign(document.createElement('canvas'), { width: side, height: side }) : new OffscreenCanvas(side, side);
  const drawing = canvas.getContext('2d');
  drawing.fillStyle = '#fff';
  drawing.fillRect(0, 0, side, side);
  drawing.fillStyle = '#000';
  for (let at = 0; at < side; at += 1) drawing.fillRect(at, side - 1 - at, Math.round(ratio), 1);
  return pen.createPattern(canvas, 'repeat');
}
