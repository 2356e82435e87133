// Places along a route of course-file.js, and the order of the points that it goes through.

/** As many as route.find takes. */
export const MOST_POINTS = 8;
const METRES_PER_DEGREE = 111_195;

/** The metres of a position from another one, to the east and to the north. */
function offset(from, to) {
  const east = ((to.longitude - from.longitude + 540) % 360 - 180) * Math.cos(from.latitude * Math.PI / 180);
  return [east * METRES_PER_DEGREE, (to.latitude - from.latitude) * METRES_PER_DEGREE];
}

/**
 * The place of a route that is nearest to a position, of those between two distances from the start: { metres, away },
 * how far along the route, and from the position. Another `costOf` such a place than `away` makes another one the best.
 */
export function nearestAlong({ vertices, distances }, position, [least, most] = [0, Infinity],
  costOf = ({ away }) => away) {
  let [best, found] = [Infinity, { metres: distances.at(-1), away: Infinity }];
  for (let index = 1; index < vertices.length; index += 1) {
    const [from, length] = [distances[index - 1], distances[index] - distances[index - 1]];
    if (from + length < least || from > most) continue;
    const [x, y] = offset(position, vertices[index - 1]);
    const [dx, dy] = offset(vertices[index - 1], vertices[index]);
    const [first, last] = [least, most].map((metres) => (metres - from) / (length || 1));
    const nearest = -(x * dx + y * dy) / (dx * dx + dy * dy || 1);
    const part = Math.min(Math.max(nearest, first, 0), last, 1);
    const place = { metres: from + part * length, away: Math.hypot(x + part * dx, y + part * dy) };
    if (costOf(place) >= best) continue;
    [best, found] = [costOf(place), place];
  }
  return found;
}

/** Metres along a route to its place that is nearest to a position, of those from `least` on. */
export const distanceAlong = (route, position, least = 0) => nearestAlong(route, position, [least, Infinity]).metres;

/** The place so many metres from the start. */
export function placeAlong({ vertices, distances }, metres) {
  const index = Math.max(distances.findIndex((one) => one >= metres), 1);
  const [from, to] = [vertices[index - 1], vertices[index]];
  const part = (metres - distances[index - 1]) / (distances[index] - distances[index - 1] || 1);
  const between = (name) => from[name] + part * (to[name] - from[name]);
  return { latitude: between('latitude'), longitude: between('longitude') };
}

/** The metres along a route of points that it goes through in this order. */
function distancesOf(points, route) {
  let last = 0;
  return points.map((point) => {
    last = distanceAlong(route, point, last);
    return last;
  });
}

/** Where among the points a new one belongs that begins so many metres along the route. */
export const placeAmong = (points, route, metres) =>
  distancesOf(points, route).filter((one) => one <= metres).length;

/** The points that are ahead of a place so many metres along the route. */
export function pointsAhead(points, route, metres) {
  const distances = distancesOf(points, route);
  return points.filter((point, index) => distances[index] > metres);
}

/** Points that a round trip goes through, so that a new route back to its end is not the shortest one. */
export const pointsOfLoop = (route) => [0.25, 0.5, 0.75].map((part) =>
  placeAlong(route, part * route.distances.at(-1)));
