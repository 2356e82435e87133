// The card with the next way home by public transport.

import { getJSON } from './api.js';
import { journeys } from './bus-times.js';
import { element } from './dom.js';
import { errorText, t } from './i18n.js';
import { Latest } from './outside.js';

/** `now()`: milliseconds since 1970. */
export function wayHomeCard(now) {
  const requests = new Latest();
  const bikes = element('input', { type: 'checkbox', id: 'bikes' });
  const result = element('div', { class: 'stack', 'aria-live': 'polite' });
  const button = element('button', { class: 'main', type: 'button', onclick: find }, t('buses.home_find'));

  async function find() {
    button.disabled = true;
    result.replaceChildren(element('p', { role: 'status' }, t('buses.loading')));
    try {
      const query = { bikes: bikes.checked ? 1 : null };
      const answer = await requests.run((signal) => getJSON('/api/transit/home', query, signal));
      if (answer) result.replaceChildren(...journeys(answer, now()));
    } catch (error) {
      result.replaceChildren(element('p', { class: 'problem', role: 'alert' }, errorText(error)));
    } finally {
      button.disabled = false;
    }
  }

  return element('section', { class: 'card stack' }, element('h2', {}, t('buses.home')),
    element('label', { class: 'check', for: 'bikes' }, bikes, element('span', {}, t('buses.bikes'))),
    element('div', { class: 'buttons' }, button), result);
}
