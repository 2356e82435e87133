// The coloured line of a route and the places of badges, for test_web_speed_line.py. Standard input: { csv, badges }.

import { readFileSync } from 'node:fs';

const [web] = process.argv.slice(2);
const line = await import(`${web}/speed-line.js`);
const { linesOf, trackOf } = await import(`${web}/track.js`);
const { badgePlaces } = await import(`${web}/stretch.js`);

const { csv, badges } = JSON.parse(readFileSync(0, 'utf8'));
const track = trackOf(csv);
const lines = linesOf(track);
const none = { scale: null, stretches: [] };
const { scale, stretches } = lines.length > 0 ? line.colouredStretches(track, lines) : none;
const hearts = lines.length > 0 ? line.colouredStretches(track, lines, 'heart') : none;
const speeds = { slow: 2, median: 3, fast: 4 };
console.log(JSON.stringify({
  lines: lines.map((one) => one.length), scale, stretches, hearts: hearts.scale,
  places: badgePlaces(badges, track).map(({ badge, row }) => [badge, track.metres[row], track.latitude[row]]),
  colours: [1, 2, 2.25, 2.5, 3, 3.5, 4, 9].map((speed) => line.speedColour(line.colourNumber(speed, speeds))),
  equal: line.colourNumber(3, { slow: 3, median: 3, fast: 3 }),
}));
