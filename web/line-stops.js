// The stops of lines.

import { rpc } from './api.js';
import { Latest, metresBetween } from './outside.js';

/** The error of a line whose way nobody knows. */
const NOT_FOUND = -32003;

/** The nearest of some stops with its `metres`; null for none. */
export function closestStop(stops, here) {
  const near = stops.map((stop) => ({ stop, metres: metresBetween(here, stop) }));
  return near.reduce((best, one) => (best && best.metres <= one.metres ? best : one), null);
}

/** The stops of the lines that are shown; each line is asked for once. */
export class LineStops {
  #requests = new Latest();
  /** The stops by the ID of their line. */
  #known = new Map();

  /** Resolves to the stops of some lines, each once, or to undefined if a newer request came. */
  load(ids) {
    return this.#requests.run(async (signal) => {
      for (const id of ids) {
        if (!this.#known.has(id)) await this.#ask(id, signal);
      }
      const stops = ids.flatMap((id) => this.#known.get(id) ?? []);
      return [...new Map(stops.map((one) => [one.stop, one])).values()];
    });
  }

  async #ask(line, signal) {
    try {
      const { stops = [] } = await rpc('transit.path', { line }, signal);
      this.#known.set(line, stops.map(({ id, name, ...place }) => ({ stop: id, name: name || id, ...place })));
    } catch (error) {
      if (error.code !== NOT_FOUND) throw error;
    }
  }
}
