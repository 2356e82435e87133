// Arrows of course points: the one set for the live page, the list of turns, and the guidance.

import { isRoundabout } from './course.js';
import { svg } from './dom.js';

/** Lines in a square of 24 units; an arrow to the right is that to the left in a mirror. */
const DRAWINGS = {
  straight: 'M12 21V4M6 10l6-6 6 6',
  left: 'M17 21v-8a4 4 0 0 0-4-4H4M9.5 3.5 4 9l5.5 5.5',
  'slight-left': 'M15 21v-7L7 6M7 13V6h7',
  'sharp-left': 'M18 21V4L6 15M6 9v6h6',
  'left-fork': 'M14 21v-5L6 6M6 12.5V6h6.5M14 16l6-8',
  'u-turn': 'M17 21V9.5a5 5 0 0 0-10 0V19M2.5 14.5 7 19l4.5-4.5',
  roundabout: 'M12 22.5v-4a5 5 0 1 1 .01 0M12 8.5V2M8 5.5 12 1.5 16 5.5',
  dot: 'M12 12h.01',
};
const ALIASES = { 'middle-fork': 'straight' };

/** The drawing that stands for a course point; a dot for one that is no turn. */
export function signOf(point) {
  if (isRoundabout(point)) return 'roundabout';
  const sign = ALIASES[point.type] ?? point.type;
  return sign.replace('right', 'left') in DRAWINGS ? sign : 'dot';
}

/** A drawing in the colour of the text. */
export function turnIcon(sign) {
  const left = sign.replace('right', 'left');
  return svg('svg', { class: 'turn-icon', viewBox: '0 0 24 24', 'aria-hidden': 'true', 'data-sign': sign },
    svg('path', { d: DRAWINGS[left], ...sign === left ? {} : { transform: 'matrix(-1 0 0 1 24 0)' } }));
}
