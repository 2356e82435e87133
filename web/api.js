// The HTTP interface of paced-web: requests, JSON-RPC, and the stream of lines.

import { endVisit, keep, kept } from './store.js';

const TOKEN = 'paced.token';

/** A failed request. `code` is a token of the interface, 'offline', or the number of an error of JSON-RPC. */
export class ApiError extends Error {
  constructor(code, message, { status = 0, data = null } = {}) {
    super(message);
    this.name = 'ApiError';
    this.code = code;
    this.status = status;
    this.data = data;
  }
}

export const token = {
  get: () => kept(TOKEN),
  set: (value) => keep(TOKEN, value),
  clear: () => {
    keep(TOKEN, null);
    endVisit();
  },
};

let whenUnauthorized = () => {};

/** Names the function to call when the server refuses the token. */
export function onUnauthorized(call) {
  whenUnauthorized = call;
}

let whenAnswered = () => {};

/** Names the function to call with each success: the time of a kept answer (see app.js), null for one of now. */
export function onAnswer(call) {
  whenAnswered = call;
}

/**
 * A request to a path below /api with the token. Resolves to the Response of a success, throws ApiError else.
 * `body`: an object is sent as JSON; a string or a Blob as it is.
 */
export async function request(path, { method = 'GET', body, signal, query, cache = 'no-store' } = {}) {
  const headers = {};
  const held = token.get();
  if (held) headers.Authorization = `Bearer ${held}`;
  const isObject = body !== undefined && typeof body !== 'string' && !(body instanceof Blob);
  if (isObject) headers['Content-Type'] = 'application/json';
  const sent = isObject ? JSON.stringify(body) : body;
  let response;
  try {
    response = await fetch(path + queryText(query), { method, headers, body: sent, signal, cache });
  } catch (error) {
    if (error.name === 'AbortError') throw error;
    throw new ApiError('offline', error.message);
  }
  if (response.ok) {
    const stored = response.headers.get('Paced-Stored');
    whenAnswered(stored === null ? null : Number(stored));
    return response;
  }
  const failure = await failureOf(response);
  if (failure.code === 'unauthorized' && held && held === token.get()) whenUnauthorized(failure);
  throw failure;
}

function queryText(query) {
  const set = Object.entries(query ?? {}).filter(([, value]) => value !== undefined && value !== null && value !== '');
  return set.length === 0 ? '' : `?${new URLSearchParams(set)}`;
}

async function failureOf(response) {
  try {
    const { error } = await response.json();
    return new ApiError(error.code, error.message, { status: response.status, data: error });
  } catch {
    return new ApiError(response.status === 401 ? 'unauthorized' : 'failed', `${response.status}`,
      { status: response.status });
  }
}

/** The JSON of a GET. */
export async function getJSON(path, query, signal) {
  return (await request(path, { query, signal })).json();
}

/** The objects of a GET whose result is NDJSON. */
export async function getLines(path, query, signal) {
  const text = await (await request(path, { query, signal })).text();
  return text.split('\n').filter((line) => line.trim() !== '').map((line) => JSON.parse(line));
}

/** The file of a GET: { blob, name }. */
export async function getFile(path, query) {
  const response = await request(path, { query });
  const name = /filename="([^"]+)"/.exec(response.headers.get('Content-Disposition') ?? '')?.[1];
  return { blob: await response.blob(), name: name ?? 'paced' };
}

let lastId = 0;

/** A method of control.sock or net.sock. Resolves to its result, throws ApiError with the daemon's sentence. */
export async function rpc(method, params = {}, signal) {
  lastId += 1;
  const body = { jsonrpc: '2.0', id: lastId, method, params };
  const response = await request('/api', { method: 'POST', body, signal });
  const { result, error } = await response.json();
  if (error) throw new ApiError(error.code, error.data?.message ?? error.message, { data: error.data ?? null });
  return result;
}

const FIRST_DELAY = 500;
const LAST_DELAY = 5000;
/** STATE comes each second: a stream that is silent for this long is dead. */
const SILENCE = 10_000;
const LONGEST_LINE = 1_000_000;

/**
 * The lines of state.sock, over reconnections, until close().
 *
 * `watch`: the members of the WATCH line without class and since. `onLine(line, isReplayed)`: each line; an EVENT comes
 * once, also over reconnections; isReplayed says that it happened before the connection. `onState({ state, error })`:
 * state is 'connecting', 'open' (the first line has come), 'lost' or 'refused' (no further attempt).
 *
 * `since`: the seq after which events are replayed at the first connection; undefined for none.
 */
export function stream(watch, onLine, onState = () => {}, { since } = {}) {
  return new Stream(watch, onLine, onState, since);
}

class Stream {
  constructor(watch, onLine, onState, since) {
    Object.assign(this, { watch, onLine, onState });
    this.lastEvent = since;
    this.replayedTo = 0;
    this.lastLineAt = null;
    this.delay = FIRST_DELAY;
    this.isClosed = false;
    this.wake = () => {};
    this.online = () => this.wake();
    addEventListener('online', this.online);
    this.run();
  }

  /** Milliseconds since the last line; null before the first one. */
  age() {
    return this.lastLineAt === null ? null : performance.now() - this.lastLineAt;
  }

  /** Uses other members of WATCH, over a new connection. */
  rewatch(watch) {
    this.watch = watch;
    this.isRewatching = true;
    this.abort?.abort();
    this.wake();
  }

  close() {
    this.isClosed = true;
    removeEventListener('online', this.online);
    this.abort?.abort();
    this.wake();
  }

  async run() {
    while (!this.isClosed) {
      let failure = null;
      try {
        this.onState({ state: 'connecting', error: null });
        this.isRewatching = false;
        await this.connect();
      } catch (error) {
        failure = error.name === 'AbortError' ? null : error;
      }
      if (this.isClosed) return;
      if (['unauthorized', 'plain-http'].includes(failure?.code)) {
        this.onState({ state: 'refused', error: failure });
        return;
      }
      if (this.isRewatching) {
        this.isRewatching = false;
        continue;
      }
      this.onState({ state: 'lost', error: failure });
      await this.pause(this.delay);
      this.delay = Math.min(this.delay * 2, LAST_DELAY);
    }
  }

  pause(milliseconds) {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, milliseconds);
      this.wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  async connect() {
    this.abort = new AbortController();
    const guard = setInterval(() => {
      if (performance.now() - this.alive > SILENCE) this.abort.abort();
    }, 1000);
    this.alive = performance.now();
    try {
      const line = { class: 'WATCH', ...this.watch };
      if (this.lastEvent !== undefined) line.since = this.lastEvent;
      const response = await request('/api/stream', { method: 'POST', body: line, signal: this.abort.signal });
      await this.read(response.body.getReader());
    } finally {
      clearInterval(guard);
    }
  }

  async read(reader) {
    const decoder = new TextDecoder();
    let rest = '';
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      this.alive = performance.now();
      const lines = (rest + decoder.decode(value, { stream: true })).split('\n');
      rest = lines.pop();
      if (rest.length > LONGEST_LINE) throw new ApiError('failed', 'a line is too long');
      for (const text of lines) if (text !== '' && !this.isClosed) this.take(text);
    }
  }

  take(text) {
    let line;
    try {
      line = JSON.parse(text);
    } catch {
      return;
    }
    this.lastLineAt = performance.now();
    if (line.class === 'VERSION') this.begin(line);
    if (line.class === 'EVENT' && !this.isNew(line)) return;
    this.onLine(line, line.class === 'EVENT' && line.seq <= this.replayedTo);
  }

  begin(version) {
    this.delay = FIRST_DELAY;
    const { last } = version.events;
    // A journal of another daemon counts anew, and replays all.
    if (this.lastEvent === undefined || this.lastEvent > last) this.lastEvent = this.lastEvent === undefined ? last : 0;
    this.replayedTo = last;
    this.onState({ state: 'open', error: null });
  }

  isNew(event) {
    if (event.seq <= this.lastEvent) return false;
    this.lastEvent = event.seq;
    return true;
  }
}
