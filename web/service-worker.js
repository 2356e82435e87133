// The worker of the page as an app: its files, and the last answers, for when paced-web does not answer.
// docs/web.md, "As an app", has the rules.

const FILES = 'paced-files-';
const ANSWERS = 'paced-answers-';
/** The files that no other file names; all others are found in these. */
const ROOTS = ['/', '/texts/en.js', '/texts/de.js'];
const NAMED = /["'`](\.?\/[\w./-]+\.(?:js|css|html|svg|png|webmanifest))["'`#?]/g;
/** Milliseconds that a page and its sign-in wait for the network. */
const PATIENCE = 3000;
/** So many activities and so many courses are kept, those that were opened last, and so many answers in all. */
const [OPENED, ALL] = [5, 60];
/** An answer is of no use for longer: a token that is unused for so long has expired. */
const LONGEST = 90 * 24 * 3600 * 1000;

/** The last request for data had no answer in time. */
let isAway = false;
/** The kept files are not those of the server. */
let isOld = false;
let isForgotten = false;
let refreshing = null;
/** By client: the cache that its page came from, null for the network. */
const sources = new Map();

addEventListener('install', (event) => {
  skipWaiting();
  event.waitUntil(refresh());
});

addEventListener('activate', (event) => event.waitUntil(clients.claim()));

addEventListener('fetch', (event) => {
  const { request } = event;
  const { origin, pathname, searchParams: query } = new URL(request.url);
  if (origin !== location.origin) return;
  const isRead = request.method === 'GET';
  if (pathname === '/api/token' && request.method === 'DELETE') event.respondWith(signOut(request));
  else if (pathname === '/api' && request.method === 'POST') event.respondWith(call(event));
  else if (pathname.startsWith('/api/')) {
    if (isRead && isKept(pathname, query)) event.respondWith(answer(event, pathname + new URL(request.url).search));
  } else if (isRead && pathname !== '/metrics') {
    const path = pathname === '/index.html' ? '/' : pathname;
    event.respondWith(event.resultingClientId ? page(event, path) : part(event, path));
  }
});

// Changes of the caches come one after another, so that nothing is kept after all is forgotten.

let changes = Promise.resolve();

function change(work) {
  const done = changes.then(() => (isForgotten ? undefined : work()));
  changes = done.catch(() => {});
  return done;
}

/** Deletes all that is kept, and the worker with it: the next page that is signed in brings a new one. */
function forget() {
  isForgotten = true;
  changes = changes.then(async () => {
    for (const name of await caches.keys()) await caches.delete(name);
    await registration.unregister();
  });
  return changes;
}

async function signOut(request) {
  try {
    return await fetch(request);
  } finally {
    await forget();
  }
}

// Files. A page and its parts come from one source: the network, or one set of files that is complete.

async function page(event, path) {
  const { request, resultingClientId: client, clientId: parent } = event;
  // A worker of a page is a part of it; another page is not.
  const known = request.mode === 'navigate' ? null : await sourceOf(parent);
  try {
    if (known) throw new TypeError('the page is a kept one');
    const response = await inTime(fetch(request));
    sources.set(client, null);
    event.waitUntil(compare(path, response));
    return response;
  } catch (error) {
    const name = known ?? await newest();
    const kept = name && await caches.match(path, { cacheName: name });
    if (!kept) return known ? fetch(request) : Promise.reject(error);
    sources.set(client, name);
    await change(async () => (await caches.open(name)).put(markOf(client), new Response(name)));
    return kept;
  }
}

async function part(event, path) {
  const name = await sourceOf(event.clientId);
  const kept = name && await caches.match(path, { cacheName: name });
  if (kept) return kept;
  try {
    const response = await fetch(event.request);
    event.waitUntil(compare(path, response));
    return response;
  } catch (error) {
    const same = isOld || name ? null : await newest();
    return (same && await caches.match(path, { cacheName: same })) || Promise.reject(error);
  }
}

const markOf = (client) => `/client/${client}`;

/** Browsers end an idle worker, so the caches know the source of a page too. */
async function sourceOf(client) {
  if (!client) return null;
  if (!sources.has(client)) sources.set(client, await (await caches.match(markOf(client)))?.text() ?? null);
  return sources.get(client);
}

function inTime(promise) {
  return Promise.race([promise, new Promise((resolve, reject) => {
    setTimeout(() => reject(new TypeError('no answer in time')), PATIENCE);
  })]);
}

/** The newest set of files that is complete: its first page comes last. */
async function newest() {
  const names = (await caches.keys()).filter((name) => name.startsWith(FILES));
  for (const name of names.reverse()) if (await caches.match('/', { cacheName: name })) return name;
  return null;
}

/** Takes the files anew if one that has just come is another than the kept one. */
async function compare(path, response) {
  const name = await newest();
  const kept = name && await caches.match(path, { cacheName: name });
  if (!response.ok || kept?.headers.get('ETag') === response.headers.get('ETag')) return;
  isOld = true;
  await refresh();
}

function refresh() {
  refreshing ??= takeFiles().finally(() => {
    refreshing = null;
  });
  return refreshing;
}

async function takeFiles() {
  let [files, tag, before] = [null, null, null];
  // Two equal readings: an update may come between two files.
  do {
    before = tag;
    files = await readFiles();
    tag = await digest([...files].map(([path, file]) => path + file.headers.get('ETag')).sort().join());
  } while (tag !== before);
  const name = FILES + tag;
  await change(async () => {
    const cache = await caches.open(name);
    for (const [path, file] of [...files].reverse()) await cache.put(path, file);
    const used = await Promise.all((await clients.matchAll({ type: 'all' })).map(({ id }) => sourceOf(id)));
    for (const other of await caches.keys()) {
      if (other.startsWith(FILES) && other !== name && !used.includes(other)) await caches.delete(other);
    }
    isOld = false;
  });
}

/** All files of the page: each names others. */
async function readFiles() {
  const files = new Map(ROOTS.map((path) => [path, null]));
  for (const path of files.keys()) {
    const file = await fetch(path, { cache: 'no-cache' });
    if (file.status === 404) {
      files.delete(path);
      continue;
    }
    if (!file.ok) throw new TypeError(`${path}: ${file.status}`);
    files.set(path, file);
    if (/\.(svg|png)$/.test(path)) continue;
    for (const [, name] of (await file.clone().text()).matchAll(NAMED)) {
      const found = new URL(name, new URL(path, location)).pathname;
      if (!files.has(found) && found !== location.pathname) files.set(found, null);
    }
  }
  return files;
}

async function digest(text) {
  const bytes = new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)));
  return [...bytes.slice(0, 16)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

// Answers. They are kept under their address without the token, and only for the token that they were for.

/** Whether the answer to a GET is kept: the sign-in, the newest activities and totals, an activity, a course. */
function isKept(path, query) {
  const asks = [...query.keys()].join();
  if (['/api/token', '/api/courses'].includes(path)) return asks === '';
  // The list, and what the weeks and the calendar are made of.
  if (path === '/api/activities') return asks === 'limit' || asks === 'limit,since' && query.get('limit') === '1000';
  if (path === '/api/activities/totals') return ['by', 'by,since'].includes(asks);
  const [, kind, , rest] = /^\/api\/(activities|courses)\/(\d+)(\/\w+)?$/.exec(path) ?? [];
  if (!kind) return false;
  if (rest === undefined || rest === '/report') return true;
  const format = { activities: 'csv', courses: 'geojson' }[kind];
  return rest === '/file' && asks === 'format' && query.get('format') === format;
}

/** A request of JSON-RPC: the settings are kept, and what is deleted is deleted here too. */
async function call(event) {
  const { method, params } = await event.request.clone().json().catch(() => ({}));
  if (method === 'settings.get') return answer(event, '/api/settings');
  const response = await fetch(event.request);
  const [, kind] = /^(activities|course)\.(?:trash|delete)$/.exec(method ?? '') ?? [];
  if (kind && response.ok) {
    const deleted = new RegExp(`^/api/${kind.replace(/e$/, 'es')}(/${Number(params.id)}(/|$)|\\?|$)`);
    await change(() => drop((path) => deleted.test(path)));
  }
  if (response.status === 401) await forget();
  return response;
}

async function answer(event, key) {
  const { request } = event;
  const name = ANSWERS + await digest(request.headers.get('Authorization') ?? '');
  const network = fetch(request);
  // A slow answer is waited for, unless paced-web is away.
  const isPressing = isAway || key === '/api/token';
  try {
    const response = await (isPressing ? inTime(network) : network);
    isAway = false;
    if (response.status === 401) await forget();
    else if (response.ok) event.waitUntil(keep(name, key, response.clone(), request.headers));
    else if (response.status < 500) event.waitUntil(change(() => drop((path) => path === key)));
    return response;
  } catch (error) {
    if (request.signal.aborted) throw error;
    const kept = await caches.match(key, { cacheName: name });
    if (!kept || Date.now() - Number(kept.headers.get('Paced-Stored')) > LONGEST) return network;
    isAway = true;
    return kept;
  }
}

/** Keeps an answer with its time, for its token only. */
async function keep(name, key, response, headers) {
  const body = await response.blob();
  const type = response.headers.get('Content-Type') ?? 'text/plain';
  await change(async () => {
    const cache = await caches.open(name);
    await cache.put(key, new Response(body, { headers: { 'Content-Type': type, 'Paced-Stored': String(Date.now()) } }));
    for (const other of await caches.keys()) {
      if (other.startsWith(ANSWERS) && other !== name) await caches.delete(other);
    }
    await trim(cache);
  });
  if (key === '/api/courses') await keepLoaded(name, await body.text(), headers);
}

/** Keeps the loaded course as if it was opened. */
async function keepLoaded(name, courses, headers) {
  const loaded = courses.split('\n').filter(Boolean).map((line) => JSON.parse(line)).find((one) => one.loaded);
  if (!loaded) return;
  for (const rest of ['', '/file?format=geojson']) {
    const key = `/api/courses/${loaded.id}${rest}`;
    if (await caches.match(key, { cacheName: name })) continue;
    const response = await fetch(key, { headers: { Authorization: headers.get('Authorization') } });
    if (response.ok) await keep(name, key, response, headers);
  }
}

/** Leaves out the activities and courses that were opened longest ago, then the oldest answers. */
async function trim(cache) {
  const opened = { activities: new Set(), courses: new Set() };
  for (const [index, request] of (await cache.keys()).reverse().entries()) {
    const [, kind, id] = /^\/api\/(activities|courses)\/(\d+)/.exec(new URL(request.url).pathname) ?? [];
    const isBeyond = kind && !opened[kind].has(id) && opened[kind].size === OPENED;
    if (isBeyond || index >= ALL) await cache.delete(request);
    else if (kind) opened[kind].add(id);
  }
}

async function drop(isMeant) {
  for (const name of await caches.keys()) {
    if (!name.startsWith(ANSWERS)) continue;
    const cache = await caches.open(name);
    for (const request of await cache.keys()) {
      const { pathname, search } = new URL(request.url);
      if (isMeant(pathname + search)) await cache.delete(request);
    }
  }
}
