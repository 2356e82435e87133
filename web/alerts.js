// The editor of the setting `alerts`: one row for each kind.

import { element, setText, show } from './dom.js';
import { t } from './i18n.js';
import { TargetInputs } from './target-inputs.js';
import { alertText, kinds, readAlert } from './targets.js';

/** `save(edit)` sets the setting to edit(its list); it resolves to null, or to what is wrong. */
export class Alerts {
  constructor(save) {
    this.save = save;
    this.rows = Object.keys(kinds).map((kind) => new AlertRow(kind, this));
    this.others = element('ul', { class: 'plain-list' });
    this.node = element('div', { class: 'alerts' }, this.rows.map((row) => row.node), this.others);
  }

  write(value) {
    const read = value.map(readAlert);
    for (const row of this.rows) row.write(read.find((one) => one?.kind === row.kind));
    this.others.replaceChildren(...value.filter((_, index) => !read[index]).map((text) => element('li', {}, text)));
  }

  /** Sets the alert of a kind; '' removes it. */
  set(kind, text) {
    return this.save((list) => {
      const others = list.filter((one) => one.split(' ')[0] !== kind);
      const place = list.findIndex((one) => one.split(' ')[0] === kind);
      return text === '' ? others : others.toSpliced(place < 0 ? others.length : place, 0, text);
    });
  }
}

class AlertRow {
  constructor(kind, owner) {
    Object.assign(this, { kind, owner, isOn: false });
    this.check = element('input', { type: 'checkbox', onchange: () => this.toggle() });
    this.inputs = new TargetInputs(kind, () => this.commit());
    this.problem = element('p', { class: 'problem', id: `alert-${kind}-problem`, role: 'alert', hidden: true });
    this.missing = t(kinds[kind].type === 'amount' ? 'settings.need_positive' : 'settings.alert_hint');
    this.hint = element('p', { class: 'soft', hidden: true }, this.missing);
    this.inputs.nodes.forEach((node) => node.setAttribute('aria-describedby', this.problem.id));
    this.node = element('div', { class: 'alert', role: 'group', 'aria-label': t(`target.${kind}`), dataset: { kind } },
      element('label', { class: 'check' }, this.check, element('span', {}, t(`target.${kind}`))), this.inputs.node,
      this.hint, this.problem);
    this.showInputs();
  }

  showInputs() {
    const hasInputs = Boolean(this.inputs.first);
    show(this.inputs.node, hasInputs && this.check.checked);
    show(this.hint, hasInputs && this.check.checked && !this.isOn && this.problem.hidden);
  }

  write(alert) {
    // An alert that the user has switched on waits for its limits.
    const isWaiting = this.check.checked && !this.isOn && !alert;
    this.isOn = Boolean(alert);
    if (!isWaiting) this.check.checked = this.isOn;
    if (alert) this.inputs.write(alert);
    this.showInputs();
  }

  toggle() {
    if (this.check.checked) {
      this.showInputs();
      this.inputs.first?.focus();
      this.commit();
    } else {
      this.complain(null);
      if (this.isOn) this.send('');
      else this.showInputs();
    }
  }

  commit() {
    if (this.inputs.problem) return this.complain(this.inputs.problem);
    const text = alertText(this.inputs.read());
    if (text !== '') return this.send(text);
    if (this.isOn) return this.complain(this.missing);
    return this.complain(null);
  }

  async send(text) {
    const problem = await this.owner.set(this.kind, text);
    if (!problem) this.inputs.settle();
    else if (text === '') this.check.checked = true;
    this.complain(problem);
  }

  complain(text) {
    setText(this.problem, text ?? '');
    show(this.problem, text !== null);
    this.showInputs();
  }
}
