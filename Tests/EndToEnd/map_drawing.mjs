// Contrasts of the map's styles, and boxes of its labels in a canvas that only notes them, for test_map_drawing.py.

const [web] = process.argv.slice(2);
const { styles } = await import(`${web}/map-style.js`);
const { label } = await import(`${web}/map-labels.js`);
const { project, unproject, squareToScreen, toScreen, toWorld, viewToView } = await import(`${web}/mercator.js`);

const HEIGHT = 12;
const view = { x: 0.5, y: 0.4, size: 256 * 2 ** 15.5, turn: 0, width: 800, height: 600, ax: 400, ay: 300 };

/** Roads in all directions, and places on them: more than the map has room for. */
function crowdedTile() {
  const labels = [];
  for (let number = 0; number < 200; number += 1) {
    const [x, y] = [(number * 811) % 4096, (number * 1777) % 4096];
    const angle = number * 0.7;
    const line = Int16Array.of(x, y, x + 900 * Math.cos(angle), y + 900 * Math.sin(angle));
    labels.push({ kind: 'road', name: `Road ${number}`, ref: number % 3 === 0 ? `R ${number}` : '', line });
    if (number % 4 === 0) labels.push({ kind: 'place', place: 'village', rank: 2, name: `Village ${number}`, x, y });
  }
  return { buckets: new Map(), labels };
}

function boxesOf(turn) {
  const boxes = [];
  let transform = null;
  const pen = {
    setTransform: (...matrix) => { transform = matrix; },
    fillText: (text) => boxes.push({ text, x: transform[4], y: transform[5],
      turn: Math.atan2(transform[1], transform[0]), width: text.length * 7, height: HEIGHT }),
    measureText: (text) => ({ width: text.length * 7 }),
  };
  for (const name of ['setLineDash', 'strokeText', 'beginPath', 'moveTo', 'lineTo', 'closePath', 'stroke', 'fill']) {
    pen[name] = () => {};
  }
  const tile = { z: 14, x: 2 ** 13, y: Math.floor(0.4 * 2 ** 14), tile: crowdedTile() };
  label(pen, [tile], { ...view, turn }, styles.sunlight, 1, { covered: [[700, 0, 800, 200]] });
  return boxes;
}

const turns = Array.from({ length: 36 }, (none, index) => boxesOf(index * Math.PI / 18));
const other = { ...view, x: 0.50001, y: 0.40002, turn: 0.4, size: view.size * 1.3, ax: 410, ay: 390 };
const [a, b, c, d, e, f] = viewToView(view, other);
const [x, y] = toWorld(view, 123, 456);
const [right, down] = toScreen(other, x, y);
const corner = squareToScreen(other, x, y, 2 ** -14, 4096);
console.log(JSON.stringify({ styles, turns, places: {
  same: [[a * 123 + c * 456 + e, b * 123 + d * 456 + f], [right, down], corner.slice(4)],
  there: unproject(project(42.5, 1.5)), across: unproject([1.25, 0.5]) } }));
