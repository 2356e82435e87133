// The order of the lines, section by section.

import { title } from './bus-times.js';
import { iconButton } from './buttons.js';
import { element } from './dom.js';
import { lineWords } from './group-form.js';
import { t } from './i18n.js';
import { gripOf, Sortable } from './sortable.js';

/** `node` is closed at first. `say(text)` announces; `onMove(id, place)`: the place is within the section, from 1. */
export class LineOrder {
  constructor(say, onMove) {
    Object.assign(this, { say, onMove, lines: [], listed: [] });
    this.lists = element('div', {});
    this.node = element('details', { ontoggle: () => this.draw() }, element('summary', {}, t('buses.line_order')),
      this.lists);
  }

  /** `listed`: the lines of the user's list, which have sections. */
  show(lines, listed) {
    Object.assign(this, { lines, listed });
    this.draw();
  }

  draw() {
    if (!this.node.open) return;
    const { line, step } = document.activeElement?.dataset ?? {};
    const sections = this.sections();
    this.lists.replaceChildren(...[...sections].flatMap(([name, lines]) => [
      name && sections.size > 1 ? element('h3', {}, name) : '', this.list(lines)]));
    if (line) this.lists.querySelector(`[data-line="${CSS.escape(line)}"][data-step="${step}"]`)?.focus();
  }

  /** The lines by the names of their sections. */
  sections() {
    const names = new Map(this.listed.map(({ id, section }) => [id, section]));
    const sections = new Map();
    for (const line of this.lines) {
      const name = names.get(line.line);
      sections.set(name, [...sections.get(name) ?? [], line]);
    }
    return sections;
  }

  list(lines) {
    const move = (from, to) => {
      if (lines[to]) this.onMove(lines[from].line, to + 1);
    };
    const list = element('ol', { class: 'rows' }, lines.map((line, index) => {
      const name = title(line);
      const grip = gripOf(name);
      Object.assign(grip.dataset, { line: line.line, step: 0 });
      const stepper = (drawing, step, key) => iconButton(drawing, t(key, { line: name }),
        () => move(index, index + step), { class: 'plain', dataset: { line: line.line, step } });
      return element('li', { class: 'sort-row', dataset: { name } }, element('div', { class: 'sort-head' }, grip,
        element('div', { class: 'row-words' }, lineWords(line)), stepper('up', -1, 'buses.line_up'),
        stepper('down', 1, 'buses.line_down')));
    }));
    new Sortable(list, { nameOf: ({ dataset }) => dataset.name, say: this.say, onMove: move });
    return list;
  }
}
