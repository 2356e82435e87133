// The theme that the user has chosen; head.js applies it before the first paint.

import { keep, kept } from './store.js';

export const themes = ['sunlight', 'dark', 'e-ink'];

/** What can be chosen: '' follows the system, sun is sunlight by day and dark while the sun is down. */
export const choices = ['', 'sun', ...themes];

const KEY = 'paced.theme';
/** The theme by the sun, as a page that knows it has seen it last. */
const SUN_KEY = 'paced.theme.sun';
const dark = matchMedia('(prefers-color-scheme: dark)');

export function chosenTheme() {
  const theme = kept(KEY);
  return choices.includes(theme) ? theme : '';
}

export function chooseTheme(theme) {
  keep(KEY, theme === '' ? null : theme);
  apply();
}

/** Takes the state of the sun, of the block of STATE; undefined if it is unknown. */
export function followSun(state) {
  if (state === undefined) return;
  const theme = ['day', 'polar-day'].includes(state) ? 'sunlight' : 'dark';
  if (theme === kept(SUN_KEY)) return;
  keep(SUN_KEY, theme);
  if (chosenTheme() === 'sun') apply();
}

function apply() {
  const chosen = chosenTheme() === 'sun' ? kept(SUN_KEY) : chosenTheme();
  document.documentElement.dataset.theme = chosen || (dark.matches ? 'dark' : 'sunlight');
  colourBar();
  dispatchEvent(new Event('paced-theme'));
}

/** The bar of the browser, or of the installed page, has the ground of the theme. */
function colourBar() {
  const ground = getComputedStyle(document.documentElement).getPropertyValue('--back');
  document.querySelector('meta[name="theme-color"]')?.setAttribute('content', ground.trim());
}

dark.addEventListener('change', apply);
colourBar();
