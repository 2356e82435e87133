// Drawings of the weather, heights of the sun, and hours of a forecast, for test_web_drawings.py.
// Standard input: { weather, sun, hours }.

import { readFileSync } from 'node:fs';

const [web] = process.argv.slice(2);
const { drawingOf, drawings } = await import(`${web}/weather-icons.js`);
const { isNightAt, sunHeight } = await import(`${web}/sun.js`);
const { hoursOf, perhapsOf } = await import(`${web}/hours.js`);

const { weather, sun, hours } = JSON.parse(readFileSync(0, 'utf8'));
console.log(JSON.stringify({
  drawings, drawn: weather.map(([conditions, isNight]) => drawingOf(conditions, isNight)),
  heights: sun.map(([time, latitude, longitude]) => sunHeight({ latitude, longitude }, time * 1000)),
  hours: hoursOf(hours.periods, Date.parse(hours.now), hours.sun).map((row) => ({ ...row,
    chance: row.sun ? undefined : perhapsOf(row)?.probability_percent, at: new Date(row.time).toISOString().slice(11, 16) })),
  over: hoursOf(hours.periods, Date.parse(hours.after), hours.sun),
  nights: [isNightAt({ latitude: 52, longitude: 0 }, Date.UTC(2026, 5, 1, 0)),
    isNightAt({ latitude: 52, longitude: 0 }, Date.UTC(2026, 5, 1, 12)), isNightAt(null, 0),
    isNightAt({ latitude: 52, longitude: 0 }, null)],
}));
