// The route of an activity coloured by speed or by another value. Scale and colours are those of `pacectl report`,
// Sources/Report/RouteMap.swift.

/** The number of the fastest colour; 0 is the slowest. */
export const FASTEST = 16;
const ANCHORS = [[255, 20, 44], [255, 215, 0], [0, 146, 78]];
/** Points before and after a line that its speed is taken over. */
const SMOOTHING = 6;
/** The drawing has so many parts across, and two points of a line are so many apart. */
const WIDTH = 10_000;
const TOLERANCE = 12;
/** Metres that the smallest drawing is wide. */
const SMALLEST = 60;
const METRES_PER_DEGREE = 111_195;

/** The place of a row in a drawing of all: whole parts of its width, as the report rounds. */
function placer({ latitude, longitude }, rows) {
  const origin = longitude[rows[0]];
  const east = (row) => (longitude[row] - origin + 540) % 360 - 180;
  const ends = (valueOf) => rows.reduce(([low, high], row) =>
    [Math.min(low, valueOf(row)), Math.max(high, valueOf(row))], [Infinity, -Infinity]);
  const [south, north] = ends((row) => latitude[row]);
  const [west, farEast] = ends(east);
  const across = METRES_PER_DEGREE * Math.max(Math.cos((south + north) / 2 * Math.PI / 180), 1e-6);
  const sides = [(farEast - west) * across, (north - south) * METRES_PER_DEGREE];
  const [wide, high] = sides.map((side) => Math.max(side * 1.1, SMALLEST));
  const width = Math.max(wide, high);
  const part = (metres, room) => Math.round((metres + room) * WIDTH / width);
  return (row) => [part((east(row) - west) * across, (width - sides[0]) / 2),
    part((north - latitude[row]) * METRES_PER_DEGREE, (Math.max(wide * 0.45, high) - sides[1]) / 2)];
}

/** The rows of the lines that are drawn: [{ row, isFirst }]. */
function thinned(track, lines) {
  const place = placer(track, lines.flat());
  return lines.flatMap((line) => {
    const kept = [{ row: line[0], isFirst: true }];
    let [x, y] = place(line[0]);
    for (const row of line) {
      const [east, south] = place(row);
      if (Math.max(Math.abs(east - x), Math.abs(south - y)) < TOLERANCE) continue;
      kept.push({ row, isFirst: false });
      [x, y] = [east, south];
    }
    const [east, south] = place(line.at(-1));
    if (east !== x || south !== y) kept.push({ row: line.at(-1), isFirst: false });
    return kept;
  });
}

/** Metres a second between two rows; null if unknown. */
function speedOf({ elapsed, metres }, from, to) {
  const time = elapsed[to] - elapsed[from];
  return time > 0 ? (metres[to] - metres[from]) / time : null;
}

/** The mean of a column between two rows; null if unknown. */
function meanOf(values, from, to) {
  let [sum, known] = [0, 0];
  for (let row = from; row <= to; row += 1) {
    if (Number.isNaN(values[row])) continue;
    sum += values[row];
    known += 1;
  }
  return known > 0 ? sum / known : null;
}

/** The value on the way to each point; null for the first one of a line. */
function valuesOf(track, column, points) {
  return points.map(({ isFirst }, index) => {
    if (isFirst) return null;
    let [from, to] = [index - 1, index];
    for (let step = 0; step < SMOOTHING; step += 1) {
      if (!points[from].isFirst) from -= 1;
      if (points[to + 1] && !points[to + 1].isFirst) to += 1;
    }
    const rows = [points[from].row, points[to].row];
    return column === 'speed' ? speedOf(track, ...rows) : meanOf(track[column], ...rows);
  });
}

/** The number of a speed's colour, 0 to FASTEST; equal speeds are yellow. */
export function colourNumber(speed, { slow, median, fast }) {
  const [below, above] = [median - slow, fast - median];
  const ratio = speed < median ? (below > 0 ? Math.max((speed - slow) / below, 0) - 1 : 0)
    : (above > 0 ? Math.min((speed - median) / above, 1) : 0);
  return Math.round((ratio + 1) / 2 * FASTEST);
}

/** A colour of CSS: red is slow, yellow the median, green fast. */
export function speedColour(number) {
  const ratio = number / FASTEST * 2 - 1;
  const end = ANCHORS[ratio < 0 ? 0 : 2];
  const parts = ANCHORS[1].map((middle, part) => Math.round(middle + (end[part] - middle) * Math.abs(ratio)));
  return `rgb(${parts.join()})`;
}

/**
 * The stretches of each colour: { scale: { slow, median, fast } in the unit of the column, stretches }.
 * `stretches[number]` are the points of one colour, [latitude, longitude], with null between stretches. What is unknown
 * has the colour of the median. The scale is null without a value; slow and fast are the 5th and the 95th percentile.
 */
export function colouredStretches(track, lines, column = 'speed') {
  const points = thinned(track, lines);
  const values = valuesOf(track, column, points);
  const sorted = values.filter((value) => value !== null).sort((one, other) => one - other);
  const stretches = Array.from({ length: FASTEST + 1 }, () => []);
  if (sorted.length === 0) return { scale: null, stretches };
  const part = (share) => sorted[sorted.length < 3 ? 0 : Math.floor(share * (sorted.length - 1))];
  const scale = { slow: part(0.05), median: part(0.5), fast: part(0.95) };
  const place = (row) => [track.latitude[row], track.longitude[row]];
  let last = null;
  points.forEach(({ row, isFirst }, index) => {
    if (isFirst) {
      last = null;
      return;
    }
    const number = values[index] === null ? FASTEST / 2 : colourNumber(values[index], scale);
    const stretch = stretches[number];
    if (number !== last) {
      if (stretch.length > 0) stretch.push(null);
      stretch.push(place(points[index - 1].row));
    }
    stretch.push(place(row));
    last = number;
  });
  return { scale, stretches };
}
