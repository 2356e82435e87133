// Changes of settings, one after the other: the daemon gets them in the order in which the user made them.

import { rpc } from './api.js';

let last = Promise.resolve();

/** Sets a setting after all earlier changes; null brings its default back. Resolves to the value in force. */
export function setSetting(key, value) {
  return inOrder(() => rpc('settings.set', { key, value }));
}

/** Does some work after all earlier work. */
export function inOrder(work) {
  const done = last.then(work);
  last = done.catch(() => {});
  return done;
}

/** Whether two values of settings are the same. */
export const isSame = (one, other) => JSON.stringify(one ?? null) === JSON.stringify(other ?? null);
