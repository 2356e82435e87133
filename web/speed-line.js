// The route of an activity coloured by speed, and the places of its badges. Scale and colours are those of
// `pacectl report`, Sources/Report/RouteMap.swift.

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

/**
 * The seconds of a CSV file of pacectl: [{ since, elapsed, metres, latitude, longitude, altitude }], times in seconds.
 * What is not known is NaN, but the distance is the last one that is known, and never falls.
 */
export function secondsOf(csv) {
  const [head, ...lines] = csv.trimEnd().split(/\r?\n/);
  const names = head.split(',');
  const [since, elapsed, metres, latitude, longitude, altitude] = ['since_start_s', 'elapsed_s', 'distance_m',
    'latitude_deg', 'longitude_deg', 'altitude_m'].map((name) => names.indexOf(name));
  let way = 0;
  return lines.map((line) => {
    const cells = line.split(',');
    const number = (index) => (cells[index] ? Number(cells[index]) : NaN);
    way = Math.max(way, number(metres) || 0);
    return { since: number(since), elapsed: number(elapsed), metres: way, latitude: number(latitude),
      longitude: number(longitude), altitude: number(altitude) };
  });
}

/** The seconds with a position as lines without pauses and gaps, as the report has them. */
export function linesOfSeconds(seconds) {
  const active = seconds.length > 0 ? seconds.at(-1).elapsed : 0;
  const longest = Math.max(30, 10 * active / Math.max(seconds.length, 1));
  const lines = [];
  let last = null;
  for (const second of seconds) {
    const wait = last ? second.since - last.since : Infinity;
    const isBroken = wait > longest || wait - (second.elapsed - last.elapsed) >= 1;
    if (isBroken) lines.push([]);
    if (Number.isFinite(second.latitude) && Number.isFinite(second.longitude)) lines.at(-1).push(second);
    last = second;
  }
  return lines.filter((line) => line.length > 0);
}

/** The place of a second in a drawing of all: whole parts of its width, as the report rounds. */
function placer(points) {
  const [origin] = points;
  const east = ({ longitude }) => (longitude - origin.longitude + 540) % 360 - 180;
  const ends = (values) => values.reduce(([low, high], value) => [Math.min(low, value), Math.max(high, value)],
    [Infinity, -Infinity]);
  const [south, north] = ends(points.map(({ latitude }) => latitude));
  const [west, farEast] = ends(points.map(east));
  const across = METRES_PER_DEGREE * Math.max(Math.cos((south + north) / 2 * Math.PI / 180), 1e-6);
  const sides = [(farEast - west) * across, (north - south) * METRES_PER_DEGREE];
  const [wide, high] = sides.map((side) => Math.max(side * 1.1, SMALLEST));
  const width = Math.max(wide, high);
  const part = (metres, room) => Math.round((metres + room) * WIDTH / width);
  return (point) => [part((east(point) - west) * across, (width - sides[0]) / 2),
    part((north - point.latitude) * METRES_PER_DEGREE, (Math.max(wide * 0.45, high) - sides[1]) / 2)];
}

/** The points of the lines that are drawn: [{ point, isFirst }]. */
function thinned(lines) {
  const place = placer(lines.flat());
  return lines.flatMap((line) => {
    const kept = [{ point: line[0], isFirst: true }];
    let [x, y] = place(line[0]);
    for (const point of line) {
      const [east, south] = place(point);
      if (Math.max(Math.abs(east - x), Math.abs(south - y)) < TOLERANCE) continue;
      kept.push({ point, isFirst: false });
      [x, y] = [east, south];
    }
    const [east, south] = place(line.at(-1));
    if (east !== x || south !== y) kept.push({ point: line.at(-1), isFirst: false });
    return kept;
  });
}

/** Metres a second on the way to each point; null for the first one of a line. */
function speedsOf(points) {
  return points.map(({ isFirst }, index) => {
    if (isFirst) return null;
    let [from, to] = [index - 1, index];
    for (let step = 0; step < SMOOTHING; step += 1) {
      if (!points[from].isFirst) from -= 1;
      if (points[to + 1] && !points[to + 1].isFirst) to += 1;
    }
    const time = points[to].point.elapsed - points[from].point.elapsed;
    const way = points[to].point.metres - points[from].point.metres;
    return time > 0 ? way / time : null;
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
 * The stretches of each colour: { scale: { slow, median, fast } in metres a second, stretches }. `stretches[number]`
 * are the points of one colour, [latitude, longitude], with null between stretches. The scale is null without a speed;
 * slow and fast are the 5th and the 95th percentile.
 */
export function speedStretches(lines) {
  const points = thinned(lines);
  const speeds = speedsOf(points);
  const sorted = speeds.filter((speed) => speed !== null).sort((one, other) => one - other);
  const stretches = Array.from({ length: FASTEST + 1 }, () => []);
  if (sorted.length === 0) return { scale: null, stretches };
  const part = (share) => sorted[sorted.length < 3 ? 0 : Math.floor(share * (sorted.length - 1))];
  const scale = { slow: part(0.05), median: part(0.5), fast: part(0.95) };
  let last = null;
  points.forEach(({ point, isFirst }, index) => {
    if (isFirst) {
      last = null;
      return;
    }
    const number = speeds[index] === null ? FASTEST / 2 : colourNumber(speeds[index], scale);
    const stretch = stretches[number];
    if (number !== last) {
      const before = points[index - 1].point;
      if (stretch.length > 0) stretch.push(null);
      stretch.push([before.latitude, before.longitude]);
    }
    stretch.push([point.latitude, point.longitude]);
    last = number;
  });
  return { scale, stretches };
}

/** Where badges were earned: the first second whose distance exceeds theirs, if it has a position. */
export function badgePlaces(badges, seconds) {
  return badges.filter((badge) => badge.distance_m > 0).flatMap((badge) => {
    const second = seconds.find(({ metres }) => metres > badge.distance_m);
    return second && Number.isFinite(second.latitude) ? [{ ...badge, second }] : [];
  });
}
