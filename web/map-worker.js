// Decodes tiles and paints pictures of the map beside the page, whose own thread stays free for fingers.

import { Scene } from './map-scene.js';

let scene = null;
let canvas = null;
let wish = null;

/** { map }, { name, bytes } of a tile, { ways }, or { wish }: only the latest wish is painted. */
onmessage = ({ data }) => {
  if (data.map) scene = new Scene(data.map);
  else if (data.name) scene.add(data.name, data.bytes);
  else if (data.ways) scene.ways = data.ways;
  else {
    if (!wish) setTimeout(paint);
    wish = data.wish;
  }
};

function paint() {
  const [wide, high] = [wish.view.width, wish.view.height].map((side) => Math.round(side * wish.ratio));
  if (canvas?.width !== wide || canvas.height !== high) canvas = new OffscreenCanvas(wide, high);
  const missing = scene.paint(canvas.getContext('2d', { alpha: false }), wish);
  const picture = canvas.transferToImageBitmap();
  postMessage({ wish, missing, picture, damaged: scene.damaged.size }, [picture]);
  wish = null;
}
