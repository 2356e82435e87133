// The theme that the user has chosen; head.js applies it before the first paint.

import { keep, kept } from './store.js';

export const themes = ['sunlight', 'dark', 'e-ink'];

const KEY = 'paced.theme';
const dark = matchMedia('(prefers-color-scheme: dark)');

/** The chosen theme; '' follows the system. */
export function chosenTheme() {
  const theme = kept(KEY);
  return themes.includes(theme) ? theme : '';
}

/** Chooses a theme; '' follows the system. */
export function chooseTheme(theme) {
  keep(KEY, theme === '' ? null : theme);
  apply();
}

function apply() {
  document.documentElement.dataset.theme = chosenTheme() || (dark.matches ? 'dark' : 'sunlight');
  dispatchEvent(new Event('paced-theme'));
}

dark.addEventListener('change', apply);
