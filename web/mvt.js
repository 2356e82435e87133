// Decodes a Mapbox Vector Tile (2.1) into what is drawn. The bytes may be of anybody: whatever is in them, the work is
// bounded by their number, and a tile that cannot be read is null, a hole in the map.

import { CLASSES, TUNNEL } from './map-schemas.js';

/** The side of a tile; other extents are scaled to it. */
export const SIDE = 4096;
export const MOST_BYTES = 4 << 20;
const MOST_VERTICES = 200_000;
const MOST_LAYERS = 64;
const MOST_VALUES = 65_536;
const MOST_FEATURES = 65_536;
const MOST_LABELS = 2000;
/** A line goes on so far beyond the edge, so that the next tile's part joins. */
const BEYOND = 64;
/** Dashes that were drawn by two tiles would have two phases, so these lines end at the edge. */
const DASHED = new Set(['boundary', 'ferry', 'path', 'track'].map((name) => CLASSES.indexOf(name)));
const DASHED_BEYOND = 4;
/** Areas far outside are drawn as if they ended here. */
const FARTHEST = 16_384;
const LONGEST_PART = 32_767;

/**
 * { buckets, labels, dropped } of a tile, or null. `schema`: a map of layers of map-schemas.js.
 *
 * buckets: by 3 × class + level an Int16Array of parts: a number n of points and x, y of each; n is negative for
 * rings, and a hole follows its outer ring. labels: what the schema says, with x and y, or `line`: [x, y, …].
 */
export function decode(bytes, schema) {
  if (bytes.length > MOST_BYTES) return null;
  try {
    return new TileReader(bytes, schema).read();
  } catch {
    return null;
  }
}

/** Fields of a message of Protocol Buffers between two offsets. */
class Fields {
  constructor(bytes, from, to) {
    Object.assign(this, { bytes, at: from, to, number: 0, wire: 0 });
  }

  /** Goes to the next field; false at the end. */
  next() {
    if (this.at >= this.to) return false;
    const key = this.varint();
    this.number = Math.floor(key / 8);
    this.wire = key % 8;
    return true;
  }

  varint() {
    let value = 0;
    for (let factor = 1; ; factor *= 128) {
      const byte = this.byte();
      value += (byte & 127) * factor;
      if (byte < 128) return value;
      if (factor > 2 ** 62) throw new RangeError('a number is too long');
    }
  }

  byte() {
    if (this.at >= this.to) throw new RangeError('the tile ends early');
    const byte = this.bytes[this.at];
    this.at += 1;
    return byte;
  }

  /** The message or text of this field. */
  part() {
    if (this.wire !== 2) throw new RangeError('a field has another type');
    const length = this.varint();
    const from = this.at;
    this.move(length);
    return new Fields(this.bytes, from, this.at);
  }

  skip() {
    if (this.wire === 0) this.varint();
    else if (this.wire === 1) this.move(8);
    else if (this.wire === 2) this.move(this.varint());
    else if (this.wire === 5) this.move(4);
    else throw new RangeError('an unknown type of field');
  }

  move(length) {
    if (length > this.to - this.at) throw new RangeError('the tile ends early');
    this.at += length;
  }

  view(length) {
    const from = this.at;
    this.move(length);
    return new DataView(this.bytes.buffer, this.bytes.byteOffset + from, length);
  }
}

class TileReader {
  constructor(bytes, schema) {
    Object.assign(this, { bytes, schema, parts: new Map(), labels: [], vertices: 0, features: 0,
      dropped: 0 });
    this.text = new TextDecoder();
  }

  read() {
    const tile = new Fields(this.bytes, 0, this.bytes.length);
    let layers = 0;
    while (tile.next()) {
      if (tile.number !== 3) tile.skip();
      else {
        layers += 1;
        if (layers > MOST_LAYERS) throw new RangeError('too many layers');
        this.readLayer(tile.part());
      }
    }
    const buckets = new Map([...this.parts].map(([number, parts]) => [number, Int16Array.from(parts)]));
    return { buckets, labels: this.labels, vertices: this.vertices, dropped: this.dropped };
  }

  /** Keys and values follow the features, so the first pass only notes where all are. */
  readLayer(fields) {
    let version = 1;
    let extent = SIDE;
    let layer = null;
    const [features, keys, values] = [[], [], []];
    while (fields.next()) {
      if (fields.number === 15) version = fields.varint();
      else if (fields.number === 5) extent = fields.varint();
      else if (fields.number === 1) layer = this.schema.get(this.textOf(fields.part()));
      else if (fields.number === 2) features.push(fields.part());
      else if (fields.number === 3) keys.push(fields.part());
      else if (fields.number === 4) values.push(fields.part());
      else fields.skip();
      if (keys.length > MOST_VALUES || values.length > MOST_VALUES) throw new RangeError('too many keys or values');
      if (this.features + features.length > MOST_FEATURES) throw new RangeError('too many features');
    }
    this.features += features.length;
    if (!layer || version < 1 || version > 2 || !(extent >= 1)) return;
    const names = keys.map((key) => this.textOf(key));
    const cache = new Array(values.length);
    for (const feature of features) this.readFeature(feature, layer, SIDE / extent, names, values, cache);
  }

  textOf({ at, to }) {
    return this.text.decode(this.bytes.subarray(at, to));
  }

  readFeature(fields, layer, scale, names, values, cache) {
    let type = 0;
    let tags = null;
    let geometry = null;
    while (fields.next()) {
      if (fields.number === 2) tags = fields.part();
      else if (fields.number === 3) type = fields.varint();
      else if (fields.number === 4) geometry = fields.part();
      else fields.skip();
    }
    if (!geometry || type !== layer.type) return;
    const found = Object.create(null);
    while (tags && tags.at < tags.to) {
      const [key, value] = [tags.varint(), tags.varint()];
      if (key < names.length && value < values.length) found[names[key]] = cache[value] ??= this.valueOf(values[value]);
    }
    const label = layer.labelOf?.(found);
    const bucket = layer.classOf?.(found) ?? -1;
    if (!label && bucket < 0) return;
    const parts = this.readGeometry(geometry, scale, type);
    if (!parts) this.dropped += 1;
    else if (label && this.labels.length < MOST_LABELS) this.addLabel(label, parts, type);
    else if (!label) this.addParts(bucket, parts, type);
  }

  valueOf(fields) {
    let value = '';
    while (fields.next()) {
      if (fields.number === 1) value = this.textOf(fields.part());
      else if (fields.number === 2 && fields.wire === 5) value = fields.view(4).getFloat32(0, true);
      else if (fields.number === 3 && fields.wire === 1) value = fields.view(8).getFloat64(0, true);
      else if (fields.wire !== 0) fields.skip();
      else {
        // A number beyond 2^53 is not exact; none of those that we use is so large.
        const number = fields.varint();
        value = fields.number === 6 ? unzigzag(number) : fields.number === 7 ? number !== 0 : number;
      }
    }
    return value;
  }

  /** The parts [[x, y, …], …] of a geometry, scaled; null if it is none. */
  readGeometry(fields, scale, type) {
    const parts = [];
    let part = null;
    let [x, y] = [0, 0];
    while (fields.at < fields.to) {
      const command = fields.varint();
      const [id, count] = [command % 8, Math.floor(command / 8)];
      if (id === 7) {
        if (count !== 1) return null;
        continue;
      }
      // Each point has two bytes at least: a larger count is a lie, and nothing is made for it.
      if ((id !== 1 && id !== 2) || 2 * count > fields.to - fields.at || (id === 2 && !part)) return null;
      this.vertices += count;
      if (this.vertices > MOST_VERTICES) throw new RangeError('too many points');
      for (let index = 0; index < count; index += 1) {
        x += unzigzag(fields.varint());
        y += unzigzag(fields.varint());
        if (id === 1 && (index === 0 || type !== 1)) {
          part = [];
          parts.push(part);
        }
        part.push(Math.round(x * scale), Math.round(y * scale));
      }
    }
    return parts;
  }

  /** A point's label belongs to the tile that the point is in. */
  addLabel(label, parts, type) {
    if (type === 1) {
      const [x, y] = parts[0] ?? [];
      if (x >= 0 && x < SIDE && y >= 0 && y < SIDE) this.labels.push({ ...label, x, y });
      return;
    }
    for (const part of parts) {
      clip(part, 0, SIDE, (line) => this.labels.push({ ...label, line: Int16Array.from(line) }));
    }
  }

  addParts(bucket, parts, type) {
    const kept = this.parts.get(bucket) ?? [];
    if (type === 3) {
      for (const ring of parts) addPart(kept, ring.map((one) => Math.min(Math.max(one, -FARTHEST), FARTHEST)), -1);
    } else {
      const isDashed = bucket % 3 === TUNNEL || DASHED.has(Math.floor(bucket / 3));
      const beyond = isDashed ? DASHED_BEYOND : BEYOND;
      for (const part of parts) clip(part, -beyond, SIDE + beyond, (line) => addPart(kept, line, 1));
    }
    if (kept.length > 0) this.parts.set(bucket, kept);
  }
}

const unzigzag = (number) => (number % 2 === 0 ? number / 2 : -(number + 1) / 2);

function addPart(kept, part, sign) {
  const count = part.length / 2;
  if (count < (sign < 0 ? 3 : 2) || count > LONGEST_PART) return;
  kept.push(sign * count);
  for (const one of part) kept.push(one);
}

/** Calls `add` for each piece of a line in the square from `low` to `high`. */
function clip(part, low, high, add) {
  let piece = [];
  const end = () => {
    if (piece.length >= 4) add(piece);
    piece = [];
  };
  for (let index = 2; index < part.length; index += 2) {
    const [x, y] = [part[index - 2], part[index - 1]];
    const [dx, dy] = [part[index] - x, part[index + 1] - y];
    let [from, to] = [0, 1];
    for (const [start, by] of [[x, dx], [y, dy]]) {
      if (by === 0) {
        if (start < low || start > high) to = -1;
        continue;
      }
      const [one, other] = [(low - start) / by, (high - start) / by];
      from = Math.max(from, Math.min(one, other));
      to = Math.min(to, Math.max(one, other));
    }
    if (from > to) end();
    else {
      if (from > 0) end();
      if (piece.length === 0) piece.push(Math.round(x + from * dx), Math.round(y + from * dy));
      piece.push(Math.round(x + to * dx), Math.round(y + to * dy));
      if (to < 1) end();
    }
  }
  end();
}
