// The order of the lines, section by section.

import { title } from './bus-times.js';
import { iconButton } from './buttons.js';
import { element } from './dom.js';
import { lineWords } from './group-form.js';
import { t } from './i18n.js';
import { sectionsOf } from './shown-lines.js';
import { gripOf, Sortable } from './sortable.js';

/** `node` is closed at first. `say(text)` announces; `onMove(id, place)`: the place is within the section, from 1. */
export class LineOrder {
  constructor(say, onMove) {
    Object.assign(this, { say, onMove, lines: [] });
    this.lists = element('div', {});
    this.node = element('details', { ontoggle: () => this.draw() }, element('summary', {}, t('buses.line_order')),
      this.lists);
  }

  show(lines) {
    this.lines = lines;
    this.draw();
  }

  draw() {
    if (!this.node.open) return;
    const { line, step } = document.activeElement?.dataset ?? {};
    this.lists.replaceChildren(...sectionsOf(this.lines).flatMap(([heading, lines]) => [
      heading ? element('h3', {}, heading) : '', this.list(lines)]));
    if (line) this.lists.querySelector(`[data-line="${CSS.escape(line)}"][data-step="${step}"]`)?.focus();
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
