// Decodes tiles with the modules of the page, for test_map_tiles.py: the directory of the page and a number of
// mutations are the arguments, the result is JSON.

import { readFileSync } from 'node:fs';

const [web, cases] = process.argv.slice(2);
const { decode } = await import(`${web}/mvt.js`);
const { CLASSES, schemas } = await import(`${web}/map-schemas.js`);
const { Scene } = await import(`${web}/map-scene.js`);

const vectors = JSON.parse(readFileSync(0, 'utf8'));
const bytesOf = (hex) => Uint8Array.from(Buffer.from(hex, 'hex'));

function plain(tile) {
  if (!tile) return null;
  const buckets = Object.fromEntries([...tile.buckets].map(([number, parts]) =>
    [`${CLASSES[Math.floor(number / 3)]} ${number % 3}`, [...parts]]));
  const labels = tile.labels.map((label) => ({ ...label, line: label.line ? [...label.line] : undefined }));
  return { buckets, labels, vertices: tile.vertices, dropped: tile.dropped };
}

/** Numbers from 0 to below 2^32, the same in each run. */
function* randoms(seed) {
  for (let state = seed; ;) {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    yield (mixed ^ (mixed >>> 14)) >>> 0;
  }
}

const random = randoms(42);
const below = (limit) => random.next().value % limit;
const SPECIAL = [0x00, 0x7f, 0x80, 0xff, 0x1a, 0x22];

function mutated(bytes) {
  const changed = [...bytes];
  for (let count = 1 + below(4); count > 0; count -= 1) {
    const at = below(changed.length);
    const kind = below(5);
    if (kind === 0) changed[at] = below(256);
    else if (kind === 1) changed[at] = SPECIAL[below(SPECIAL.length)];
    else if (kind === 2) changed.splice(at, 1 + below(8));
    else if (kind === 3) changed.splice(at, 0, ...Array.from({ length: 1 + below(10) }, () => 0xff));
    else changed.splice(at, 0, ...changed.slice(below(changed.length)).slice(0, 40));
    if (changed.length === 0) changed.push(0);
  }
  return Uint8Array.from(changed);
}

const shortbread = schemas.get('shortbread');
const seen = { read: 0, damaged: 0, slow: 0, wrong: 0 };

function attempt(bytes) {
  const began = performance.now();
  const tile = decode(bytes, shortbread);
  // The collector and other processes take their time too, so the second attempt counts.
  if (performance.now() - began > 50) {
    const again = performance.now();
    decode(bytes, shortbread);
    if (performance.now() - again > 50) seen.slow += 1;
  }
  seen[tile ? 'read' : 'damaged'] += 1;
  for (const parts of tile?.buckets.values() ?? []) {
    let at = 0;
    while (at < parts.length) at += 1 + 2 * Math.abs(parts[at]);
    if (at !== parts.length) seen.wrong += 1;
  }
}

const whole = bytesOf(vectors.V1);
for (let length = 0; length <= whole.length; length += 1) attempt(whole.slice(0, length));
for (let number = 0; number < Number(cases); number += 1) attempt(mutated(whole));

const decoded = Object.fromEntries(Object.entries(vectors).map(([name, hex]) =>
  [name, plain(decode(bytesOf(hex), shortbread))]));

/** How many tiles a scene has left out: one that is cut, which comes twice, beside a whole, an empty and a missing one. */
function damaged() {
  const scene = new Scene({ schema: 'shortbread', min_zoom: 0, max_zoom: 14 });
  const cut = () => whole.slice(0, 200).buffer;
  const tiles = [['1/0/0', whole.slice().buffer], ['1/0/1', cut()], ['1/0/1', cut()], ['1/1/0', new ArrayBuffer()],
    ['1/1/1', null]];
  for (const [name, bytes] of tiles) scene.add(name, bytes);
  return [...scene.damaged];
}

console.log(JSON.stringify({ decoded, seen, damaged: damaged() }));
