// The power curve: the best powers of all time and of this year over a logarithmic axis of time.

import { curveOf, shareOf } from './best-rows.js';
import { element, svg } from './dom.js';
import { seconds } from './format.js';
import { number, t } from './i18n.js';
import { axisTop } from './periods.js';

/** A value this near to the one before, in percent of the width, has no room for its figures. */
const LEAST_PERCENT = 12;

/** The chart of a sport's rows; null where there is no curve. */
export function powerCurve(rows, year) {
  const lines = [['all', curveOf(rows.map((row) => row.all))], ['year', curveOf(rows.map((row) => row.year))]];
  const [[, all]] = lines;
  if (all.length < 2) return null;
  const top = axisTop(Math.max(...all.map(({ watts }) => watts)));
  const x = (point) => shareOf(point.seconds) * 100;
  const y = ({ watts }) => 100 - watts / top * 100;
  const drawing = svg('svg', { viewBox: '0 0 100 100', preserveAspectRatio: 'none', 'aria-hidden': 'true' },
    ...lines.map(([kind, points]) => svg('path', { class: kind, d: points.map((point, index) =>
      `${index === 0 ? 'M' : 'L'}${x(point).toFixed(2)} ${y(point).toFixed(2)}`).join('') })));
  const dots = lines.flatMap(([kind, points]) => points.map((point) =>
    at(element('i', { class: kind }), x(point), y(point))));
  const values = all.filter((point, index) => index === 0 || x(point) - x(all[index - 1]) > LEAST_PERCENT)
    .map((point) => at(element('b', {}, number(point.watts)), x(point), y(point)));
  const times = all.map((point) => at(element('span', {}, timeText(point, all.at(-1))), x(point), 100));
  return element('div', {}, element('div', { class: 'curve', role: 'img', 'aria-label': t('badges.curve', { year }) },
    drawing, dots, values, times), element('ul', { class: 'sports curve-names' }, lines.map(([kind, points]) =>
    points.length > 0 && element('li', {}, element('i', { class: kind }),
      element('span', {}, kind === 'all' ? t('badges.all_time') : String(year))))));
}

/** Seconds, or minutes; only the last of these has its unit. */
const timeText = (point, last) => (point.seconds < 60 ? seconds(point.seconds)
  : `${point.seconds / 60}${point === last ? ' min' : ''}`);

function at(node, x, y) {
  node.style.left = `${x}%`;
  node.style.top = `${y}%`;
  return node;
}
