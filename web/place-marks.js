// How kinds of places look, on the map and in the list: lines in a square of 16 units, drawn for this page.

import { svg } from './dom.js';

const MARKS = {
  water: 'M8 1.8S3.5 6.8 3.5 9.8a4.5 4.5 0 0 0 9 0C12.5 6.8 8 1.8 8 1.8z',
  toilets: 'M4.3 3v.01M2.8 6h3v4l-.6 4H3.4l-.6-4zM11.6 3v.01M11.6 6 9.4 11h1.2l.3 3h1.4l.3-3h1.2z',
  shelter: 'M1.5 8.5 8 3l6.5 5.5M4 6.6v7M12 6.6v7',
  food: 'M5 2v12M3 2v3.5a2 2 0 0 0 4 0V2M11 14V2c2 .8 2.5 3.8 2.5 6.5H11',
  'bicycle-shop':
    'M3.8 13.6a2.6 2.6 0 1 1 .01 0zM12.2 13.6a2.6 2.6 0 1 1 .01 0zM3.8 11 6.2 6h4.6l1.4 5M6.2 6l2.6 5 2-5M10.4 3.8h2',
  'repair-station': 'M2.5 13.5 8.8 7.2a3.4 3.4 0 0 1 4-4.6l-2 2 .5 1.6 1.6.5 2-2a3.4 3.4 0 0 1-4.6 4L4 15z',
  pump: 'M4.5 2.5h7M8 2.5V5M6 5h4v7H6zM3.5 14h9M10 11h3V8',
  pharmacy: 'M6 2h4v4h4v4h-4v4H6v-4H2V6h4z',
  hospital: 'M4.5 2.5v11M11.5 2.5v11M4.5 8h7',
  aed: 'M8 14 2.7 8.5A3.1 3.1 0 0 1 8 5a3.1 3.1 0 0 1 5.3 3.5zM8.8 6.2 7.2 8.6h1.9L7.7 11',
  station: 'M4 2.5h8v8.5H4zM4 6.8h8M5.8 11 4.5 14M10.2 11l1.3 3',
  viewpoint: 'M1.5 8S4 3.6 8 3.6 14.5 8 14.5 8 12 12.4 8 12.4 1.5 8 1.5 8zM8 9.6a1.6 1.6 0 1 1 .01 0z',
  park: 'M8 10.4a4.2 4.2 0 1 1 .01 0zM8 6.5v8M5.5 14.5h5',
  garden:
    'M8 14.5V8M8 8C5.2 8 4 6 4 2.8c2 .2 4 2 4 5.2 0-3.2 2-5 4-5.2C12 6 10.8 8 8 8z'
    + 'M8 13.5c-2 0-3.4-1-4-2.8M8 13.5c2 0 3.4-1 4-2.8',
  playground: 'M1.8 14 4.8 2h6.4l3 12M6.6 2v7.5M9.4 2v7.5M5.8 9.5h4.4',
  bench: 'M2 4.5h12M2 9h12M4 4.5v9M12 4.5v9',
  place: 'M1.8 14V7.2l3.1-3 3.1 3V14zM8 14V9.6l3.1-2.6 3.1 2.6V14z',
  street: 'M3 14 5.5 2M13 14 10.5 2M8 13.5v-2M8 9V7M8 4.5v-2',
  address: 'M8 14.6S3.5 10 3.5 6.3a4.5 4.5 0 0 1 9 0C12.5 10 8 14.6 8 14.6zM8 7.8a1.5 1.5 0 1 1 .01 0z',
};
const OTHER = 'M8 10a2 2 0 1 1 .01 0z';

/** The mark of a kind, as the path of an SVG. */
export const markOf = (kind) => MARKS[kind] ?? OTHER;

/** The mark of a kind as an element, beside a text that names it. */
export function placeMark(kind) {
  return svg('svg', { class: 'place-mark', viewBox: '0 0 16 16', 'aria-hidden': 'true', 'data-kind': kind },
    svg('path', { d: markOf(kind) }));
}
