// The picture of each sport, in squares of 24 units, in strokes.

import { svg } from './dom.js';

const ring = (x, y, r) => `M${x - r} ${y}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0`;

const ART = {
  run: `${ring(15.5, 4, 1.7)}M7 9.5l3.5-2.2 4 1-2.3 5 3.3 2.7-1.5 5.5M12.2 13.3l-2.2 3.2H5.5M14.5 8.3l2 3 3 .2`,
  walk: `${ring(13, 3.8, 1.7)}M12.3 7.4l-1 6 3 3.1 1.2 5M11.3 13.4l-1.2 4.1-2.6 4`
    + 'M12.3 7.4l-3.6 2.2-.9 3.4M12.6 8.4l2 2.8l2.8 1',
  hike: 'M2 20L9 7.5l4.2 7M11.7 12L15.5 6 22 20zM7 11.2l2 1.4 1.8-1.6',
  ride: `${ring(5.5, 16, 4)}${ring(18.5, 16, 4)}M5.5 16l4-6.8h6L18.5 16M9.5 9.2l3.4 6.8H5.5M12.9 16`
    + 'l2.6-6.8M8 7h3M15.5 9.2l-.9-2.7h2.9',
  other: `${ring(12, 13.5, 7.5)}M12 13.5V9.2M10 2.5h4M12 2.5V6`,
};

/** The picture of a sport in the middle of a square of so many units. */
export function sportPicture(sport, side) {
  const scale = side / 40;
  return svg('path', { d: ART[sport] ?? ART.other, class: 'sport',
    transform: `translate(${side / 2 - 12 * scale} ${side / 2 - 12 * scale}) scale(${scale})` });
}
