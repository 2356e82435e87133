// Tracks, stretches, charts and comparisons, for test_activity_modules.py. Standard input: { csv, … }.

import { readFileSync } from 'node:fs';

const [web] = process.argv.slice(2);
const [{ lossesOf, timeAt, trackOf }, stretch, scale, compare, { declare }] = await Promise.all(
  ['track', 'stretch', 'chart-scale', 'compare', 'own-fields'].map((name) => import(`${web}/${name}.js`)));

const { csv, other, whole, fields = [], length = 1000, bests = [], activities = [], own = {}, near = [] } =
  JSON.parse(readFileSync(0, 'utf8'));
declare(fields);
const track = trackOf(csv, whole, fields.map(({ name }) => name));
const last = track.count - 1;
const charts = scale.chartsOf(track);
const range = (chart) => scale.rangeOf(chart, [{ track, from: 0, to: last }]);
const means = (values, count) => scale.meansOf(track, track.elapsed, values,
  { from: 0, to: last, low: 0, high: track.elapsed[last], count });
const b = trackOf(other ?? csv);
const text = JSON.stringify({
  whole: stretch.figuresOf(track, 0, last), splits: stretch.splitsOf(track, length),
  laps: [...stretch.lapRows(track)].map(([number, { from, to }]) => [number, stretch.figuresOf(track, from, to)]),
  losses: lossesOf(track).map(({ key, seconds, parts }) => [key, seconds, parts.length]),
  bests: bests.map((best) => stretch.bestRows(track, best)).map((rows) => rows && stretch.figuresOf(track, rows.from, rows.to)),
  charts: charts.map((chart) => [chart.key, ...range(chart)]), means: means(track.heart, 100),
  speeds: [...track.speed.slice(0, 20)], at: [0, 5, 1e9].map((metres) => timeAt(track, metres)),
  ticks: [scale.ticksOf(0, 9008, 5, { unit: 1000 }), scale.ticksOf(0, 2832, 5, { isTime: true }),
    scale.ticksOf(3218.688, 16_093.44, 4, { unit: 1609.344 }), scale.ticksOf(0, 0, 5)],
  ahead: [...compare.aheadOf(track, b)], common: compare.commonMetres(track, b),
  order: compare.comparable(activities, own, new Set(near)).map(({ id }) => id),
  compared: compare.comparedFigures({ distance_m: 5, average_bpm: 120 }, { distance_m: 7 }),
});
console.log(text);
