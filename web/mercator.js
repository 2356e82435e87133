// Web Mercator: the world is a square from 0 to 1. A view is { x, y, size, turn, width, height, ax, ay }: the place
// x, y is at the pixel ax, ay, `size` are the pixels of the world, `turn` the bearing that is up, in radians.

/** Metres around the equator. */
export const EARTH = 40_075_016.686;
const MOST_LATITUDE = 85.05;

export function project(latitude, longitude) {
  const angle = Math.min(Math.max(latitude, -MOST_LATITUDE), MOST_LATITUDE) * Math.PI / 180;
  return [longitude / 360 + 0.5, 0.5 - Math.asinh(Math.tan(angle)) / (2 * Math.PI)];
}

export function unproject([x, y]) {
  const latitude = Math.atan(Math.sinh(Math.PI * (1 - 2 * y))) * 180 / Math.PI;
  return { latitude, longitude: ((x % 1 + 1) % 1) * 360 - 180 };
}

/** Metres of the world's side at a place; divided by the size of a view, metres of a pixel. */
export const metresAcross = (y) => EARTH / Math.cosh(Math.PI * (1 - 2 * y));

/** The zoom of tiles of 256 pixels. */
export const zoomOf = ({ size }) => Math.log2(size / 256);

/** An angle as that from -π to π. */
export const nearest = (angle) => Math.atan2(Math.sin(angle), Math.cos(angle));

function turned(turn, x, y) {
  const [cos, sin] = [Math.cos(turn), Math.sin(turn)];
  return [cos * x + sin * y, cos * y - sin * x];
}

export function toScreen(view, x, y) {
  const [right, down] = turned(view.turn, (x - view.x) * view.size, (y - view.y) * view.size);
  return [right + view.ax, down + view.ay];
}

export function toWorld(view, right, down) {
  const [x, y] = turned(-view.turn, (right - view.ax) / view.size, (down - view.ay) / view.size);
  return [view.x + x, view.y + y];
}

/** The transform [a, b, c, d, e, f] of a square of the world, whose sides have so many units, to the screen. */
export function squareToScreen(view, x, y, side, units) {
  const scale = view.size * side / units;
  const [cos, sin] = [Math.cos(view.turn) * scale, Math.sin(view.turn) * scale];
  return [cos, -sin, sin, cos, ...toScreen(view, x, y)];
}

/** The transform of what was drawn in one view to another view. */
export function viewToView(drawn, view) {
  const scale = view.size / drawn.size;
  const [cos, sin] = turned(view.turn - drawn.turn, scale, 0);
  const [e, f] = toScreen(view, drawn.x, drawn.y);
  return [cos, sin, -sin, cos, e - cos * drawn.ax + sin * drawn.ay, f - sin * drawn.ax - cos * drawn.ay];
}

/** The box [left, top, right, bottom] of the world that a view shows. */
export function boxOf(view) {
  const corners = [[0, 0], [view.width, 0], [0, view.height], [view.width, view.height]].map((corner) =>
    toWorld(view, ...corner));
  const [xs, ys] = [corners.map(([x]) => x), corners.map(([, y]) => y)];
  return [Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys)];
}

/**
 * The tiles [{ z, x, y, name }] of a view at a zoom of the map, or at a lower one if that are at most so many. x may be
 * beyond the date line.
 */
export function cover(view, zoom, { least, most }, limit) {
  const z = Math.min(Math.max(Math.round(zoom), least), most);
  const count = 2 ** z;
  const [left, top, right, bottom] = boxOf(view).map((one) => Math.floor(one * count));
  const [first, last] = [Math.max(top, 0), Math.min(bottom, count - 1)];
  if ((right - left + 1) * (last - first + 1) > limit) {
    return z > least ? cover(view, z - 1, { least, most }, limit) : [];
  }
  const tiles = [];
  for (let y = first; y <= last; y += 1) {
    for (let x = left; x <= right; x += 1) tiles.push({ z, x, y, name: `${z}/${(x % count + count) % count}/${y}` });
  }
  return tiles;
}
