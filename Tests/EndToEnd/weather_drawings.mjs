// Drawings of the weather, and heights of the sun, for test_web_drawings.py. Standard input: { weather, sun }.

import { readFileSync } from 'node:fs';

const [web] = process.argv.slice(2);
const { drawingOf, drawings } = await import(`${web}/weather-icons.js`);
const { isNightAt, sunHeight } = await import(`${web}/sun.js`);

const { weather, sun } = JSON.parse(readFileSync(0, 'utf8'));
console.log(JSON.stringify({
  drawings, drawn: weather.map(([conditions, isNight]) => drawingOf(conditions, isNight)),
  heights: sun.map(([time, latitude, longitude]) => sunHeight({ latitude, longitude }, time * 1000)),
  nights: [isNightAt({ latitude: 52, longitude: 0 }, Date.UTC(2026, 5, 1, 0)),
    isNightAt({ latitude: 52, longitude: 0 }, Date.UTC(2026, 5, 1, 12)), isNightAt(null, 0),
    isNightAt({ latitude: 52, longitude: 0 }, null)],
}));
