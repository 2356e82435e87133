// Drawings of the weather by the names of the topic, in the colour of the text.

import { svg } from './dom.js';
import { t } from './i18n.js';

/**
 * The name of the drawing for the conditions of a station, a period or an overlay: that of the topic, with -day or
 * -night in the place of -sky. Null if nothing is known.
 */
export const drawingOf = ({ icon }, isNight) => icon?.replace(/-sky$/, isNight ? '-night' : '-day') ?? null;

/** Metres a second from which on the wind is a drawing of its own: 20 knots, as in RunFree. */
const WINDY = 20 * 1852 / 3600;

export const isWindy = ({ wind_speed_mps: speed, wind_gust_mps: gust }) => speed >= WINDY || gust >= WINDY;

// The drawings, in squares of 24 units. Wide strokes make shapes, thin ones what falls.

const CLOUD = 'M6.5 15.5h9.2a3.9 3.9 0 0 0 .4-7.78A5.4 5.4 0 0 0 5.7 8.6 3.5 3.5 0 0 0 6.5 15.5z';
const SUN = 'M12 7.8a4.2 4.2 0 1 0 0 8.4 4.2 4.2 0 1 0 0-8.4zM12 2v2M12 20v2M2 12h2M20 12h2M4.9 4.9l1.4 1.4'
  + 'M17.7 17.7l1.4 1.4M4.9 19.1l1.4-1.4M17.7 6.3l1.4-1.4';
const MOON = 'M20.5 14.6A8.8 8.8 0 1 1 9.6 3.5a7 7 0 0 0 10.9 11.1z';
/** The sun and the moon by drawing; `usual`: behind a cloud. */
const SKY = {
  clear: [SUN, MOON],
  'few-clouds': ['M10.8 12.6A4.4 4.4 0 1 1 15 14.4M14.6 2.6V1.4M20.2 4.6l.9-.9M22 10.2h1.2M20.2 15.6l.9.9M9 4.6l-.9-.9'
    + 'M7.4 10.2H6.2', 'M11.2 11.4A7.3 7.3 0 0 1 14.3 2.4a5.8 5.8 0 0 0 7.9 8.4 7.3 7.3 0 0 1-6.4 4.6'],
  haze: ['M6.5 13a5.5 5.5 0 1 1 11 0M12 1.5v1.7M4 5.2l1.3 1.1M20 5.2l-1.3 1.1',
    'M18 10.6A6.6 6.6 0 0 1 9.6 2 6.2 6.2 0 1 0 18 10.6z'],
  usual: ['M12.9 4.3A3.9 3.9 0 0 1 20.4 5.4 3.9 3.9 0 0 1 19.8 8.6M16.7 .9V.8M21.9 2.2l.1-.1M23.1 6.7h.1',
    'M14.2 4.2A4.8 4.8 0 0 1 16.6 1a4.6 4.6 0 0 0 6.2 5.8 4.8 4.8 0 0 1-3 3.4'],
};
const HORIZON = 'M2.5 17h19M5.5 21h13';
const STAR = (x, y) => `M${x} ${y - 2}v4M${x - 1.75} ${y - 1}l3.5 2M${x - 1.75} ${y + 1}l3.5-2`;
const BALL = (x, y) => `M${x} ${y}h.01`;
const BOLT = 'M12.4 11.5 9 17h4.5l-3 5.5';

/** By name without -day and -night: { wide, thin, balls, down }; `down` moves a cloud to the middle. */
const DRAWINGS = {
  clear: {},
  'few-clouds': { wide: 'M5 21.6h7.2a2.9 2.9 0 0 0 .3-5.8A4.1 4.1 0 0 0 4.6 16.4 2.6 2.6 0 0 0 5 21.6z' },
  'partly-cloudy': { wide: CLOUD, down: 3 },
  cloudy: { wide: CLOUD, down: 2 },
  overcast: { wide: `${CLOUD}M10.5 3.3A4.6 4.6 0 0 1 18.6 5 3.9 3.9 0 0 1 22.3 11`, down: 2.5 },
  drizzle: { wide: CLOUD, thin: 'M7 18.5v1M11.5 18.5v1M16 18.5v1M9 21.5v1M13.5 21.5v1' },
  rain: { wide: CLOUD, thin: 'M8 18l-1.3 3.5M12.3 18 11 21.5M16.6 18l-1.3 3.5' },
  'heavy-rain': { wide: `${CLOUD}M7.5 17.8 5.8 22.5M11.6 17.8 9.9 22.5M15.7 17.8 14 22.5M19.6 17.8 18 22.5` },
  sleet: { wide: CLOUD, thin: `M7.5 17.8l-1.5 4.2M16.5 17.8l-1.5 4.2${STAR(11.4, 20)}` },
  snow: { wide: CLOUD, thin: STAR(7, 20) + STAR(15, 20) },
  hail: { wide: CLOUD, balls: BALL(7, 19) + BALL(15.6, 19) + BALL(11.3, 21.6) },
  ice: { wide: CLOUD, thin: 'M8 17.6l-.9 2.4M12.3 17.6l-.9 2.4M16.6 17.6l-.9 2.4M4 22.6h15' },
  thunder: { wide: 'M5.7 15.3A3.5 3.5 0 0 1 5.7 8.6a5.4 5.4 0 0 1 10.4-.88A3.9 3.9 0 0 1 16.6 15.4', thin: BOLT },
  'thunder-rain': { wide: 'M5.7 15.3A3.5 3.5 0 0 1 5.7 8.6a5.4 5.4 0 0 1 10.4-.88A3.9 3.9 0 0 1 16.6 15.4',
    thin: `${BOLT}M5.8 18 4.5 21.5M17.6 18l-1.3 3.5` },
  fog: { wide: `M5.7 12.2A3.5 3.5 0 0 1 5.7 6a5.4 5.4 0 0 1 10.4-.9A3.9 3.9 0 0 1 16.6 12.4${HORIZON}` },
  haze: { wide: HORIZON },
  dust: { wide: 'M2.5 9c3-3 5-3 7.5 0s5 3 7.5 0 3-2 4-1.5M2.5 16c3-3 5-3 7.5 0s5 3 7.5 0 3-2 4-1.5',
    balls: BALL(5, 4) + BALL(13, 4) + BALL(9, 21) + BALL(18, 20) },
  tornado: { wide: 'M3 3.5h18M6 8h13M8.5 12.5h9M11 17h5M12.5 21.5h2' },
  wind: { wide: 'M2.5 8h11a3 3 0 1 0-3-3M2.5 12h16a3 3 0 1 1-3 3M2.5 16h7a2.7 2.7 0 1 1-2.7 2.7' },
};

export const drawings = Object.keys(DRAWINGS);

/** A drawing of the weather with its name for screen readers, of a name of drawingOf. */
export function weatherIcon(drawing, properties = {}) {
  const [, name, time] = /^(.*?)(?:-(day|night))?$/.exec(drawing);
  const { wide = '', thin = '', balls = '', down = 0 } = DRAWINGS[name];
  const sky = time ? (SKY[name] ?? SKY.usual)[time === 'night' ? 1 : 0] : '';
  const text = t(`weather.drawing.${name}`);
  const label = time === 'night' ? t('weather.drawing.night', { text }) : text;
  const lines = [[sky, 2], [wide, 2], [thin, 1.7], [balls, 3]].filter(([d]) => d);
  return svg('svg', { viewBox: '0 0 24 24', class: 'weather-icon', role: 'img', 'aria-label': label,
    'data-drawing': drawing, ...properties }, svg('g', { transform: `translate(0 ${down})` },
    ...lines.map(([d, width]) => svg('path', { d, 'stroke-width': width }))));
}

// Instruments

/** Degrees Celsius from which on a thermometer is higher: the bands of RunFree, from very cold to very hot. */
const BANDS = [5, 10, 26, 32, 38];

/** A thermometer that is as high as it is warm. What it means stands beside it. */
export function thermometer(celsius) {
  const band = BANDS.filter((least) => celsius >= least).length;
  return svg('svg', { viewBox: '0 0 24 24', class: 'weather-icon', 'aria-hidden': 'true', 'data-band': band },
    svg('path', { d: 'M9.5 13.6V4.5a2.5 2.5 0 1 1 5 0v9.1a5 5 0 1 1-5 0z', 'stroke-width': 1.8 }),
    svg('path', { d: `M12 18V${15.5 - 2.1 * band}`, 'stroke-width': 2.2 }),
    svg('path', { d: 'M12 18h.01', 'stroke-width': 5.5 }));
}

/** An arrow that points where the wind blows to. */
export function windArrow(from) {
  return svg('svg', { viewBox: '-10 -10 20 20', class: 'wind-arrow', 'aria-hidden': 'true' },
    svg('path', { d: 'M0 -9L6 8L0 4L-6 8Z', transform: `rotate(${(from + 180) % 360})` }));
}

/** Half a sun and an arrow, of sunrise or sunset. What it means stands beside it. */
export function sunIcon(name) {
  const arrow = name === 'rise' ? 'M12 8.5V2M9 4.8 12 2l3 2.8' : 'M12 1.5V8M9 5.2 12 8l3-2.8';
  const half = 'M2 18h20M6.5 18a5.5 5.5 0 1 1 11 0M4.6 10.6l1.2 1.2M19.4 10.6l-1.2 1.2M7 22h10';
  return svg('svg', { viewBox: '0 0 24 24', class: 'weather-icon', 'aria-hidden': 'true' },
    svg('path', { d: half + arrow, 'stroke-width': 2 }));
}
