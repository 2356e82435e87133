// The editor of the setting `workout`: a list of steps, and the same as text.

import { iconButton, nameButton, textButton } from './buttons.js';
import { ask, element, setText, show } from './dom.js';
import { t } from './i18n.js';
import { labelled, select } from './page.js';
import { Sortable, gripOf } from './sortable.js';
import { TargetInputs, usualUnit } from './target-inputs.js';
import { lengths, readStep, stepText, stepWords, targetKinds } from './targets.js';

const STEPS = 100;
const NAME_LENGTH = 40;

/**
 * `save(edit)` sets the setting to edit(its list); it resolves to null, or to what is wrong. `saved()` is its list, and
 * `say(text)` announces.
 */
export class Workout {
  constructor(save, saved, say) {
    Object.assign(this, { save, saved, value: [] });
    this.rows = [];
    this.list = element('ol', { class: 'rows', 'aria-label': t('workout.steps') });
    this.sortable = new Sortable(this.list, { nameOf: (row) => row.querySelector('.row-name').textContent, say,
      onMove: (from, to) => this.move(from, to), onEnd: () => this.render() });
    this.none = element('p', { class: 'soft' }, t('workout.none'));
    this.full = element('p', { class: 'soft' }, t('workout.full', { count: STEPS }));
    this.problem = element('p', { class: 'problem', id: 'workout-problem', role: 'alert', hidden: true });
    this.adder = textButton(t('workout.add'), () => this.add(), { drawing: 'plus' });
    this.texter = textButton(t('workout.as_text'), () => this.openText(!this.text), { 'aria-expanded': 'false' });
    this.clearer = textButton(t('workout.clear'), () => this.clear(), { class: 'danger' });
    this.buttons = element('div', { class: 'buttons' }, this.adder, this.texter, this.clearer);
    this.node = element('div', {}, this.none, this.list, this.full, this.buttons, this.problem);
    this.render();
  }

  write(value) {
    this.value = value;
    this.render();
  }

  /** The rows keep their place: a step has no name that stays. */
  render() {
    if (this.sortable.isActive) return;
    while (this.rows.length > this.value.length) this.rows.pop().node.remove();
    while (this.rows.length < this.value.length) this.rows.push(new StepRow(this));
    this.rows.forEach((row, index) => row.update(this.value[index], index));
    const nodes = this.rows.map(({ node }) => node);
    if (nodes.some((node, index) => this.list.children[index] !== node)) {
      const { activeElement } = document;
      this.list.replaceChildren(...nodes);
      if (this.list.contains(activeElement)) activeElement.focus();
    }
    show(this.none, this.value.length === 0);
    show(this.full, this.value.length >= STEPS);
    show(this.adder, this.value.length < STEPS);
    show(this.clearer, this.value.length > 0);
  }

  /** Shows and saves changed steps; resolves to null, or to what is wrong with them, after complain(it). */
  async set(edit, complain = (problem) => this.complain(problem)) {
    this.write(edit(this.value));
    const problem = await this.save(edit);
    if (problem) this.write(this.saved());
    complain(problem);
    return problem;
  }

  complain(text) {
    setText(this.problem, text ?? '');
    show(this.problem, text !== null);
  }

  async add() {
    if (await this.set((list) => [...list, list.at(-1) ?? '10 min'])) return;
    const row = this.rows.at(-1);
    row.open(true);
    row.opener.focus();
  }

  move(from, to) {
    this.rows.splice(to, 0, ...this.rows.splice(from, 1));
    return this.set((list) => list.toSpliced(from, 1).toSpliced(to, 0, ...list.slice(from, from + 1)));
  }

  async remove(index) {
    this.rows.splice(index, 1).forEach((row) => row.node.remove());
    if (await this.set((list) => list.toSpliced(index, 1))) return;
    (this.rows[Math.min(index, this.rows.length - 1)]?.opener ?? this.adder).focus();
  }

  async clear() {
    const answer = await ask(t('workout.clear_title'), t('workout.clear_text', { count: this.value.length }), [
      { value: 'clear', label: t('workout.clear'), kind: 'danger' },
      { value: '', label: t('screens.cancel'), autofocus: true }]);
    if (answer === 'clear' && !await this.set(() => [])) this.adder.focus();
  }

  // The text form

  openText(isOpen) {
    this.text?.remove();
    this.text = null;
    this.texter.setAttribute('aria-expanded', String(isOpen));
    if (!isOpen) return;
    const area = element('textarea', { value: this.value.join('\n'), rows: Math.min(this.value.length + 3, 14),
      spellcheck: false, 'aria-describedby': 'workout-help workout-problem' });
    const submit = async (event) => {
      event.preventDefault();
      const steps = area.value.split('\n').map((line) => line.trim()).filter(Boolean);
      if (await this.set(() => steps)) return area.focus();
      this.openText(false);
      this.texter.focus();
    };
    this.text = element('form', { class: 'text-form', onsubmit: submit },
      labelled(t('workout.lines'), area), element('p', { class: 'soft', id: 'workout-help' }, t('workout.help')),
      element('pre', {}, '10 min zone 2 # Warm-up\n1 km pace 4:00..4:15 /km\nlap'),
      element('div', { class: 'buttons' }, element('button', { class: 'main', type: 'submit' }, t('workout.save')),
        textButton(t('screens.cancel'), () => this.openText(false))));
    this.node.append(this.text);
    area.focus();
  }
}

class StepRow {
  constructor(owner) {
    Object.assign(this, { owner, index: 0, details: null, value: '' });
    this.number = element('span', { class: 'step-number figures', 'aria-hidden': 'true' });
    this.name = element('span', { class: 'row-name' });
    this.opener = iconButton('open', '', () => this.open(!this.details),
      { class: 'plain opener', 'aria-expanded': 'false' });
    this.grip = gripOf('');
    this.node = element('li', { class: 'sort-row' }, element('div', { class: 'sort-head' }, this.grip, this.number,
      element('div', { class: 'row-words' }, this.name), this.opener));
  }

  update(value, index) {
    const isNew = value !== this.value;
    this.value = value;
    this.index = index;
    this.step = readStep(value);
    setText(this.name, this.step ? stepWords(this.step) : value);
    setText(this.number, String(this.index + 1));
    nameButton(this.grip, t('sort.grip', { name: `${this.index + 1}: ${this.name.textContent}` }));
    nameButton(this.opener, t('workout.edit', { step: this.index + 1 }));
    show(this.opener, Boolean(this.step));
    if (this.details && isNew) this.writeDetails();
  }

  open(isOpen) {
    this.details?.remove();
    this.details = null;
    this.opener.setAttribute('aria-expanded', String(isOpen));
    this.node.classList.toggle('is-open', isOpen);
    if (!isOpen) return;
    this.details = this.buildDetails();
    this.node.append(this.details);
    this.chooseTarget(this.step.target?.kind ?? '');
    this.writeDetails();
  }

  buildDetails() {
    const commit = () => this.commit();
    this.length = select(Object.keys(lengths).map((one) => [one, t(`workout.${one}`)]), this.step.length, () => {
      this.fillUnits();
      if (this.length.value !== 'lap') this.amount.value ||= this.length.value === 'time' ? '10' : '1';
      commit();
    });
    this.amount = element('input', { type: 'number', min: 0, step: 'any', 'aria-label': t('workout.amount'),
      onchange: commit, oninput: () => { this.amount.isDraft = true; } });
    this.unit = select([], '', commit);
    this.unit.setAttribute('aria-label', t('target.unit'));
    const targets = ['', ...targetKinds].map((one) => [one, t(one ? `target.${one}` : 'workout.no_target')]);
    this.target = select(targets, '', () => {
      this.chooseTarget(this.target.value);
      if (this.inputs) this.inputs.first.focus();
      else commit();
    });
    this.place = element('span', {});
    this.title = element('input', { maxLength: NAME_LENGTH, autocomplete: 'off', onchange: commit,
      oninput: () => { this.title.isDraft = true; } });
    this.problem = element('p', { class: 'problem wide', role: 'alert', hidden: true });
    return element('div', { class: 'details' },
      element('div', {}, labelled(t('workout.length'), this.length),
        this.amountPlace = element('span', { class: 'target' }, this.amount, this.unit)),
      element('div', {}, labelled(t('workout.target'), this.target), this.place),
      element('div', { class: 'wide' }, labelled(t('workout.name'), this.title)), this.problem,
      element('div', { class: 'buttons' },
        textButton(t('screens.up'), () => this.shift(-1), { drawing: 'up' }),
        textButton(t('screens.down'), () => this.shift(1), { drawing: 'down' }),
        textButton(t('screens.remove'), () => this.owner.remove(this.index), { class: 'danger' })));
  }

  shift(step) {
    const to = this.index + step;
    if (to < 0 || to >= this.owner.rows.length) return;
    this.owner.move(this.index, to);
  }

  fillUnits(unit) {
    const units = lengths[this.length.value];
    this.unit.replaceChildren(...units.map((one) => element('option', { value: one }, one)));
    if (units.length > 0) this.unit.value = unit ?? usualUnit(units);
    show(this.amountPlace, units.length > 0);
  }

  chooseTarget(kind) {
    this.inputs = kind ? new TargetInputs(kind, () => this.commit()) : null;
    this.place.replaceChildren(...this.inputs ? [this.inputs.node] : []);
  }

  /** Shows the step; a control with a draft of the user keeps it. */
  writeDetails() {
    if (!this.step) return this.open(false);
    const { length, amount, unit, target, name } = this.step;
    const hasDraft = [this.amount, this.title, ...Object.values(this.inputs?.inputs ?? {})].some((one) => one.isDraft);
    if (!hasDraft) {
      this.length.value = length;
      this.fillUnits(unit || undefined);
      this.target.value = target?.kind ?? '';
      if (this.inputs?.kind !== target?.kind) this.chooseTarget(this.target.value);
    }
    if (!this.amount.isDraft) this.amount.value = amount;
    if (!this.title.isDraft) this.title.value = name;
    if (target && this.inputs?.kind === target.kind) this.inputs.write(target);
  }

  commit() {
    const text = stepText({ length: this.length.value, amount: this.amount.value, unit: this.unit.value,
      target: this.inputs?.read() ?? null, name: this.title.value.trim().replace(/^#\s*/, '') });
    const problem = this.inputs?.problem ?? (this.amount.validity.valid ? null : t('settings.need_positive'));
    if (problem || text === '') return this.complain(problem ?? t('workout.incomplete'));
    if (text === this.value) return this.settle();
    const { index } = this;
    return this.owner.set((list) => (index < list.length ? list.with(index, text) : list),
      (failure) => (failure ? this.complain(failure) : this.settle()));
  }

  settle() {
    this.complain(null);
    this.amount.isDraft = false;
    this.title.isDraft = false;
    this.inputs?.settle();
  }

  complain(text) {
    if (!this.details) return;
    setText(this.problem, text ?? '');
    show(this.problem, text !== null);
  }
}
