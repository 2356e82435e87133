// How the lines and vehicles of buses are drawn on the map.

import { isColour } from './bus-times.js';

/** A line is drawn in front of a background of the map, which pale and dark colours hardly differ from. */
const LEAST_CONTRAST = 2;
const DASHES = [[], [14, 8], [2, 9], [14, 8, 2, 8], [6, 6]];

function luminance(colour) {
  const [red, green, blue] = [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16) / 255)
    .map((part) => (part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(one, other) {
  const [low, high] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (high + 0.05) / (low + 0.05);
}

/** How a line is drawn in the present theme. */
export function lineStyle({ color }, index) {
  const isPlain = document.documentElement.dataset.theme === 'e-ink';
  if (isPlain) return { colour: '--text', dash: DASHES[index % DASHES.length], width: 5 };
  if (!isColour(color)) return { colour: '--text', width: 5 };
  const back = getComputedStyle(document.documentElement).getPropertyValue('--map-back').trim();
  const isFaint = isColour(back) && contrast(color, back) < LEAST_CONTRAST;
  return { colour: color, width: 6, casing: isFaint ? '--text' : '--map-casing' };
}

/** Pale vehicles could not be seen. */
export function vehicleColour(vehicle) {
  const { colour, casing } = lineStyle(vehicle, 0);
  return casing === '--text' ? '--text' : colour;
}
