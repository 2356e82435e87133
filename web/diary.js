// Activities that are read once, from a day on; older ones when they are asked for.

import { dayName } from './periods.js';

const LARGEST_PAGE = 1000;

export class Diary {
  /** `read(query)`: resolves to the activities of a query, newest first. */
  constructor(read) {
    this.read = read;
    this.all = [];
    this.since = null;
    this.last = Promise.resolve();
  }

  /** Has the activities from a day on in `all`, without demos. `isNew`: reads them anew. One reading follows the other. */
  reach(day, isNew = false) {
    const done = this.last.then(() => this.extend(day, isNew));
    this.last = done.catch(() => {});
    return done;
  }

  async extend(day, isNew) {
    const known = isNew ? [] : this.all;
    const since = isNew ? null : this.since;
    if (since !== null && day >= since) return;
    const until = since === null ? undefined : dayName(new Date(`${since}T00:00:00`).getTime() - 1);
    const found = [];
    let page;
    do {
      page = await this.read({ limit: LARGEST_PAGE, since: day, until, before: page?.at(-1).id });
      // As in the totals of the board, a demo counts nowhere.
      found.push(...page.filter(({ demo }) => !demo));
    } while (page.length === LARGEST_PAGE);
    Object.assign(this, { all: [...known, ...found], since: day });
  }
}
