// The picture of each badge: a disc and what is special about the place, in squares of 48 units, in two strokes.

import { badgeKey } from './badge-text.js';
import { svg } from './dom.js';
import { t } from './i18n.js';

const ring = (x, y, r) => `M${x - r} ${y}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0`;
const dots = (...places) => places.map(([x, y]) => `M${x} ${y}h.01`).join('');
const disc = (r) => ring(24, 24, r);

/** By key: { body, colour, lines, dots, dark }. The body is filled with a colour, `dark` with a darker one. */
const ART = {
  earth: { body: disc(15), colour: '--blue',
    lines: 'M12 15c5 0 7 2 6 5s-4 2-4 6M24 9.5c-2 4 3 5 6 4s5-1 5-1M22 26c4-2 9 0 8 4s-4 3-5 8M36 22c2 0 3 2 2.5 4' },
  atmosphere: { body: disc(10), colour: '--cyan',
    lines: `M9 24a15 15 0 0 1 30 0M4 24a20 20 0 0 1 40 0M18 22c3-2 5 1 8-1` },
  moon: { body: disc(15), colour: '--gray',
    lines: ring(19, 19, 3.5) + ring(29, 28, 4.5) + ring(31, 16, 1.8) + ring(18, 31, 2) },
  magnetotail: { body: ring(14, 24, 6), colour: '--indigo',
    lines: 'M6 24c0-9 6-13 14-12 8 1 14 3 23 3M6 24c0 9 6 13 14 12 8-1 14-3 23-3M23 20c6-1 12-1 20 0'
      + 'M23 28c6 1 12 1 20 0' },
  mars: { body: disc(15), colour: '--red', lines: 'M15 12c5 3 13 3 18 0M14 31l8-9 3 2 9 8M19.5 24.8l2.5 1 2.5-1' },
  phobos: { body: 'M12 17c5-8 16-7 22-1s4 15-4 18-17 1-20-5-1-8 2-12z', colour: '--brown',
    lines: `${ring(18, 21, 4.5)}M24 17l10 4M24 22l11 4M23 27l9 4` },
  deimos: { body: 'M15 20c3-6 12-7 17-3s3 11-3 14-13 1-15-3 0-6 1-8z', colour: '--orange',
    lines: ring(20, 23, 1.8) + ring(28, 26, 2.3) },
  'asteroid-belt': { body: 'M6 31l5-3 5 3-1 5-6 1zM19 22l6-4 6 3 0 6-7 3-5-3zM35 11l5-2 4 4-2 5-6-1z',
    colour: '--brown',
    lines: 'M29 36l3-1 1 3-3 1zM13 17l3-1 1 3-3 1z',
    dots: dots([7, 22], [22, 36], [33, 29], [28, 11], [41, 25], [38, 34]) },
  ceres: { body: disc(11), colour: '--gray', lines: ring(20, 20, 2.6) + ring(21, 30, 2),
    dots: dots([28, 24], [30.5, 25.5]) },
  jupiter: { body: disc(18), colour: '--orange',
    lines: 'M9 15h30M6.5 21h35M6.5 28c6-2 10 2 16 0M9.5 34h29M34 27.5a4.5 2.8 0 1 0-.01 0zM38 28h3.5' },
  io: { body: disc(13), colour: '--yellow', lines: `M33.5 14.5c1-4 3-6 6-7M34.5 15.5c3-3 5-3 8-2${ring(20, 26, 2.5)}`,
    dots: dots([26, 19], [28, 30], [17, 18], [22, 33]) },
  europa: { body: disc(14), colour: '--cyan',
    lines: 'M12 18c9 1 16 6 22 15M17 12.5c2 9 5 16 11 25M10.5 27c9-3 18-4 27-3M31 12c-3 8-9 14-17 21' },
  ganymede: { body: disc(16), colour: '--brown',
    dark: 'M12 17c5-5 11-5 13 0s-5 8-9 7-6-4-4-7zM28 27c4-2 9-1 9 2s-5 7-9 6-3-6 0-8z',
    lines: 'M27 10l8 11M30 9.5l7 10' },
  callisto: { body: disc(16), colour: '--indigo', lines: ring(20, 20, 2.5) + ring(20, 20, 6),
    dots: dots([31, 15], [34, 23], [28, 28], [32, 32], [23, 34], [15, 30], [27, 21], [35, 28]) },
  saturn: { body: disc(11), colour: '--yellow',
    lines: 'M14.2 19.2C6 24 2.5 29 4.5 31.5c3 3.5 14 .5 24.5-5.5S45.5 11.5 43.5 8.5C42 6.5 38 7 33 9.3'
    + 'M17 32.5c6-1.5 11-4.5 17-9' },
  mimas: { body: disc(13), colour: '--gray', lines: ring(29, 20, 5.5) + ring(18, 28, 2),
    dots: dots([29, 20], [22, 34], [16, 19]) },
  enceladus: { body: ring(24, 19, 12), colour: '--teal',
    lines: 'M20 33l-3 11M24 33.5V46M28 33l3 11M18 14c4 3 8 3 12 0M15 21c5 3 9 2 12-1' },
  tethys: { body: disc(13), colour: '--mint',
    lines: `M27 11.5c-5 5 1 8-3 12s1 8-3 12.5M29.5 12.5c-4 5 1 7-2 11s1 7-2 12${ring(17, 20, 2.5)}` },
  dione: { body: disc(13), colour: '--blue', lines: 'M12 21l6-3 3 4 6-5 4 3 4-2M13 29l6-3 4 4 6-4 5 3' },
  rhea: { body: disc(14), colour: '--teal',
    lines: `${ring(28, 20, 2)}M28 15.5v-3M32 18l3-2M32 22l3 2M28 24.5v5M24 22l-6 4M24 18l-5-3` },
  titan: { body: disc(12), colour: '--orange',
    lines: `${disc(17)}M15 21c4-2 8 2 12 0s5-1 7-1M14 27c4-2 8 2 12 0s6-1 8-1` },
  iapetus: { body: disc(14), colour: '--gray', dark: 'M24 10a14 14 0 0 0 0 28c-4-4-3-9 0-14s3-10 0-14z',
    lines: ring(31, 22, 2.2) },
  uranus: { body: disc(13), colour: '--teal',
    lines: 'M22 11.2C22 4 24 1.5 26 2c4 1 5 12 3 24s-7 21-10 20c-2-.5-2-4-1-9.5' },
  miranda: { body: disc(12), colour: '--purple', lines: 'M15 19l8 9 7-12M17.5 18l5.5 6 4.5-8M33 31l2.5 4 4-1' },
  ariel: { body: disc(13), colour: '--mint', lines: 'M13 18l22 9M12 24l20 8M19 12.5l16 8M24 28l-3 8' },
  umbriel: { body: disc(13), colour: '--indigo', dark: ring(20, 28, 2.2) + ring(29, 27, 1.6) + ring(18, 21, 1.3),
    lines: ring(27, 15.5, 3) },
  titania: { body: disc(14), colour: '--pink',
    lines: `M30 11.5c-3 8-3 16 3 23M26.5 10.5c-3 9-3 18 2 26.5${ring(18, 21, 3)}`, dots: dots([17, 29]) },
  oberon: { body: 'M13.5 33a14 14 0 1 1 21-.3l-4 3 -3-1.2 -2.5 3.3a14 14 0 0 1-11.5-4.8z', colour: '--purple',
    lines: ring(28, 19, 3.2) + ring(18, 25, 2.2), dots: dots([28, 19]) },
  neptune: { body: disc(16), colour: '--blue',
    lines: 'M9 20c6-3 9 2 15 0s8-3 14-1M8.5 27c5-2 8 1 12 0M30 28c4-1 7 0 9.5-1'
      + 'M13 34c6-2 12 1 20 0M28 27a3.5 2.2 0 1 0-.01 0z' },
  triton: { body: ring(24, 25, 11), colour: '--cyan',
    lines: 'M42 17A19.5 19.5 0 0 0 8 14M7 7l.5 7.5 7.5-.5M15 28c5-3 11 2 18-1',
    dots: dots([19, 20], [29, 23], [24, 32]) },
  'kuiper-belt': { body: ring(24, 24, 4), colour: '--yellow', lines: 'M12 24a12 6 0 1 0 24 0a12 6 0 1 0-24 0',
    dots: dots([4, 24], [7, 18], [13, 14], [21, 12], [29, 12.5], [37, 15], [42, 19], [44, 25], [40, 31], [33, 35],
      [25, 36.5], [16, 35.5], [8, 31]) },
  pluto: { body: disc(14), colour: '--brown', lines: 'M25 36c-7-5-10-9-8-13s6-3 8 0c2-3 7-4 8.5 0s-2 8-8.5 13z',
    dots: dots([18, 16], [30, 15]) },
  'interstellar-space': { body: 'M19 29a8 8 0 0 1 11-11z', colour: '--gray',
    lines: 'M24.5 23.5l5.5-5M22 27l-9 9M28.5 27.5l7 7M33 37l5-5M15 31l3 3',
    dots: dots([8, 10], [16, 6], [29, 7], [40, 10], [43, 22], [6, 22], [10, 42], [28, 43], [42, 42]) },
};
const UNKNOWN = { body: disc(14), colour: '--gray' };

const STAR = 'M12 2.5l2.9 6.2 6.8.8-5 4.7 1.3 6.7-6-3.3-6 3.3 1.3-6.7-5-4.7 6.8-.8z';

/** The picture of a badge. What it is stands beside it. */
export function badgePicture(name) {
  const { body, colour, lines = '', dots: points = '', dark = '' } = ART[badgeKey(name)] ?? UNKNOWN;
  const part = (kind, d) => (d ? [svg('path', { d, class: kind })] : []);
  const drawing = svg('svg', { viewBox: '0 0 48 48', class: 'badge-picture', 'aria-hidden': 'true',
    'data-badge': badgeKey(name) }, ...part('body', body), ...part('dark', dark), ...part('line', lines),
  ...part('dots', points));
  drawing.style.setProperty('--badge', `var(${colour})`);
  return drawing;
}

/** The mark of a grade: a star, of silver with a rim, of gold filled. */
export function gradeMark(grade) {
  return svg('svg', { viewBox: '0 0 24 24', class: `grade ${grade}`, role: 'img',
    'aria-label': t(`badges.${grade}_by`) }, svg('path', { d: STAR }));
}
