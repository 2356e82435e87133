// The decoded tiles of a vector map, and pictures of them. In the worker, or in a page that has none.

import { label } from './map-labels.js';
import { paint } from './map-paint.js';
import { schemas } from './map-schemas.js';
import { styles } from './map-style.js';
import { cover, zoomOf } from './mercator.js';
import { decode, SIDE } from './mvt.js';

const KEPT = 24;
const MOST_SEEN = 24;
/** A missing tile is replaced by a piece of one that is at most so many zooms above. */
const ABOVE = 3;

export class Scene {
  constructor({ schema, min_zoom: least, max_zoom: most }) {
    Object.assign(this, { schema: schemas.get(schema), least, most });
    /** By zoom/x/y, in the order of their use; null for a hole. */
    this.tiles = new Map();
    /** The names of tiles that could not be decoded. */
    this.damaged = new Set();
    /** [[x, y, …], …] of the world: what the page draws over the map, where no label should be. */
    this.ways = [];
  }

  /** bytes: an ArrayBuffer, or null if the map has no such tile. */
  add(name, bytes) {
    const tile = bytes && bytes.byteLength > 0 ? decode(new Uint8Array(bytes), this.schema) : null;
    if (bytes?.byteLength > 0 && !tile) this.damaged.add(name);
    this.tiles.set(name, tile);
    for (const oldest of this.tiles.keys()) {
      if (this.tiles.size <= KEPT) break;
      this.tiles.delete(oldest);
    }
  }

  /** Paints what a wish says; returns the names of the tiles that it lacks, those in the middle first. */
  paint(pen, { view, theme, ratio, covered, family }) {
    const [tiles, missing] = this.find(view);
    paint(pen, tiles, view, styles[theme], ratio);
    label(pen, tiles, view, styles[theme], ratio, { covered, ways: this.ways, family });
    return missing;
  }

  find(view) {
    const [tiles, missing] = [[], []];
    const distance = ({ z, x, y }) => Math.hypot((x + 0.5) / 2 ** z - view.x, (y + 0.5) / 2 ** z - view.y);
    const seen = cover(view, zoomOf(view) - 1, this, MOST_SEEN);
    for (const one of seen.sort((a, b) => distance(a) - distance(b))) {
      if (!this.tiles.has(one.name)) missing.push(one.name);
      const tile = this.tiles.has(one.name) ? { ...one, tile: this.use(one.name) } : this.pieceAbove(one);
      if (tile?.tile) tiles.push(tile);
    }
    return [tiles, missing];
  }

  use(name) {
    const tile = this.tiles.get(name);
    this.tiles.delete(name);
    this.tiles.set(name, tile);
    return tile;
  }

  pieceAbove({ z, x, y }) {
    for (let up = 1; up <= Math.min(ABOVE, z); up += 1) {
      const [left, top, count] = [Math.floor(x / 2 ** up), Math.floor(y / 2 ** up), 2 ** (z - up)];
      const tile = this.tiles.get(`${z - up}/${(left % count + count) % count}/${top}`);
      const side = SIDE / 2 ** up;
      if (tile) {
        return { z: z - up, x: left, y: top, tile,
          clip: [(x - left * 2 ** up) * side, (y - top * 2 ** up) * side, side] };
      }
    }
    return null;
  }
}
