// The search of lines: a text, and how it selects, as `pacectl transit lines` does.

import { element } from './dom.js';
import { t } from './i18n.js';
import { select } from './page.js';

const scopes = {
  contains: (words, wanted) => words.some((word) => word.includes(wanted)),
  exclude: (words, wanted) => !words.some((word) => word.includes(wanted)),
  match: (words, wanted) => words.includes(wanted),
};

/** `node` has the controls; `onChange()` is called when the user changes one. `id`: of the field. */
export class LineSearch {
  constructor(id, onChange) {
    this.field = element('input', { type: 'search', id, autocomplete: 'off', maxLength: 64, oninput: onChange });
    this.scope = select(Object.keys(scopes).map((one) => [one, t(`buses.scope.${one}`)]), 'contains', onChange);
    this.scope.setAttribute('aria-label', t('buses.scope'));
    this.node = element('div', {}, element('label', { for: id }, t('buses.filter')),
      element('div', { class: 'line-of-controls' }, this.field, this.scope));
  }

  /** Those of the lines that are found. */
  find(lines) {
    const wanted = this.field.value.trim().toLowerCase();
    if (wanted === '') return lines;
    return lines.filter(({ code = '', name = '' }) =>
      scopes[this.scope.value]([code.toLowerCase(), name.toLowerCase()], wanted));
  }
}
