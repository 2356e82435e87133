// The drawing of a route without a map, as the path of a square: what it holds is no position.

const TOLERANCE = 0.4;
const MARGIN = 4;
/** A receiver that lies still draws no route. */
const LEAST_METRES = 30;
const METRES_PER_DEGREE = 111_195;

/** The path of a square with so many units a side; '' without a route. `rows`: [[latitude, longitude], …] or nulls. */
export function thumbnailPath(rows, side) {
  const first = rows.find(isKnown);
  if (!first) return '';
  const parts = inMetres(rows, first);
  const points = parts.flat();
  const [xs, ys] = [points.map(([x]) => x), points.map(([, y]) => y)];
  const [left, top] = [Math.min(...xs), Math.min(...ys)];
  const [width, height] = [Math.max(...xs) - left, Math.max(...ys) - top];
  if (Math.max(width, height) < LEAST_METRES) return '';
  const scale = (side - 2 * MARGIN) / Math.max(width, height);
  const place = ([x, y]) => [side / 2 + (x - left - width / 2) * scale, side / 2 + (y - top - height / 2) * scale];
  return parts.map((part) => pathOf(simplified(part.map(place), TOLERANCE))).join('');
}

const isKnown = ([latitude, longitude]) => latitude !== null && longitude !== null;

/** The parts between unknown positions, in metres east and south of the first one. */
function inMetres(rows, [latitude, longitude]) {
  const across = Math.cos(latitude * Math.PI / 180);
  const parts = [[]];
  for (const row of rows) {
    if (!isKnown(row)) parts.push([]);
    else {
      // The date line is crossed on the short way.
      const east = ((row[1] - longitude + 540) % 360) - 180;
      parts.at(-1).push([east * across * METRES_PER_DEGREE, (latitude - row[0]) * METRES_PER_DEGREE]);
    }
  }
  return parts.filter((part) => part.length > 0);
}

/** The points of a line that matter: the others are at most so far away from it (Douglas and Peucker). */
export function simplified(points, tolerance) {
  if (points.length < 3) return points;
  const [first, last] = [points[0], points.at(-1)];
  const away = points.map((point) => distanceTo(point, first, last));
  const farthest = away.indexOf(Math.max(...away));
  if (away[farthest] <= tolerance) return [first, last];
  return [...simplified(points.slice(0, farthest + 1), tolerance).slice(0, -1),
    ...simplified(points.slice(farthest), tolerance)];
}

function distanceTo([x, y], [x1, y1], [x2, y2]) {
  const [dx, dy] = [x2 - x1, y2 - y1];
  const length = dx * dx + dy * dy;
  const share = length === 0 ? 0 : Math.min(Math.max(((x - x1) * dx + (y - y1) * dy) / length, 0), 1);
  return Math.hypot(x - x1 - share * dx, y - y1 - share * dy);
}

const rounded = (value) => Math.round(value * 10) / 10;

const pathOf = (points) =>
  points.map(([x, y], index) => `${index === 0 ? 'M' : 'L'}${rounded(x)} ${rounded(y)}`).join('');
