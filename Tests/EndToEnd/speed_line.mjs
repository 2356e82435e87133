// The coloured line of a route and the places of badges, for test_web_speed_line.py. Standard input: { csv, badges }.

import { readFileSync } from 'node:fs';

const [web] = process.argv.slice(2);
const line = await import(`${web}/speed-line.js`);

const { csv, badges } = JSON.parse(readFileSync(0, 'utf8'));
const seconds = line.secondsOf(csv);
const lines = line.linesOfSeconds(seconds);
const { scale, stretches } = lines.length > 0 ? line.speedStretches(lines) : { scale: null, stretches: [] };
const speeds = { slow: 2, median: 3, fast: 4 };
console.log(JSON.stringify({
  lines: lines.map((one) => one.length), scale, stretches,
  places: line.badgePlaces(badges, seconds).map(({ badge, second }) => [badge, second.metres, second.latitude]),
  colours: [1, 2, 2.25, 2.5, 3, 3.5, 4, 9].map((speed) => line.speedColour(line.colourNumber(speed, speeds))),
  equal: line.colourNumber(3, { slow: 3, median: 3, fast: 3 }),
}));
