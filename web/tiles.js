// The map behind routes: tiles of the server's own file. Without that file there is none.

import { getJSON, request } from './api.js';
import { cover, zoomOf } from './mercator.js';

/** Images that are kept, and requests at once. */
const KEPT = 128;
const PARALLEL = 4;
/** Milliseconds until a tile is asked for again after a failure. */
const RETRY = 5000;

let shared = null;

/** The images of the server for all maps of the page, or `facts` of a map that is drawn here; null without a map. */
export function sharedTiles() {
  shared ??= getJSON('/api/tiles').then((map) => {
    if (!map.available) return null;
    return map.kind === 'vector' ? { facts: map, attribution: map.attribution } : new Tiles(map);
  }).catch(() => null);
  return shared;
}

class Tiles {
  constructor({ min_zoom: least, max_zoom: most, attribution }) {
    Object.assign(this, { least, most, attribution });
    /** By zoom/x/y, in the order of their use: an ImageBitmap, or null for a tile that the map lacks. */
    this.images = new Map();
    /** By zoom/x/y: the functions that draw the maps that want the tile. */
    this.wanted = new Map();
    this.asked = new Map();
  }

  /**
   * The tiles of a view: [{ image, z, x, y }] of those that are there. `draw`: called when another one has come; always
   * the same function for one map.
   */
  cover(view, draw) {
    for (const [name, maps] of this.wanted) {
      maps.delete(draw);
      if (maps.size === 0) this.wanted.delete(name);
    }
    return cover(view, zoomOf(view), this, KEPT / 2).map((tile) => ({ ...tile, image: this.image(tile.name, draw) }))
      .filter(({ image }) => image);
  }

  image(name, draw) {
    if (this.images.has(name)) {
      const image = this.images.get(name);
      this.images.delete(name);
      this.images.set(name, image);
      return image;
    }
    const maps = this.asked.get(name) ?? this.wanted.get(name);
    if (maps) maps.add(draw);
    else this.wanted.set(name, new Set([draw]));
    this.ask();
    return null;
  }

  /** Asks for the next tiles that are still wanted. */
  ask() {
    for (const [name, maps] of this.wanted) {
      if (this.asked.size >= PARALLEL) return;
      this.wanted.delete(name);
      this.asked.set(name, maps);
      const end = () => {
        this.asked.delete(name);
        for (const draw of maps) draw();
        this.ask();
      };
      // A server that fails has a pause.
      this.load(name).then(end, () => setTimeout(end, RETRY));
    }
  }

  /** Throws if the server has not answered. */
  async load(name) {
    const response = await request(`/api/tiles/${name}`);
    let image = null;
    if (response.status === 200) {
      const file = await response.blob();
      // A tile that cannot be drawn is a hole in the map.
      image = await createImageBitmap(file).catch(() => null);
    }
    this.images.set(name, image);
    for (const [oldest, old] of this.images) {
      if (this.images.size <= KEPT) break;
      this.images.delete(oldest);
      old?.close();
    }
  }
}
