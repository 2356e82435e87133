// The inputs of an alert or of the target of a step.

import { element } from './dom.js';
import { isMetric, t } from './i18n.js';
import { select } from './page.js';
import { kinds } from './targets.js';

/** The unit that a new alert or length gets. */
export const usualUnit = (units) => (isMetric() || !/^(mi|mph|\/mi)$/.test(units[1]) ? units[0] : units[1]);

function input(kind, label, onChange) {
  const { type, low, high } = kinds[kind];
  // Keyboards for numbers may have no colon.
  const shape = type === 'clock' ? { type: 'text', pattern: '[0-9]{1,2}:[0-5][0-9]', maxLength: 5, placeholder: '4:30' }
    : { type: 'number', step: type === 'count' ? 1 : 'any', min: low ?? 0, max: high ?? '' };
  const made = element('input', { 'aria-label': label, autocomplete: 'off', onchange: onChange,
    oninput: () => { made.isDraft = true; }, ...shape });
  return made;
}

/** The inputs of a kind. `onChange()` is called when the user has changed one. */
export class TargetInputs {
  constructor(kind, onChange) {
    this.kind = kind;
    const { type, units, unit } = kinds[kind];
    const name = t(`target.${kind}`);
    const label = (key) => `${name}: ${t(`target.${key}`)}`;
    const [first, second] = type === 'clock' ? ['fastest', 'slowest'] : ['from', 'to'];
    this.inputs = type === 'amount' ? { amount: input(kind, label('every'), onChange) }
      : type ? { low: input(kind, label(first), onChange), high: input(kind, label(second), onChange) } : {};
    this.unit = units ? select(units.map((one) => [one, one]), usualUnit(units), onChange) : null;
    this.unit?.setAttribute('aria-label', label('unit'));
    this.nodes = [];
    const words = (text) => element('span', { class: 'between' }, text);
    if (type === 'amount') this.nodes.push(words(t('target.every')), this.inputs.amount);
    else if (type) this.nodes.push(this.inputs.low, words('–'), this.inputs.high);
    if (this.unit ?? unit) this.nodes.push(this.unit ?? words(unit));
    this.node = element('span', { class: 'target', hidden: !type }, this.nodes);
  }

  /** The input that a new alert begins with. */
  get first() {
    return Object.values(this.inputs)[0];
  }

  /** What is wrong with the inputs, as a sentence; null if nothing is. */
  get problem() {
    const wrong = Object.values(this.inputs).find((one) => !one.validity.valid);
    if (!wrong) return null;
    const { type, low, high } = kinds[this.kind];
    if (type === 'clock') return t('settings.need_clock');
    return low === undefined ? t('settings.need_positive') : t('settings.need_whole', { low, high });
  }

  read() {
    const values = Object.fromEntries(Object.entries(this.inputs).map(([name, one]) => [name, one.value.trim()]));
    return { kind: this.kind, ...values, unit: this.unit?.value ?? '' };
  }

  /** Shows values; an input with a draft of the user keeps it. */
  write(values) {
    for (const [name, one] of Object.entries(this.inputs)) {
      if (!one.isDraft && one.value !== values[name]) one.value = values[name] ?? '';
    }
    const hasDraft = Object.values(this.inputs).some((one) => one.isDraft);
    if (this.unit && values.unit && !hasDraft) this.unit.value = values.unit;
  }

  /** The values of the inputs are those of the setting now. */
  settle() {
    for (const one of Object.values(this.inputs)) one.isDraft = false;
  }
}
