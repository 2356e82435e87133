// The common start of every page: sign-in, navigation, language and theme, the line about the connection.

import { ApiError, getJSON, onAnswer, onUnauthorized, request, rpc, stream, token } from './api.js';
import { forgetApp, installRow, keepApp } from './app.js';
import { element, setText, show } from './dom.js';
import { age } from './format.js';
import {
  clock, currentLanguage, date, errorText, keepLanguage, languages, loadTexts, t, useSettings,
} from './i18n.js';
import { choices, chooseTheme, chosenTheme } from './theme.js';

/** The pages in the order of the navigation; `needs` as in start(). */
const pages = [
  ['live', '/', 'live'], ['activities', '/activities.html', 'history'], ['badges', '/badges.html', 'history'],
  ['courses', '/courses.html', 'history'], ['routes', '/routes.html', 'control'],
  ['weather', '/weather.html', 'history'], ['places', '/places.html', 'history'], ['buses', '/buses.html', 'history'],
  ['settings', '/settings.html', 'control'], ['screens', '/screens.html', 'control'],
];

/** Milliseconds between the questions of a page that shows kept answers. */
const RETRY = 2000;

export const isKiosk = new URLSearchParams(location.search).has('kiosk');

/**
 * Starts a page. Resolves once the user is signed in and the page may be shown; else it says why, and never resolves.
 *
 * `needs`: 'live', 'history' (not by plain HTTP that is for the live page only) or 'control'. The body has a <main>.
 * `name`: the page's name in the navigation.
 * `offline`: the page has a use without paced-web, with the answers that the browser has kept; else it waits.
 */
export async function start({ needs = 'live', name, offline = false } = {}) {
  await loadTexts();
  if (isKiosk && (await import('./kiosk.js')).frame()) return new Promise(() => {});
  const session = new Session(name, offline);
  session.build();
  onAnswer((stored) => session.takeAge(stored));
  session.rights = await signedIn(session);
  session.showRights();
  onUnauthorized(leave);
  const obstacle = obstacleOf(session, needs);
  if (obstacle) return session.refuse(obstacle);
  await session.loadSettings();
  session.show();
  keepApp();
  return session;
}

function obstacleOf(session, needs) {
  if (needs !== 'live' && session.liveOnly) return t('rights.live_only');
  return needs === 'control' ? session.whyNoRight() : null;
}

/** Ends the sign-in of this browser, with all that it has kept. */
async function leave() {
  token.clear();
  await forgetApp();
  location.reload();
}

// Signing in

async function signedIn(session) {
  const code = takeCode();
  let problem = code ? await (await import('./sign.js')).exchange(code) : null;
  for (;;) {
    if (problem?.code === 'plain-http') return session.refuse(problem.message);
    if (!token.get()) {
      forgetApp();
      problem = await (await import('./sign.js')).askForCode(session, problem);
    } else {
      try {
        const rights = await getJSON('/api/token');
        if (session.storedAt === null || session.worksOffline) return rights;
        await session.waitForServer(new ApiError('offline'));
      } catch (error) {
        problem = error;
        if (error.code === 'unauthorized') token.clear();
        else if (error.code !== 'plain-http') await session.waitForServer(error);
      }
    }
  }
}

/** The code in the fragment of the address, which is removed. */
export function takeCode() {
  const code = new URLSearchParams(location.hash.slice(1)).get('code');
  if (code) history.replaceState(null, '', location.pathname + location.search);
  return code;
}

class Session {
  constructor(name, worksOffline) {
    Object.assign(this, { name, worksOffline });
    /** When what is shown was loaded, if paced-web does not answer now; else null. */
    this.storedAt = null;
    this.settings = {};
    this.main = document.querySelector('main');
    this.main.id = 'main';
    this.main.hidden = true;
  }

  // Rights

  /** 'watch' or 'control'. */
  get scope() {
    return this.rights.scope;
  }

  /** Whether this page may command: the token's scope, and paced-web's own right. */
  get canCommand() {
    return this.whyNoCommand() === null;
  }

  get liveOnly() {
    return Boolean(this.rights.live_only);
  }

  get release() {
    return this.rights.release;
  }

  /** Why this page cannot command, as a sentence; null if it can. */
  whyNoCommand() {
    return this.storedAt === null ? this.whyNoRight() : t('offline.no_command');
  }

  whyNoRight() {
    if (this.scope !== 'control') return t('rights.watch');
    return this.rights.can_command ? null : t('rights.no_control');
  }

  // The head of the page

  build() {
    document.title = this.name ? `${t(`nav.${this.name}`)} – paced` : 'paced';
    this.faultLine = element('p', { class: 'line fault', role: 'alert', hidden: true,
      onclick: () => this.clearFailure() });
    this.noticeLine = element('p', { class: 'line notice', role: 'status', hidden: true,
      onclick: () => show(this.noticeLine, false) });
    this.connectionLine = element('p', { class: 'line connection', role: 'status', hidden: true });
    this.top = element('div', { class: 'top' }, isKiosk ? null : this.header(),
      this.connectionLine, this.faultLine, this.noticeLine);
    document.body.prepend(this.top);
    if (isKiosk) document.body.classList.add('kiosk');
  }

  header() {
    const list = element('ul', { id: 'nav-list' }, pages.map(([name, href]) => {
      const link = element('a', { href }, t(`nav.${name}`));
      if (name === this.name) link.setAttribute('aria-current', 'page');
      return element('li', { dataset: { page: name } }, link);
    }));
    const button = element('button', {
      class: 'menu', type: 'button', 'aria-expanded': 'false', 'aria-controls': 'nav-list', 'aria-label': t('nav.menu'),
      onclick: () => toggle(),
    }, element('span', { class: 'bars', 'aria-hidden': 'true' }));
    const bar = element('header', { class: 'bar' },
      element('a', { class: 'skip', href: '#main', onclick: (event) => this.skip(event) }, t('nav.skip')),
      button, element('span', { class: 'here' }, this.name ? t(`nav.${this.name}`) : 'paced'),
      element('nav', { 'aria-label': t('nav.pages') }, list), this.displayMenu());
    const toggle = (isOpen = !bar.classList.contains('open')) => {
      bar.classList.toggle('open', isOpen);
      button.setAttribute('aria-expanded', String(isOpen));
    };
    bar.addEventListener('keydown', (event) => {
      if (event.key !== 'Escape' || !bar.classList.contains('open')) return;
      toggle(false);
      button.focus();
    });
    this.list = list;
    return bar;
  }

  /** Moves the focus to the content, without the fragment: pages keep what they show there. */
  skip(event) {
    event.preventDefault();
    this.main.tabIndex = -1;
    this.main.focus();
  }

  /** Theme, language, and what the page adds: `session.display` takes further elements. */
  displayMenu() {
    const names = choices.map((name) => [name, t(`theme.${name || 'auto'}`)]);
    const theme = select(names, chosenTheme(), chooseTheme);
    const language = select(Object.entries(languages), currentLanguage(), (chosen) => {
      keepLanguage(chosen);
      location.reload();
    });
    this.display = element('div', { class: 'panel' }, labelled(t('display.theme'), theme),
      labelled(t('display.language'), language), installRow());
    const menu = element('details', { class: 'display' },
      element('summary', { 'aria-label': t('display.title'), title: t('display.title') },
        element('span', { class: 'disc', 'aria-hidden': 'true' })), this.display);
    document.addEventListener('pointerdown', (event) => {
      if (menu.open && !menu.contains(event.target)) menu.open = false;
    });
    menu.addEventListener('toggle', () => this.showDevice());
    menu.addEventListener('keydown', (event) => {
      if (event.key !== 'Escape' || !menu.open) return;
      menu.open = false;
      menu.querySelector('summary').focus();
    });
    return menu;
  }

  /** Hides the pages that cannot work, and offers to sign out. */
  showRights() {
    for (const [name, , needs] of pages) {
      const item = this.list?.querySelector(`[data-page="${name}"]`);
      if (item) item.hidden = name !== this.name && obstacleOf(this, needs) !== null;
    }
    this.display?.append(element('button', { type: 'button', onclick: () => this.signOut() }, t('sign.out')),
      element('p', { class: 'soft' }, t('display.release', { release: this.release })));
  }

  /** Adds the name of the board to the menu, once. */
  async showDevice() {
    if (this.device) return;
    try {
      this.device = rpc('device.get');
      const { uuid, name } = await this.device;
      this.display.append(element('p', { class: 'soft uuid' },
        name === undefined ? t('display.device', { uuid }) : t('display.named_device', { uuid, name })));
    } catch {
      // The demo has none, and some tokens may not ask.
    }
  }

  async signOut() {
    try {
      await request('/api/token', { method: 'DELETE' });
    } catch {
      // The server forgets unused tokens by itself.
    }
    await leave();
  }

  show() {
    this.main.hidden = false;
    this.card?.remove();
    this.card = null;
  }

  /** Shows a card in the place of the page. */
  replaceBy(...children) {
    this.card?.remove();
    this.card = element('main', { class: 'card lone' }, ...children);
    this.main.hidden = true;
    this.main.before(this.card);
  }

  refuse(why) {
    this.replaceBy(element('h1', {}, t(`nav.${this.name}`)), element('p', {}, why));
    return new Promise(() => {});
  }

  waitForServer(error) {
    const why = errorText(error);
    if (this.card?.dataset.why !== why) {
      this.replaceBy(element('h1', {}, t('connection.waiting')), element('p', { role: 'status' }, why));
      this.card.dataset.why = why;
    }
    return new Promise((resolve) => { setTimeout(resolve, 1000); });
  }

  async loadSettings() {
    try {
      this.takeSettings(await rpc('settings.get'));
    } catch (error) {
      // Without paced the history works, with the units of the locale.
      if (error.code !== 'unreachable' && error.code !== 'offline' && error.code !== 'busy') this.fail(error);
    }
  }

  takeSettings(settings) {
    this.settings = settings;
    useSettings(settings);
  }

  // Without paced-web

  /** Takes the time of a kept answer, null for one of now. */
  takeAge(stored) {
    const before = this.storedAt;
    this.storedAt = stored === null ? null : Math.min(stored, before ?? stored);
    if (!this.worksOffline || this.storedAt === before) return;
    const at = new Date(this.storedAt ?? before);
    const time = at.toDateString() === new Date().toDateString() ? clock(at) : `${date(at)}, ${clock(at)}`;
    this.connectionLine.replaceChildren(t(stored === null ? 'offline.back' : 'offline.stored', { time }), ' ',
      element('button', { type: 'button', onclick: () => location.reload() }, t('offline.again')));
    show(this.connectionLine, true);
    clearTimeout(this.retry);
    if (stored !== null) this.retry = setTimeout(() => this.askAgain(), RETRY);
  }

  /** Asks until paced-web answers. */
  askAgain() {
    getJSON('/api/token').catch(() => {}).finally(() => {
      if (this.storedAt !== null) this.retry = setTimeout(() => this.askAgain(), RETRY);
    });
  }

  // Lines for the user

  /** Shows an error until the next success or for 20 s. */
  fail(error) {
    if (error.name === 'AbortError') return;
    this.say(this.faultLine, errorText(error), 20_000);
  }

  clearFailure() {
    clearTimeout(this.faultLine.timer);
    show(this.faultLine, false);
  }

  /** Shows a sentence for 5 s, a large one for 8 s, one with a link behind it for 20 s. */
  notice(text, { link = null, isLarge = false } = {}) {
    this.clearFailure();
    this.noticeLine.classList.toggle('large', isLarge);
    this.say(this.noticeLine, text, link ? 20_000 : isLarge ? 8000 : 5000);
    if (link) this.noticeLine.append(' ', link);
  }

  say(line, text, milliseconds) {
    clearTimeout(line.timer);
    setText(line, text);
    show(line, true);
    line.timer = setTimeout(() => show(line, false), milliseconds);
  }

  /** Runs a request of the user; shows its error. Resolves to its result, or to undefined. */
  async attempt(work) {
    try {
      const result = await work();
      this.clearFailure();
      return result;
    } catch (error) {
      this.fail(error);
      return undefined;
    }
  }

  // The stream

  /**
   * As stream() of api.js, and keeps the line about the connection and the settings. `onAge(milliseconds)` is called
   * twice a second with the age of the last line, null while there was none.
   */
  stream(watch, onLine, { since, onState = () => {}, onAge = () => {} } = {}) {
    let status = { state: 'connecting', error: null };
    const tick = () => {
      this.showConnection(status, lines.age());
      onAge(lines.age());
    };
    const lines = stream(watch, (line, isReplayed) => {
      if (line.class === 'SETTINGS') this.takeSettings(line);
      onLine(line, isReplayed);
    }, (newer) => {
      status = { state: newer.state, error: newer.error ?? (newer.state === 'open' ? null : status.error) };
      queueMicrotask(() => {
        tick();
        onState(status);
      });
    }, { since });
    const timer = setInterval(tick, 500);
    const close = lines.close.bind(lines);
    lines.close = () => {
      clearInterval(timer);
      close();
    };
    return lines;
  }

  showConnection({ state, error }, milliseconds) {
    const isOld = milliseconds !== null && milliseconds >= 2000;
    const isFine = state === 'open' && !isOld;
    document.body.classList.toggle('old', isOld);
    show(this.connectionLine, !isFine && (state !== 'connecting' || isOld || error !== null));
    if (isFine) return;
    const what = error ? errorText(error) : t(state === 'open' ? 'connection.silent' : 'connection.lost');
    const old = isOld ? ` ${t('connection.old', { age: age(milliseconds / 1000) })}` : '';
    setText(this.connectionLine, what + old);
  }
}

/** A select with pairs of value and text. */
export function select(options, chosen, onChange) {
  const made = element('select', { onchange: () => onChange(made.value) },
    options.map(([value, text]) => element('option', { value, selected: value === chosen }, text)));
  return made;
}

/** A label around a control. */
export function labelled(text, control) {
  return element('label', {}, element('span', {}, text), control);
}
