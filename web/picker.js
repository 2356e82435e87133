// The dialog that chooses a data field: groups, with a search.

import { textButton } from './buttons.js';
import { element, setText, show } from './dom.js';
import { fieldTitle, fields } from './fields.js';
import { t } from './i18n.js';

/** The groups in their order, each with the sources of its fields. */
const groups = {
  time: ['timer', 'clock'], distance: ['distance'], heart: ['heart'], sensor: ['sensor'],
  height: ['altitude', 'position'], course: ['course', 'partner'], sky: ['sun', 'wind'], device: ['power'],
};

const plain = (text) => text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();

/**
 * Asks for a data field of a sport, or one of `own`, that is none of `taken`. Resolves to its name, or to null.
 */
export function pickField(sport, taken, own) {
  return new Promise((resolve) => {
    const dialog = new Picker(sport, taken, own).dialog;
    dialog.addEventListener('close', () => {
      dialog.remove();
      resolve(dialog.returnValue || null);
    });
    document.body.append(dialog);
    dialog.showModal();
  });
}

class Picker {
  constructor(sport, taken, own) {
    const free = Object.keys(fields).filter((name) => fields[name].sports.includes(sport) && !taken.includes(name));
    this.sections = [...Object.entries(groups).map(([group, sources]) => this.section(group,
      free.filter((name) => sources.includes(fields[name].source)))),
    this.section('own', own.filter((name) => !taken.includes(name)))].filter(({ items }) => items.length > 0);
    this.count = element('p', { class: 'soft', role: 'status' });
    const search = element('input', { type: 'search', autocomplete: 'off', spellcheck: false, autofocus: true,
      'aria-label': t('screens.search'), placeholder: t('screens.search'), oninput: () => this.filter(search.value),
      onkeydown: (event) => { if (event.key === 'Enter') this.chooseFirst(event); } });
    this.dialog = element('dialog', { class: 'picker', 'aria-labelledby': 'picker-title' },
      element('div', { class: 'picker-head' }, element('h2', { id: 'picker-title' }, t('screens.pick')),
        textButton(t('screens.cancel'), () => this.dialog.close('')), search, this.count),
      element('div', { class: 'picker-list' }, this.sections.map(({ node }) => node)));
    this.filter('');
  }

  section(group, names) {
    const items = names.map((name) => {
      const title = fieldTitle(name);
      const button = textButton(title, () => this.dialog.close(name), { dataset: { field: name } });
      return { node: element('li', {}, button), words: plain(`${title} ${name.replaceAll('_', ' ')}`) };
    });
    const node = element('section', {}, element('h3', {}, t(`screens.group.${group}`)),
      element('ul', {}, items.map((item) => item.node)));
    return { node, items, words: plain(t(`screens.group.${group}`)) };
  }

  /** Shows the fields with all the words, and those of a group whose name has them. */
  filter(text) {
    const wanted = plain(text).split(/\s+/).filter(Boolean);
    let count = 0;
    for (const { node, items, words } of this.sections) {
      const isFound = (one) => wanted.every((word) => one.includes(word));
      const found = items.filter((item) => isFound(words) || isFound(item.words));
      items.forEach((item) => show(item.node, found.includes(item)));
      show(node, found.length > 0);
      count += found.length;
    }
    setText(this.count, t('screens.found', { count }));
  }

  chooseFirst(event) {
    event.preventDefault();
    this.dialog.querySelector('section:not([hidden]) li:not([hidden]) button')?.click();
  }
}
