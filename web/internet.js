// What paced-net says when the board does not reach the internet, as a sentence.

import { boardText, t } from './i18n.js';

/** The beginnings of paced-net's reasons, with the host. */
const CAUSES = [
  ['outside.no_internet', /^no network(?:: cannot resolve ([^\s;]+))?/],
  ['outside.login_page', /^login page\? (\S+)/],
];

/** The sentence for a reason of paced-net; null for a reason that is not the internet. */
export function internetText(reason) {
  for (const [key, form] of CAUSES) {
    const found = form.exec(reason ?? '');
    if (found) return found[1] ? t(key, { host: found[1] }) : t('outside.no_internet_at_all');
  }
  return null;
}

/** The sentence for a reason of paced-net in the user's language; null if only its own words say it. */
export const reasonText = (reason) => internetText(reason) ?? boardText(reason);
