// The page of `pacectl report`, as it is, with a link back to the activity: its styles and its script come in ways that
// the policy for content allows. Its styles follow the theme of this page.

import { request } from './api.js';
import { element } from './dom.js';
import { activityAddress } from './history.js';
import { currentLanguage, errorText, isMetric, t } from './i18n.js';
import { start } from './page.js';

const HIDDEN_METRES = '200';

const session = await start({ needs: 'history', name: 'activities', offline: true });
addEventListener('hashchange', () => location.reload());

try {
  const [id, options] = location.hash.slice(1).split('&', 2);
  const hide = new URLSearchParams(options).get('hide') ?? HIDDEN_METRES;
  const units = isMetric() ? 'metric' : 'imperial';
  const response = await request(`/api/activities/${Number(id)}/report`, { query: { hide, units,
    language: currentLanguage(), zone: Intl.DateTimeFormat().resolvedOptions().timeZone } });
  await become(await response.text(), id);
} catch (error) {
  session.main.append(element('h1', {}, t('activity.report')),
    element('p', { class: 'problem', role: 'alert' }, errorText(error)));
}

/** Replaces this page. */
async function become(text, id) {
  const styles = [...text.matchAll(/<style>([^]*?)<\/style>/g)].map(([, style]) => style);
  // In an attribute `style` the parser would report a violation; in texts its quotes are escaped.
  const markup = text.replace(/<style>[^]*?<\/style>/g, '').replaceAll(' style="', ' data-style="');
  const parsed = new DOMParser().parseFromString(markup, 'text/html');
  for (const script of parsed.querySelectorAll('script:not([type="application/json"])')) script.remove();
  const sheets = await Promise.all(styles.map((style) => new CSSStyleSheet().replace(style)));
  document.title = parsed.title;
  document.documentElement.lang = parsed.documentElement.lang;
  for (const link of document.querySelectorAll('link[rel="stylesheet"]')) link.remove();
  document.adoptedStyleSheets = sheets;
  document.body.className = '';
  document.body.replaceChildren(...document.adoptNode(parsed.body).childNodes);
  document.querySelector('main > header').prepend(
    element('a', { class: 'back', href: activityAddress(id) }, t('report.back')));
  for (const styled of document.querySelectorAll('[data-style]')) {
    styled.style.cssText = styled.dataset.style;
    delete styled.dataset.style;
  }
  if (session.storedAt !== null) document.body.prepend(session.connectionLine);
  if (document.getElementById('data')) await import('./report-cursor.js');
}
