// A route as the data of an upload of kind course (docs/protocol.md), as a GPX file that any program reads, and stored.

import { getLines, request, rpc } from './api.js';
import { metresBetween } from './outside.js';

/** Bytes of the data of a route, as pacectl has it. */
const LIMIT = 16 << 20;
const GPX = 'http://www.topografix.com/GPX/1/1';

/**
 * The pieces of a route of route.find, as { sport, vertices, distances, points }: `distances` are those of the vertices
 * from the start, and points have their `distance`.
 */
export async function fetchRoute(search, route, signal) {
  const bytes = [];
  let size = Infinity;
  let offset = 0;
  while (offset < size) {
    const piece = await rpc('route.course', { search, route, offset }, signal);
    const data = Uint8Array.from(atob(piece.data), (character) => character.charCodeAt(0));
    size = piece.bytes;
    if (data.length === 0 || size > LIMIT) throw new Error('a piece of the route is missing');
    bytes.push(data);
    offset += data.length;
  }
  return readCourse(await new Blob(bytes).text());
}

/** Reads the lines of a course. */
export function readCourse(text) {
  const rows = text.split('\n').filter(Boolean).map((line) => JSON.parse(line));
  const vertices = rows.filter(({ row }) => row === 'vertex');
  const distances = [0];
  for (let index = 1; index < vertices.length; index += 1) {
    distances.push(distances[index - 1] + metresBetween(vertices[index - 1], vertices[index]));
  }
  const points = rows.filter(({ row }) => row === 'course-point')
    .map((point) => ({ ...point, distance: distances[point.vertex] }));
  return { sport: rows[0]?.sport, vertices, distances, points };
}

/**
 * Stores a route as a course, and loads it if `load` says so. Returns { id, isOld }: the number of the course, if it is
 * new or loaded, and whether the list had it before.
 */
export async function storeCourse(route, name, { load = false } = {}) {
  const list = () => getLines('/api/courses');
  const before = new Set((await list()).map(({ id }) => id));
  const body = new Blob([gpxOf(route, name)], { type: 'application/gpx+xml' });
  await request('/api/courses', { method: 'POST', body, query: { file: 'route.gpx', ...(load ? { load: 1 } : {}) } });
  const isNew = ({ id }) => !before.has(id);
  const id = (await list()).find((course) => (load ? course.loaded : isNew(course)))?.id;
  return { id, isOld: id === undefined || before.has(id) };
}

/** The text of a GPX file with the track and its points. */
export function gpxOf({ sport, vertices, points }, name) {
  const page = document.implementation.createDocument(GPX, 'gpx');
  const add = (parent, tag, text) => {
    const made = page.createElementNS(GPX, tag);
    if (text !== undefined) made.textContent = text;
    parent.append(made);
    return made;
  };
  const place = (parent, tag, { latitude, longitude, altitude_m: altitude }) => {
    const made = add(parent, tag);
    made.setAttribute('lat', latitude.toFixed(7));
    made.setAttribute('lon', longitude.toFixed(7));
    if (altitude !== undefined) add(made, 'ele', altitude.toFixed(2));
    return made;
  };
  page.documentElement.setAttribute('version', '1.1');
  page.documentElement.setAttribute('creator', 'paced');
  for (const point of points) {
    const made = place(page.documentElement, 'wpt', vertices[point.vertex]);
    if (point.name) add(made, 'name', point.name);
    add(made, 'sym', point.type);
    add(made, 'type', point.type);
  }
  const track = add(page.documentElement, 'trk');
  add(track, 'name', name);
  if (sport) add(track, 'type', sport);
  const segment = add(track, 'trkseg');
  for (const vertex of vertices) place(segment, 'trkpt', vertex);
  return `<?xml version="1.0" encoding="UTF-8"?>\n${new XMLSerializer().serializeToString(page)}`;
}
