// The map behind routes: tiles of the server's own file. Without that file there is none.

import { getJSON, request } from './api.js';

/** Images that are kept, and requests at once. */
const KEPT = 128;
const PARALLEL = 4;
/** Milliseconds until a tile is asked for again after a failure. */
const RETRY = 5000;
/** Metres of a pixel at zoom 0 on the equator, with tiles of 256 pixels. */
const WIDEST = 156_543.034;
const MOST_LATITUDE = 85.05;

let shared = null;

/** The tiles of the server for all maps of the page; null without a map. */
export function sharedTiles() {
  shared ??= getJSON('/api/tiles').then((map) => (map.available ? new Tiles(map) : null)).catch(() => null);
  return shared;
}

const column = (longitude, zoom) => Math.floor((longitude + 180) / 360 * 2 ** zoom);

function row(latitude, zoom) {
  const angle = Math.min(Math.max(latitude, -MOST_LATITUDE), MOST_LATITUDE) * Math.PI / 180;
  return Math.floor((1 - Math.asinh(Math.tan(angle)) / Math.PI) / 2 * 2 ** zoom);
}

const west = (x, zoom) => x / 2 ** zoom * 360 - 180;
const north = (y, zoom) => Math.atan(Math.sinh(Math.PI * (1 - 2 * y / 2 ** zoom))) * 180 / Math.PI;

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
   * The tiles between two corners: [{ image, north, west, south, east }] of those that are there.
   * `scale`: metres of a pixel. `draw`: called when another one has come; always the same function for one map.
   */
  cover(from, to, scale, draw) {
    const middle = (from.latitude + to.latitude) / 2;
    const exact = Math.log2(WIDEST * Math.cos(middle * Math.PI / 180) / scale);
    let zoom = Math.min(Math.max(Math.round(exact), this.least), this.most);
    while (zoom > this.least && this.count(from, to, zoom) > KEPT / 2) zoom -= 1;
    if (this.count(from, to, zoom) > KEPT / 2) return [];
    for (const [name, maps] of this.wanted) {
      maps.delete(draw);
      if (maps.size === 0) this.wanted.delete(name);
    }
    const tiles = [];
    for (let x = column(from.longitude, zoom); x <= column(to.longitude, zoom); x += 1) {
      for (let y = row(from.latitude, zoom); y <= row(to.latitude, zoom); y += 1) {
        const image = this.image(`${zoom}/${x}/${y}`, draw);
        if (image) {
          tiles.push({ image, north: north(y, zoom), west: west(x, zoom), south: north(y + 1, zoom),
            east: west(x + 1, zoom) });
        }
      }
    }
    return tiles;
  }

  count(from, to, zoom) {
    return (column(to.longitude, zoom) - column(from.longitude, zoom) + 1)
      * (row(to.latitude, zoom) - row(from.latitude, zoom) + 1);
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
