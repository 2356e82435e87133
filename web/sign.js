// Signing in: a code of pacectl is exchanged for a token. Loaded only when it is needed.

import { ApiError, getJSON, request, token } from './api.js';
import { ask, element } from './dom.js';
import { errorText, t } from './i18n.js';
import { takeCode } from './page.js';

/** Exchanges a code for a token; the error if that fails. */
export async function exchange(code) {
  try {
    const response = await request('/api/token', { method: 'POST', body: { code: code.trim(), name: browserName() } });
    const made = await response.json();
    if (made.scope === 'watch' && await mayCommand() && !await wantsToWatchOnly()) await signOut(made.token);
    else token.set(made.token);
    return null;
  } catch (error) {
    return error.code === 'unauthorized' ? new ApiError('code', '') : error;
  }
}

/** Whether the browser has a token that may command. */
async function mayCommand() {
  if (!token.get()) return false;
  try {
    return (await getJSON('/api/token')).scope === 'control';
  } catch {
    return false;
  }
}

/** Another person's link would take the right to command away. */
async function wantsToWatchOnly() {
  return await ask(t('sign.replace_title'), t('sign.replace_text'), [
    { value: '', label: t('sign.keep'), kind: 'main', autofocus: true },
    { value: 'watch', label: t('sign.watch_only') }]) === 'watch';
}

async function signOut(made) {
  await fetch('/api/token', { method: 'DELETE', headers: { Authorization: `Bearer ${made}` } }).catch(() => {});
}

/** A name for the list of tokens, such as Firefox on Android. */
function browserName() {
  const agent = navigator.userAgent;
  const first = (names) => names.find(([word]) => agent.includes(word))?.[1];
  const browser = first([['Firefox', 'Firefox'], ['Edg', 'Edge'], ['OPR', 'Opera'], ['Chrome', 'Chrome'],
    ['Safari', 'Safari']]) ?? 'Browser';
  const system = first([['Android', 'Android'], ['iPhone', 'iPhone'], ['iPad', 'iPad'], ['Windows', 'Windows'],
    ['Mac OS', 'macOS'], ['Linux', 'Linux']]);
  return system ? `${browser} on ${system}` : browser;
}

/** Asks for a code until the form is sent; the error if the code is of no use. */
export async function askForCode(session, problem) {
  return exchange(await codeOf(session, problem));
}

function codeOf(session, problem) {
  return new Promise((resolve) => {
    // The address of a code, opened in this very tab, loads no new page.
    addEventListener('hashchange', () => {
      const code = takeCode();
      if (code) resolve(code);
    });
    const input = element('input', { id: 'code', name: 'code', autocomplete: 'one-time-code', autocapitalize: 'off',
      spellcheck: false, required: true, 'aria-describedby': 'code-help' });
    const form = element('form', { onsubmit: (event) => {
      event.preventDefault();
      resolve(input.value.trim().replace(/^.*#code=/, ''));
    } }, element('label', { for: 'code' }, t('sign.code')), input,
    element('button', { class: 'main', type: 'submit' }, t('sign.in')));
    session.replaceBy(element('h1', {}, t('sign.title')),
      problem ? element('p', { class: 'problem', role: 'alert' }, errorText(problem)) : null,
      element('p', { id: 'code-help' }, t('sign.how')),
      element('pre', {}, 'pacectl web code\npacectl web code --control'), form);
    input.focus();
  });
}
