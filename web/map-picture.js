// The picture of the land under the lines of a map: asks the worker for it, and the server for the tiles that the
// worker lacks. Where a browser has no such worker, the same code paints in the page.

import { request } from './api.js';
import { element } from './dom.js';
import { MOST_BYTES } from './mvt.js';

const PARALLEL = 4;
/** Milliseconds until a tile is asked for again after a failure. */
const RETRY = 5000;
/** Milliseconds of rest before the page itself paints. */
const REST = 150;

/**
 * `onPicture` is called when a picture has come, and `onStale` when another one would show more. `drawn` is the view of
 * the picture, with its margin; null before the first. `damaged`: tiles that are left out, since they cannot be read.
 */
export class Picture {
  constructor(facts, { onPicture, onStale }) {
    Object.assign(this, { facts, onPicture, onStale, drawn: null, isBusy: false, duration: 0, damaged: 0 });
    this.queue = [];
    this.asked = new Set();
    this.canvas = element('canvas', { class: 'map-land' });
    this.startWorker();
  }

  startWorker() {
    if (typeof OffscreenCanvas === 'undefined') return this.stayInPage();
    this.pen = this.canvas.getContext('bitmaprenderer');
    try {
      this.worker = new Worker(new URL('./map-worker.js', import.meta.url), { type: 'module' });
    } catch {
      return this.stayInPage();
    }
    this.worker.onmessage = ({ data }) => this.take(data);
    this.worker.onerror = (event) => {
      event.preventDefault();
      this.stayInPage();
    };
    this.worker.postMessage({ map: this.facts });
  }

  /** Paints in the page from now on; a failure there leaves the land blank. */
  async stayInPage() {
    this.worker?.terminate();
    const canvas = element('canvas', { class: 'map-land' });
    this.canvas.replaceWith(canvas);
    Object.assign(this, { canvas, worker: null, drawn: null, isBusy: true });
    const { Scene } = await import('./map-scene.js');
    this.scene = new Scene(this.facts);
    this.isBusy = false;
    this.onStale();
  }

  destroy() {
    this.worker?.terminate();
    clearTimeout(this.timer);
    this.onPicture = this.onStale = () => {};
    this.queue = [];
  }

  /** Takes what is drawn over the map: [[x, y, …], …] of the world. */
  setWays(ways) {
    if (this.worker) this.worker.postMessage({ ways });
    else if (this.scene) this.scene.ways = ways;
  }

  /** Asks for a picture: { view, theme, ratio, covered, family }. */
  ask(wish) {
    this.isBusy = true;
    this.began = performance.now();
    if (this.worker) this.worker.postMessage({ wish });
    else {
      clearTimeout(this.timer);
      this.timer = setTimeout(() => this.paintHere(wish), REST);
    }
  }

  paintHere(wish) {
    const { view, ratio } = wish;
    Object.assign(this.canvas, { width: Math.round(view.width * ratio), height: Math.round(view.height * ratio) });
    let missing = [];
    try {
      missing = this.scene.paint(this.canvas.getContext('2d', { alpha: false }), wish);
    } catch (error) {
      console.warn(error);
    }
    this.take({ wish, missing, damaged: this.scene.damaged.size });
  }

  take({ wish, missing, picture, damaged }) {
    if (picture) {
      if (this.canvas.width !== picture.width) this.canvas.width = picture.width;
      if (this.canvas.height !== picture.height) this.canvas.height = picture.height;
      this.pen.transferFromImageBitmap(picture);
    }
    Object.assign(this, { damaged, drawn: wish.view, isBusy: false, duration: performance.now() - this.began });
    this.queue = missing;
    this.load();
    this.onPicture(wish);
  }

  load() {
    while (this.asked.size < PARALLEL && this.queue.length > 0) {
      const name = this.queue.shift();
      if (!this.asked.has(name)) this.loadOne(name);
    }
  }

  async loadOne(name) {
    this.asked.add(name);
    try {
      const bytes = await bytesOf(name, this.facts.version);
      if (this.worker) this.worker.postMessage({ name, bytes }, bytes ? [bytes] : []);
      else this.scene?.add(name, bytes);
    } catch {
      // A server that fails has a pause.
      await new Promise((done) => { setTimeout(done, RETRY); });
    }
    this.asked.delete(name);
    this.load();
    this.onStale();
  }
}

/** An ArrayBuffer; null for a tile that the map lacks or that is too large. Throws if the server has not answered. */
async function bytesOf(name, version) {
  const response = await request(`/api/tiles/${name}`, { query: { v: version }, cache: 'default' });
  if (response.status !== 200) return null;
  const parts = [];
  let length = 0;
  // A few packed bytes may unpack to gigabytes, so they are counted while they come.
  for (const reader = response.body.getReader(); ;) {
    const { value, done } = await reader.read();
    if (done) return new Blob(parts).arrayBuffer();
    length += value.length;
    if (length > MOST_BYTES) {
      reader.cancel();
      return null;
    }
    parts.push(value);
  }
}
