// The form of a group of lines: its name, and its lines as boxes to check.

import { swatch, title } from './bus-times.js';
import { element, setText, show } from './dom.js';
import { errorText, t } from './i18n.js';
import { LineSearch } from './line-search.js';

const NAME_LENGTH = 64;
let forms = 0;

/** A line with its colour, code and name. */
export function lineWords(line) {
  return element('span', { class: 'line-words' }, swatch(line), element('span', {}, element('b', {}, title(line)),
    line.code && line.name ? ` ${line.name}` : ''));
}

/**
 * `group`: what it edits, null for a new one. `owner` has `lines`, the known ones, and isTaken(name, group).
 * `onSave(name, ids)` throws what the server refuses. `buttons` stand after those of the form.
 */
export class GroupForm {
  constructor(group, owner, onSave, buttons) {
    Object.assign(this, { group, owner, onSave });
    forms += 1;
    const id = `group-${forms}`;
    const known = new Set(owner.lines.map(({ line }) => line));
    this.chosen = new Set(group?.lines);
    const missing = [...this.chosen].filter((one) => !known.has(one)).length;
    this.name = element('input', { id, maxLength: NAME_LENGTH, autocomplete: 'off', value: group?.name ?? '',
      'aria-describedby': `${id}-name`, oninput: () => show(this.nameProblem, false) });
    this.nameProblem = element('p', { class: 'problem', role: 'alert', id: `${id}-name`, hidden: true });
    this.search = new LineSearch(`${id}-lines`, () => this.drawLines());
    this.boxes = element('ul', { class: 'boxes' });
    this.none = element('p', { class: 'soft', role: 'status', hidden: true }, t('buses.no_line'));
    this.count = element('p', { class: 'soft', role: 'status' });
    this.problem = element('p', { class: 'problem', role: 'alert', hidden: true });
    this.button = element('button', { class: 'main' }, t('buses.group_save'));
    this.node = element('form', { class: 'details', onsubmit: (event) => this.submit(event) },
      element('div', {}, element('label', { for: id }, t('buses.group_name')), this.name, this.nameProblem),
      element('fieldset', {}, element('legend', {}, t('buses.group_lines')), this.search.node, this.boxes, this.none,
        this.count, missing > 0 ? element('p', {}, t('buses.group_missing', { count: missing })) : null),
      this.problem, element('div', { class: 'buttons' }, this.button, buttons));
    this.drawLines();
  }

  drawLines() {
    const found = this.search.find(this.owner.lines);
    this.boxes.replaceChildren(...found.map((line) => element('li', {}, element('label', { class: 'check' },
      element('input', { type: 'checkbox', checked: this.chosen.has(line.line),
        onchange: ({ target }) => this.choose(line.line, target.checked) }), lineWords(line)))));
    show(this.boxes, found.length > 0);
    show(this.none, found.length === 0);
    this.drawCount();
  }

  choose(id, isOn) {
    if (isOn) this.chosen.add(id);
    else this.chosen.delete(id);
    show(this.problem, false);
    this.drawCount();
  }

  drawCount() {
    setText(this.count, t('buses.group_count', { count: this.chosen.size }));
  }

  /** Shows a sentence in its place, and leads to the control that it is about. */
  complain(place, text, control) {
    setText(place, text);
    show(place, true);
    control.focus();
  }

  async submit(event) {
    event.preventDefault();
    const name = this.name.value.trim();
    if (name === '') return this.complain(this.nameProblem, t('buses.group_no_name'), this.name);
    if (this.owner.isTaken(name, this.group)) {
      return this.complain(this.nameProblem, t('buses.group_taken', { name }), this.name);
    }
    if (this.chosen.size === 0) return this.complain(this.problem, t('buses.group_no_line'), this.search.field);
    this.button.disabled = true;
    try {
      await this.onSave(name, [...this.chosen]);
    } catch (error) {
      this.complain(this.problem, errorText(error), this.button);
    } finally {
      this.button.disabled = false;
    }
    return undefined;
  }
}
