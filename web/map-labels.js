// The names on the map: places, roads, peaks. The most important first; none covers another one or stands on its head.

import { squareToScreen, zoomOf } from './mercator.js';
import { SIDE } from './mvt.js';

const CELL = 8;
/** Pixels around a label that stay free, and between two labels of the same name. */
const GAP = 3;
const APART = 260;
const MOST = 45;
const MOST_ON_PAPER = 18;
const ROAD_NAMES = 15;
const PEAKS = 12.5;
const HALO = 3.2;
/** Size in pixels and least zoom of the kinds of places. */
const PLACES = { city: [18, 0], town: [15, 8.5], village: [13, 10.5], suburb: [13, 12.5], hamlet: [12, 13] };
const MOST_WIDTHS = 2000;

const widths = new Map();

/**
 * Draws the labels of tiles that have been painted. `covered`: boxes [left, top, right, bottom] that stay free of them,
 * and so do the `ways` [[x, y, …], …] of the world, which are drawn over the map; `family`: the fonts.
 */
export function label(pen, tiles, view, style, ratio, { covered = [], ways = [], family = 'sans-serif' } = {}) {
  pen.setTransform(ratio, 0, 0, ratio, 0, 0);
  Object.assign(pen, { textAlign: 'center', textBaseline: 'middle', lineJoin: 'round', lineWidth: HALO,
    strokeStyle: style.halo, fillStyle: style.text });
  pen.setLineDash([]);
  const grid = new Grid(view);
  for (const [left, top, right, bottom] of covered) grid.take(boxOf((left + right) / 2, (top + bottom) / 2,
    right - left, bottom - top, 0));
  for (const way of ways) grid.takeWay(way, view);
  const drawn = new Map();
  let rest = style.isPaper ? MOST_ON_PAPER : MOST;
  for (const candidate of candidates(tiles, view)) {
    if (rest === 0) return;
    pen.font = `${candidate.weight} ${candidate.size}px ${family}`;
    const width = widthOf(pen, candidate.text);
    const place = candidate.line ? alongLine(candidate, width, (spot) => isFree(candidate, spot, width))
      : around(candidate, width).find((spot) => isFree(candidate, spot, width));
    if (!place) continue;
    grid.take(boxOf(place.x, place.y, width, candidate.size, place.turn));
    drawn.set(candidate.text, [...drawn.get(candidate.text) ?? [], place]);
    drawText(pen, candidate, place, ratio);
    rest -= 1;
  }

  function isFree({ text, size }, { x, y, turn }, width) {
    return !(drawn.get(text) ?? []).some((other) => Math.hypot(other.x - x, other.y - y) < APART)
      && grid.isFree(boxOf(x, y, width, size, turn));
  }
}

/** Where the label of a point may be: on it, or beside it. */
function around({ x, y, size, mark }, width) {
  const shifts = [[0, 0], [0, -1.5], [0, 1.5], [0.6, 0], [-0.6, 0], [-0.6, -1.5], [0.6, 1.5], [0.6, -1.5], [-0.6, 1.5],
    [0, -3], [0, 3]];
  return (mark ? [[0, 0]] : shifts).map(([right, down]) => ({ x: x + right * width, y: y + down * size, turn: 0 }));
}

function drawText(pen, { text, mark }, { x, y, turn }, ratio) {
  const [cos, sin] = [Math.cos(turn) * ratio, Math.sin(turn) * ratio];
  pen.setTransform(cos, sin, -sin, cos, x * ratio, y * ratio);
  pen.strokeText(text, 0, 0);
  pen.fillText(text, 0, 0);
  if (!mark) return;
  pen.beginPath();
  pen.moveTo(-5, -9);
  pen.lineTo(5, -9);
  pen.lineTo(0, -17);
  pen.closePath();
  pen.stroke();
  pen.fill();
}

/** What may be drawn, the most important first. */
function candidates(tiles, view) {
  const zoom = zoomOf(view);
  const found = [];
  for (const { z, x, y, tile, clip } of tiles) {
    const matrix = squareToScreen(view, x * 2 ** -z, y * 2 ** -z, 2 ** -z, SIDE);
    for (const one of tile?.labels ?? []) {
      if (!clip || isInside(one, clip)) add(one, matrix);
    }
  }
  return found.sort((one, other) => one.rank - other.rank);

  function add(one, matrix) {
    if (one.kind === 'place') {
      const [size, least] = PLACES[one.place];
      if (zoom >= least) addPoint(one, matrix, { text: one.name, rank: one.rank, size, weight: 600 });
    } else if (one.kind === 'peak') {
      const text = [one.name, one.height || ''].join(' ').trim();
      const rank = 40 - one.height / 1000;
      if (zoom >= PEAKS) addPoint(one, matrix, { text, rank, size: 12, weight: 400, mark: true });
    } else {
      const line = toPixels(one.line, matrix);
      if (one.ref) found.push({ text: one.ref, line, rank: 10, size: 12, weight: 600 });
      if (one.name && zoom >= ROAD_NAMES) found.push({ text: one.name, line, rank: 20, size: 12, weight: 400 });
    }
  }

  function addPoint(one, matrix, look) {
    const [x, y] = toPixels([one.x, one.y], matrix);
    if (x > 0 && y > 0 && x < view.width && y < view.height) found.push({ ...look, x, y });
  }
}

const isInside = ({ x, y }, [left, top, side]) => x >= left && x < left + side && y >= top && y < top + side;

function toPixels(points, [a, b, c, d, e, f]) {
  const pixels = new Array(points.length);
  for (let index = 0; index < points.length; index += 2) {
    const [x, y] = [points[index], points[index + 1]];
    pixels[index] = a * x + c * y + e;
    pixels[index + 1] = b * x + d * y + f;
  }
  return pixels;
}

/** The first straight and free stretch of a line for a text, from the middle on; undefined without one. */
function alongLine({ line }, width, isFree) {
  const lengths = [0];
  for (let index = 2; index < line.length; index += 2) {
    lengths.push(lengths.at(-1) + Math.hypot(line[index] - line[index - 2], line[index + 1] - line[index - 1]));
  }
  const spare = lengths.at(-1) - width;
  if (!(spare >= 0)) return undefined;
  const steps = Math.min(Math.ceil(spare / 30), 16);
  for (let step = 0; step <= steps; step += 1) {
    // 0, then one step to each side by turns.
    const shift = steps === 0 ? 0 : Math.ceil(step / 2) / steps * spare * (step % 2 === 0 ? 1 : -1);
    const spot = stretch(line, lengths, Math.min(Math.max(spare / 2 + shift, 0), spare), width);
    if (spot && isFree(spot)) return spot;
  }
  return undefined;
}

/** The middle and the upright turn of a stretch, if it is nearly straight. */
function stretch(line, lengths, from, width) {
  const first = at(line, lengths, from);
  const last = at(line, lengths, from + width);
  const [dx, dy] = [last[0] - first[0], last[1] - first[1]];
  const chord = Math.hypot(dx, dy);
  if (chord < 0.97 * width) return null;
  for (let index = 0; index < lengths.length; index += 1) {
    if (lengths[index] <= from || lengths[index] >= from + width) continue;
    const off = (line[2 * index] - first[0]) * dy - (line[2 * index + 1] - first[1]) * dx;
    if (Math.abs(off) > 4 * chord) return null;
  }
  const turn = Math.atan2(dy, dx);
  const upright = turn > Math.PI / 2 ? turn - Math.PI : turn <= -Math.PI / 2 ? turn + Math.PI : turn;
  return { x: (first[0] + last[0]) / 2, y: (first[1] + last[1]) / 2, turn: upright };
}

function at(line, lengths, length) {
  const next = Math.max(lengths.findIndex((one) => one >= length), 1);
  const part = (length - lengths[next - 1]) / (lengths[next] - lengths[next - 1] || 1);
  const between = (axis) => line[2 * next - 2 + axis] + part * (line[2 * next + axis] - line[2 * next - 2 + axis]);
  return [between(0), between(1)];
}

function widthOf(pen, text) {
  const key = pen.font + text;
  if (!widths.has(key)) {
    if (widths.size >= MOST_WIDTHS) widths.clear();
    widths.set(key, pen.measureText(text).width);
  }
  return widths.get(key);
}

const boxOf = (x, y, width, height, turn) => ({ x, y, turn, wide: width / 2 + GAP, high: height / 2 + GAP });

/** The cells that are taken. */
class Grid {
  constructor({ width, height }) {
    this.columns = Math.ceil(width / CELL);
    this.rows = Math.ceil(height / CELL);
    this.cells = new Uint8Array(this.columns * this.rows);
  }

  /** Free, and wholly inside. */
  isFree(box) {
    return this.every(box, (cell) => cell >= 0 && this.cells[cell] === 0);
  }

  take(box) {
    this.every(box, (cell) => {
      if (cell >= 0) this.cells[cell] = 1;
      return true;
    });
  }

  takeWay(way, view) {
    const matrix = squareToScreen(view, 0, 0, 1, 1);
    const points = toPixels(way, matrix);
    const [wide, high] = [this.columns * CELL, this.rows * CELL];
    for (let index = 2; index < points.length; index += 2) {
      const [x, y, nextX, nextY] = points.slice(index - 2, index + 2);
      const isOut = Math.max(x, nextX) < 0 || Math.min(x, nextX) > wide || Math.max(y, nextY) < 0
        || Math.min(y, nextY) > high;
      const steps = isOut ? 0 : Math.min(Math.ceil(Math.hypot(nextX - x, nextY - y) / CELL), 2000);
      for (let step = 0; step < steps; step += 1) {
        this.take(boxOf(x + (nextX - x) * step / steps, y + (nextY - y) * step / steps, 4, 4, 0));
      }
    }
  }

  /** Whether `test` holds for each cell of a turned box; -1 is outside. */
  every({ x, y, turn, wide, high }, test) {
    const [cos, sin] = [Math.cos(turn), Math.sin(turn)];
    const across = Math.abs(cos) * wide + Math.abs(sin) * high;
    const down = Math.abs(sin) * wide + Math.abs(cos) * high;
    for (let row = Math.floor((y - down) / CELL); row <= Math.floor((y + down) / CELL); row += 1) {
      for (let column = Math.floor((x - across) / CELL); column <= Math.floor((x + across) / CELL); column += 1) {
        const [dx, dy] = [(column + 0.5) * CELL - x, (row + 0.5) * CELL - y];
        // A cell counts if its middle is in the box, or not farther off than half a cell.
        const [along, beside] = [Math.abs(cos * dx + sin * dy), Math.abs(cos * dy - sin * dx)];
        if (along > wide + CELL / 2 || beside > high + CELL / 2) continue;
        const isInside = row >= 0 && column >= 0 && row < this.rows && column < this.columns;
        if (!test(isInside ? row * this.columns + column : -1)) return false;
      }
    }
    return true;
  }
}
