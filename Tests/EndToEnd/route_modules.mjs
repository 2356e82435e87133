// What the modules of the page of routes decide, for test_route_modules.py: the directory of the page is the argument, the
// result is JSON.

const [web] = process.argv.slice(2);
const svgNode = () => ({ attributes: {}, children: [],
  setAttribute(name, value) { this.attributes[name] = value; }, append(...nodes) { this.children.push(...nodes); } });
globalThis.document = { createElementNS: svgNode };
const { RouteFollower } = await import(`${web}/route-follower.js`);
const { RouteProgress } = await import(`${web}/route-progress.js`);
const { distanceAlong, placeAlong, placeAmong, pointsAhead, pointsOfLoop } = await import(`${web}/via-points.js`);
const { signOf, turnIcon } = await import(`${web}/turn-icons.js`);
const { isTurn } = await import(`${web}/course.js`);
const { useSettings } = await import(`${web}/i18n.js`);
const { way } = await import(`${web}/format.js`);
const { default: texts } = await import(`${web}/texts/en.js`);

/** What a follower of course 7 says each second, as [second, answer] without the waiting; `follow`: at an answer. */
function answers(seconds, stateAt, { isPlaced = () => true, follow } = {}) {
  const follower = new RouteFollower(7);
  const said = [];
  for (let second = 0; second <= seconds; second += 1) {
    const answer = follower.receive(stateAt(second), isPlaced(second), second * 1000);
    if (answer !== 'wait') said.push([second, answer]);
    if (answer === 'ask' && follow) follower.follow(follow);
  }
  return said;
}

const beside = (metres, status = 'off', id = 7) => ({ id, status, cross_track_m: metres });
const follower = {
  off: answers(60, () => beside(-51)),
  near: answers(60, () => beside(50)),
  back: answers(60, (second) => beside(second === 15 ? 10 : 60)),
  lost: answers(60, () => beside(60), { isPlaced: (second) => second !== 15 }),
  unknown: answers(60, () => beside(undefined)),
  followed: answers(100, (second) => beside(60, 'off', second < 25 ? 7 : 8), { follow: 8 }),
  arrived: answers(12, (second) => beside(0, second === 12 ? 'done' : 'on')),
  replaced: answers(30, () => beside(0, 'on', 9)),
  none: answers(30, () => undefined),
  restarted: answers(60, (second) => (second % 30 === 29 ? beside(0, 'on') : undefined)),
};

// 1 km to the north, and back on the same way.
const degree = 1000 / 111_195;
const north = (metres, east = 0, altitude = undefined) =>
  ({ latitude: metres / 1000 * degree, longitude: east / 1000 * degree, altitude_m: altitude });
const route = { vertices: [north(0, 0, 100), north(1000, 0, 150), north(0, 0, 100)], distances: [0, 1000, 2000] };
const points = [north(500, 5), north(400, -5)];
const metres = ({ latitude, longitude }) => [latitude, longitude].map((one) => Math.round(one / degree * 1000));
const via = {
  along: [distanceAlong(route, north(300, 20)), distanceAlong(route, north(300, 20), 1000),
    distanceAlong(route, north(300, 20), 1800), distanceAlong(route, north(-50))].map(Math.round),
  at: [0, 250, 1000, 1600, 2000].map((one) => metres(placeAlong(route, one))),
  among: [100, 700, 1900].map((one) => placeAmong(points, route, one)),
  ahead: [100, 700, 1900].map((one) => pointsAhead(points, route, one).length),
  loop: pointsOfLoop(route).map(metres),
};

/** What is said of a walk there and back with a turn at 500 m, and one at its northern end. */
function walk(...places) {
  const turns = [{ type: 'left', name: 'A', distance: 500 }, { type: 'u-turn', distance: 1000 }];
  const progress = new RouteProgress({ ...route, points: turns });
  const round = (value) => (typeof value === 'number' ? Math.round(value) : value);
  return places.map((place) => Object.fromEntries(Object.entries(progress.take(place, 40)).map(([name, value]) =>
    [name, name.endsWith('cue') ? value && [value.type, round(value.distance_m)] : round(value)])));
}

const progress = {
  there: walk(north(0), north(300, 8), north(850, 3)),
  back: walk(north(800), north(1000), north(900), north(700)),
  beside: walk(north(400), north(400, 200), north(600, 30)),
  ahead: walk(north(0), north(900)),
  end: walk(...[200, 500, 800, 1000, 800, 500, 200, 14, 40].map((one) => north(one))),
};

const kinds = Object.keys(texts).filter((key) => key.startsWith('cue.')).map((key) => key.slice(4));
const signs = Object.fromEntries(kinds.map((type) => [type, signOf({ type })]).filter(([, sign]) => sign !== 'dot'));
signs.exit = signOf({ type: 'generic', name: 'Roundabout, exit 2' });
signs.unknown = signOf({ type: 'later', name: 'Roundabout' });
const drawn = Object.values(signs).map((sign) => turnIcon(sign).children[0].attributes);

const ways = [[true, [4, 999.4, 999.6, 1250]], [false, [1, 27, 304, 306, 1609.344]]].map(([metric, distances]) => {
  useSettings({ metric });
  return distances.map(way);
});
console.log(JSON.stringify({ follower, via, progress, signs, drawn, ways,
  turns: kinds.filter(isTurn) }));
