// What of a map changes while its position moves, with elements and pens that only note, for test_map_motion.py: the
// directory of the page is the argument, the result is JSON.

const [web] = process.argv.slice(2);

/** An element of the page without a page. */
class Node {
  constructor(name) {
    Object.assign(this, { name, style: {}, dataset: {}, attributes: {}, children: [] });
  }

  setAttribute(name, value) { this.attributes[name] = String(value); }

  toggleAttribute(name, isSet) { this.attributes[name] = isSet; }

  append(...children) { this.children.push(...children); }

  getContext() { return pen; }
}

const quiet = new Proxy({}, { get: () => () => {}, set: () => true });
const pen = quiet;
globalThis.Path2D = class { constructor() { return quiet; } };
globalThis.document = { createElement: (name) => new Node(name), createElementNS: (space, name) => new Node(name),
  documentElement: { dataset: {} } };
const { Overlay } = await import(`${web}/map-overlay.js`);
const { CourseLine } = await import(`${web}/course-line.js`);
const { Motion, SpeedZoom } = await import(`${web}/map-motion.js`);

const VIEW = { x: 0.5, y: 0.5, size: 256 * 2 ** 17, turn: 0, width: 800, height: 480, ax: 400, ay: 240 };

/** The ends of the tail's parts, and whether lines that change in a way need a canvas drawn anew. */
function grown() {
  const overlay = new Overlay('');
  const course = [[0, -0.001], [0, 0.001]];
  const trail = Array.from({ length: 20 }, (none, index) => [0, index * 1e-5]);
  const lines = (changes = {}) => [{ points: course, width: 6 }, { points: trail, width: 4, ...changes }];
  const style = { getPropertyValue: () => '#123456' };
  const draw = () => overlay.draw({ view: VIEW, ratio: 1, style, lines: lines(), points: [], right: 800 });
  const seen = { unseen: overlay.grow(lines()) };
  draw();
  trail.push([0, 20e-5], [1e-4, 20e-5]);
  seen.longer = overlay.grow(lines());
  const parts = () => overlay.tail.children.map(({ attributes }) => attributes.d.match(/[ML][^ML]+/g) ?? []);
  [seen.under, seen.over] = parts();
  trail.push(null, [2e-4, 20e-5], [2e-4, 21e-5]);
  seen.broken = overlay.grow(lines()) && parts()[1].map((part) => part[0]).join('').replace(/ML*/, '');
  seen.coloured = overlay.grow(lines({ colour: '#000' }));
  seen.other = overlay.grow([lines()[0], { points: [...trail], width: 4 }]);
  seen.fewer = overlay.grow([lines()[1]]);
  trail.push(...trail.slice(0, 19));
  seen.much = overlay.grow(lines());
  draw();
  seen.after = parts();
  overlay.place({ ...VIEW, ax: 410, turn: Math.PI / 2 }, { latitude: 0, longitude: 0, heading: 90 });
  seen.mark = { ...overlay.mark.dataset, transform: overlay.mark.style.transform };
  return seen;
}

/** A course of 1 km to the north and 1 km to the east: what a map has of it. */
function course() {
  const degree = 1000 / 111_195;
  const feature = (type, coordinates, properties = {}) => ({ properties, geometry: { type, coordinates } });
  const line = new CourseLine({ features: [feature('LineString', [[0, 0, 900], [0, degree, 950], [degree, degree]]),
    feature('Point', [0, degree], { kind: 'right', name: 'Mill Lane' })] }, 2000);
  const on = (progress, beside = 5, status = 'on') =>
    line.bearing({ status, progress_m: progress, cross_track_m: beside });
  return { marks: line.marks, at: [0, 500, 1000, 2000, 2100].map((one) => line.at(one)), part: line.part(900, 1100),
    bearings: [on(100), on(985), on(1500), on(2000), on(1500, -31), on(1500, 5, 'wrong-way'), line.bearing(),
      new CourseLine({}, 0).bearing({ status: 'on', progress_m: 0, cross_track_m: 0 })] };
}

/** The direction that is up, in degrees, after positions one second apart. */
function up(...positions) {
  const motion = new Motion();
  positions.forEach((position, second) => motion.take(position, second * 1000));
  return motion.bearing === null ? null : Math.round(motion.bearing * 180 / Math.PI);
}

const directions = [up({ heading: 90, along: 80, speed: 5 }), up({ heading: 90, along: null, speed: 5 }),
  up({ heading: 90, speed: 5 }, { heading: 180, along: 180, speed: 0.5 }), up({ heading: 90, along: 80, speed: 0.5 })];

/** The metres of a pixel in each second of parts [seconds, { speed, turn }], with 336 pixels ahead. */
function zoomed(scale, ...parts) {
  const zoom = new SpeedZoom();
  const scales = [];
  for (const [seconds, values] of parts) {
    for (let second = 0; second < seconds; second += 1) {
      scales.push(zoom.next(scales.at(-1) ?? scale, { ahead: 336, ...values }, scales.length * 1000));
    }
  }
  return scales;
}

const [slow, fast] = [{ speed: 10 / 3.6 }, { speed: 60 / 3.6 }];
const zooms = {
  slower: zoomed(4, [60, slow]), faster: zoomed(0.75, [90, fast]),
  wavering: zoomed(2, [40, { speed: 11 }], [40, { speed: 11.5 }], [40, { speed: 10.6 }]),
  changed: zoomed(2, [40, { speed: 8.9 }], [40, { speed: 11.5 }]),
  turn: zoomed(4, [30, { ...fast, turn: 500 }], [40, { ...fast, turn: 200 }], [40, fast]),
  standing: zoomed(4, [30, { speed: 0.5 }]), unknown: zoomed(4, [30, {}]),
  closest: zoomed(0.5, [30, { speed: 1.1 }]), farthest: zoomed(32, [30, { speed: 300 }]),
};
console.log(JSON.stringify({ grown: grown(), course: course(), directions, zooms }));
