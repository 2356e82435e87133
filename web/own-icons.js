// The drawings of other programs' fields, in squares of 24 units, in strokes.

import { svg } from './dom.js';

const ring = (x, y, r) => `M${x - r} ${y}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0`;

const ART = {
  gauge: 'M4 18.5a9.5 9.5 0 1 1 16 0M12 14.5l4-6',
  angle: 'M21 19H3.5L16 5M10.5 11.2a10 10 0 0 1 3.6 7.8',
  battery: 'M2 7.5h17.5v9H2zM22.5 11v2M6 11v2M10 11v2M14 11v2',
  bolt: 'M13.5 2.5L5 14h6l-1 7.5L18.5 10h-6z',
  drop: 'M12 3c4 5 6.3 8.2 6.3 11.4a6.3 6.3 0 0 1-12.6 0C5.7 11.2 8 8 12 3z',
  gear: `${ring(12, 12, 2.6)}${ring(12, 12, 6.6)}M12 2v3.4M12 18.6V22M2 12h3.4M18.6 12H22`
    + 'M4.9 4.9l2.4 2.4M16.7 16.7l2.4 2.4M4.9 19.1l2.4-2.4M16.7 7.3l2.4-2.4',
  heart: 'M12 20.5C5.5 15.8 3 12.8 3 9.2A4.7 4.7 0 0 1 12 7a4.7 4.7 0 0 1 9 2.2c0 3.6-2.5 6.6-9 11.3z',
  lungs: 'M12 3v8l-2.5 2M12 11l2.5 2M7.8 7C4.8 9.5 3 14 3 18c0 3 6.5 2.5 6.5-.5V8.5c0-1.2-.8-2-1.7-1.5z'
    + 'M16.2 7c3 2.5 4.8 7 4.8 11 0 3-6.5 2.5-6.5-.5V8.5c0-1.2.8-2 1.7-1.5z',
  muscle: 'M4.5 3.5l4-1 1.5 4-2.5 2.5.5 3.5c2-2.5 4.5-3.3 7-2.8 3.7.7 6.3 3.8 6.3 7.8'
    + 'C16 21 9.5 21.5 4 18.5 2.5 13.5 3 8.5 4.5 3.5z',
  pressure: `${ring(12, 12, 9)}M12 12.5l4.5-4.5M12 5.5V7M5.5 12.5H7M17 12.5h1.5`,
  speed: 'M3 17.5a9 9 0 1 1 18 0M12 17.5l5-6M3 17.5h2.5M18.5 17.5H21M12 8.5V11',
  temperature: 'M9.8 13.7V5a2.2 2.2 0 0 1 4.4 0v8.7a4.3 4.3 0 1 1-4.4 0zM12 9v8.5',
  time: `${ring(12, 13.5, 7.8)}M12 9v4.5l3 2M9.5 2.5h5`,
  wind: 'M2.5 9H14a3 3 0 1 0-3-3M2.5 13H19a3 3 0 1 1-3 3M2.5 17H10',
};

/** A drawing as high as the text beside it; that of a gauge for an unknown name. */
export function ownIcon(name) {
  return svg('svg', { class: 'own-icon', viewBox: '0 0 24 24', 'aria-hidden': 'true' },
    svg('path', { d: ART[name] ?? ART.gauge }));
}
