// When the page of an activity asks paced-link about uploads, for test_activity_modules.py. Standard input: what
// happens, in its order, as [what, …values]; the result is what the page asks and shows.

import { readFileSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';

const [web] = process.argv.slice(2);
const log = [];
/** What waits for its answer, and what for its time. */
const [requests, timers] = [[], new Map()];
globalThis.localStorage = { getItem: () => null };
globalThis.document = Object.assign(new EventTarget(), { visibilityState: 'visible' });
globalThis.setTimeout = (call, milliseconds) => {
  timers.set(timers.size + 1, { call, milliseconds });
  return timers.size;
};
globalThis.clearTimeout = (number) => { if (timers.has(number)) timers.get(number).call = null; };
globalThis.fetch = (path, { body }) => new Promise((resolve, reject) => {
  const { method, params } = JSON.parse(body);
  log.push(method.replace('link.', '') + (params.to ? ` ${params.to}` : ''));
  requests.push({ resolve, reject });
});
const { UploadWatch } = await import(`${web}/upload-watch.js`);

const shown = (uploads) => log.push(uploads.map(({ to, state }) => `${to}:${state}`).join(' '));
const list = (states) => Object.entries(states).map(([to, state]) => ({ to, state }));
let isWanted = true;
let watch = null;
const happens = {
  open: () => { watch = new UploadWatch('u', shown, () => isWanted); },
  press: (to) => watch.upload(to).catch(({ message }) => log.push(message)),
  answer: (states, index = 0) => {
    const [request] = requests.splice(index, 1);
    request.resolve(Response.json({ result: { uploads: list(states) } }));
  },
  refuse: (message) => requests.shift().resolve(Response.json({ error: { code: -32004, message } })),
  fail: () => requests.shift().reject(new TypeError('cut')),
  wait: () => {
    const due = [...timers.values()].filter(({ call }) => call);
    log.push(due.map(({ milliseconds }) => milliseconds));
    for (const timer of due) {
      const { call } = timer;
      timer.call = null;
      call();
    }
  },
  look: (state) => {
    document.visibilityState = state;
    document.dispatchEvent(new Event('visibilitychange'));
  },
  leave: () => { isWanted = false; },
};
for (const [what, ...values] of JSON.parse(readFileSync(0, 'utf8'))) {
  happens[what](...values);
  await setImmediate();
}
console.log(JSON.stringify(log));
