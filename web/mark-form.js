// The dialog of a mark with a kind and a text: loaded when somebody asks for it.

import { element } from './dom.js';
import { form } from './history.js';
import { t } from './i18n.js';
import { markKind, markKinds } from './mark-words.js';
import { labelled, select } from './page.js';

/** As paced allows. */
const LONGEST = 64;

/** Asks what is marked. Resolves to the parameters of run.mark, or to null if the user cancels. */
export async function askMark() {
  const kinds = markKinds.slice(1).map((kind) => [kind, markKind(kind)])
    .sort(([, one], [, other]) => one.localeCompare(other));
  const kind = select([['generic', t('mark.generic')], ...kinds], 'generic', () => {});
  const text = element('input', { maxLength: LONGEST, autocomplete: 'off', enterKeyHint: 'done' });
  const isSent = await form(t('mark.title'), [labelled(t('mark.kind'), kind), labelled(t('mark.text'), text),
    element('p', { class: 'soft' }, t('mark.help'))], t('live.make_mark'));
  if (!isSent) return null;
  const words = text.value.trim();
  return { ...kind.value === 'generic' ? {} : { kind: kind.value }, ...words ? { text: words } : {} };
}
