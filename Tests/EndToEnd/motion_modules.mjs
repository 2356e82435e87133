// What the strip of the course, the page of a climb and the gauge of a workout decide, for test_web_motion.py: the
// directory of the page is the argument, the input is JSON of test_web_motion.py, the result is JSON.

import { readFileSync } from 'node:fs';

const [web] = process.argv.slice(2);
const { strips, climbing, profile, gauges, rests } = JSON.parse(readFileSync(0, 'utf8'));
globalThis.document = { documentElement: {}, createElementNS: () => ({}) };
Object.defineProperty(globalThis, 'navigator', { value: { language: 'en-GB', languages: ['en-GB'] } });
const { loadTexts } = await import(`${web}/i18n.js`);
await loadTexts();
const { stripOf } = await import(`${web}/course.js`);
const { CourseLine } = await import(`${web}/course-line.js`);
const { ClimbProgress, altitudeAt, gradeBand, partsOf } = await import(`${web}/climb-figures.js`);
const { gaugeOf, leftOf } = await import(`${web}/workout-figures.js`);
const { readStep, stepTextWords } = await import(`${web}/targets.js`);

const geometry = { type: 'LineString', coordinates: [[8, 50], [8, 50.01], [8.01, 50.01]] };
const line = new CourseLine({ features: [{ geometry }] }, 1829);
const round = (value) => (typeof value === 'number' ? Math.round(value * 100) / 100 : value);
const mapped = (values, by) => Object.fromEntries(Object.entries(values).map(([name, value]) => [name, by(value)]));
const rounded = (values) => values && mapped(values, round);

const progress = new ClimbProgress();
console.log(JSON.stringify({
  strips: mapped(strips, (state) => stripOf(state.blocks.course, state, line)),
  away: [[50.005, 8], [50.005, 8.001], [49.99, 8], [50.0101, 8.005]].map(([latitude, longitude]) =>
    Math.round(line.away({ latitude, longitude }))),
  climbing: climbing.map((state) => {
    const { inside, top } = progress.take(state) ?? {};
    return { inside: rounded(inside), top: rounded(top) };
  }),
  parts: profile.climbs.map((climb) => partsOf(profile, climb).map(rounded)),
  altitudes: [-5, 0, 995, 1005, 5000, 6000].map((metres) => round(altitudeAt(profile, metres))),
  holes: partsOf({ distance_m: [0, 500, 1000], altitude_m: [0, null, 50] }, profile.climbs[0]),
  bands: [-3, 0, 2.9, 3, 8, 9, 12, 30].map(gradeBand),
  gauges: gauges.map(([text, state]) => rounded(gaugeOf(readStep(`lap ${text}`).target, state))),
  rests: rests.map(([workout, speed]) => leftOf(workout, speed)),
  words: ['0.2 km speed 25..30 km/h # Steady', 'swim 4 lengths # Later', 'swim 4 lengths'].map(stepTextWords),
}));
