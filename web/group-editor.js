// The editor of the groups of lines: which are shown first, the groups, and the order of the lines.

import { getJSON, getLines, request } from './api.js';
import { fullTitle, title } from './bus-times.js';
import { iconButton, nameButton, textButton } from './buttons.js';
import { ask, element, setText, show } from './dom.js';
import { GroupForm } from './group-form.js';
import { errorText, t } from './i18n.js';
import { LineOrder } from './line-order.js';
import { inOrder } from './saving.js';
import { gripOf, Sortable } from './sortable.js';

/** The lines, and the list of groups with the user's order. */
export async function loadLists() {
  const [lines, list] = await Promise.all([getLines('/api/transit/lines'), getJSON('/api/transit/groups')]);
  return { lines, list };
}

class GroupRow {
  constructor(group, editor) {
    Object.assign(this, { group, editor, form: null });
    this.name = element('span', { class: 'row-name' });
    this.summary = element('span', { class: 'row-more soft' });
    this.opener = iconButton('open', '', () => this.open(!this.form),
      { class: 'plain opener', 'aria-expanded': 'false' });
    this.grip = gripOf(group.name);
    this.node = element('li', { class: 'sort-row' }, element('div', { class: 'sort-head' }, this.grip,
      element('div', { class: 'row-words' }, this.name, this.summary), this.opener));
  }

  update(group, summary) {
    this.group = group;
    if (this.form) this.form.group = group;
    this.node.dataset.group = group.name;
    setText(this.name, group.name);
    setText(this.summary, summary);
    nameButton(this.grip, t('sort.grip', { name: group.name }));
    nameButton(this.opener, t('buses.group_edit', { name: group.name }));
  }

  open(isOpen) {
    this.form?.node.remove();
    this.form = null;
    this.opener.setAttribute('aria-expanded', String(isOpen));
    this.node.classList.toggle('is-open', isOpen);
    if (!isOpen) return;
    const { editor } = this;
    this.form = new GroupForm(this.group, editor, (name, lines) => this.save(name, lines), [
      textButton(t('buses.up'), () => editor.move(this.group, -1), { drawing: 'up' }),
      textButton(t('buses.down'), () => editor.move(this.group, 1), { drawing: 'down' }),
      textButton(t('buses.group_remove'), () => editor.askRemove(this.group), { class: 'danger' })]);
    this.node.append(this.form.node);
  }

  async save(name, lines) {
    const { editor, group } = this;
    if (name !== group.name) {
      editor.rows.set(name, this);
      await editor.change(['rename', group.name, name]);
    }
    await editor.change(['edit', name, ...lines]);
    editor.say(t('buses.group_saved', { name }));
    this.open(false);
    this.opener.focus();
  }
}

/**
 * `node` is the card. `whyNot`: why the browser may not change anything, null if it may. `onChange({ lines, list })`
 * gets the lists after a change.
 */
export class GroupEditor {
  constructor(whyNot, onChange) {
    Object.assign(this, { whyNot, onChange, lines: [], list: { groups: [] }, rows: new Map(), form: null });
    this.node = element('details', { class: 'card groups' }, element('summary', {}, t('buses.edit_groups')));
    if (whyNot) this.node.append(element('p', {}, whyNot));
  }

  build() {
    this.announcer = element('p', { class: 'unseen', 'aria-live': 'assertive' });
    this.status = element('p', { class: 'soft', role: 'status' });
    this.problem = element('p', { class: 'problem', role: 'alert', hidden: true });
    this.ordered = element('ol', { class: 'rows', 'aria-label': t('buses.groups') });
    this.sortable = new Sortable(this.ordered, { nameOf: (row) => row.dataset.group,
      say: (text) => setText(this.announcer, text), onMove: (from, to) => this.attempt(
        ['move', this.list.groups[from].name, `${to + 1}`]) });
    this.none = element('p', { class: 'soft' }, t('buses.no_groups'));
    this.adder = textButton(t('buses.group_new'), () => this.openNew(), { class: 'main', drawing: 'plus' });
    this.first = element('select', { id: 'shown-first', onchange: () => this.chooseFirst() });
    this.order = new LineOrder((text) => setText(this.announcer, text), (line, place) => this.moveLine(line, place));
    this.node.append(element('div', { class: 'stack' },
      element('div', {}, this.ordered, this.none, element('div', { class: 'buttons' }, this.adder)),
      element('div', {}, element('label', { for: 'shown-first' }, t('buses.shown_first')), this.first),
      this.order.node, this.problem, this.status, this.announcer));
  }

  /** Shows the lists of the server. */
  show({ lines, list }) {
    Object.assign(this, { lines, list: { ...list, groups: list.groups ?? [] } });
    if (this.whyNot) return;
    if (!this.ordered) this.build();
    if (!this.sortable.isActive) this.draw();
  }

  draw() {
    const { groups } = this.list;
    const focused = document.activeElement;
    this.rows = new Map(groups.map((group) => [group.name, this.rows.get(group.name) ?? new GroupRow(group, this)]));
    for (const group of groups) this.rows.get(group.name).update(group, this.summary(group));
    const nodes = groups.map(({ name }) => this.rows.get(name).node);
    const { children } = this.ordered;
    if (nodes.length !== children.length || nodes.some((node, index) => node !== children[index])) {
      this.ordered.replaceChildren(...nodes);
      if (this.ordered.contains(focused)) focused.focus();
    }
    show(this.none, groups.length === 0);
    this.drawFirst();
    this.order.show(this.lines);
  }

  summary({ name, lines: ids }) {
    const names = ids.map((id) => this.lines.find(({ line }) => line === id)).filter(Boolean).map(title);
    const isFirst = this.list.default?.group === name;
    return (names.join(', ') || t('buses.group_empty')) + (isFirst ? ` · ${t('buses.is_first')}` : '');
  }

  // Changes

  /** Throws what the server refuses. */
  async change(words) {
    const list = await inOrder(async () =>
      (await request('/api/transit/groups', { method: 'POST', body: words })).json());
    this.take({ lines: this.lines, list });
  }

  take(lists) {
    show(this.problem, false);
    this.show(lists);
    this.onChange(lists);
  }

  /** Resolves to whether it has been done; shows why not. */
  async attempt(words, said = t('buses.saved')) {
    return this.showing(() => this.change(words), said);
  }

  async showing(work, said) {
    try {
      await work();
      this.say(said);
      return true;
    } catch (error) {
      setText(this.problem, errorText(error));
      show(this.problem, true);
      this.say('');
      // What was moved or chosen is as before.
      this.draw();
      return false;
    }
  }

  say(text) {
    setText(this.status, text);
  }

  /** Whether another group than `group` has the name. */
  isTaken(name, group) {
    return this.list.groups.some((one) => one.name !== group?.name && one.name.toLowerCase() === name.toLowerCase());
  }

  async move(group, step) {
    const place = this.list.groups.findIndex(({ name }) => name === group.name) + step;
    const count = this.list.groups.length;
    if (place < 0 || place >= count) return;
    const said = t('sort.moved', { name: group.name, place: place + 1, count });
    await this.attempt(['move', group.name, `${place + 1}`], said);
  }

  async askRemove(group) {
    const answer = await ask(t('buses.remove_title', { name: group.name }), t('buses.remove_text'), [
      { value: 'remove', label: t('buses.group_remove'), kind: 'danger' },
      { value: '', label: t('buses.cancel'), autofocus: true }]);
    if (answer !== 'remove') return;
    if (await this.attempt(['remove', group.name], t('buses.removed', { name: group.name }))) this.adder.focus();
  }

  openNew() {
    this.form = new GroupForm(null, this, async (name, lines) => {
      await this.change(['add', name, ...lines]);
      this.closeNew();
      this.say(t('buses.group_saved', { name }));
    }, [textButton(t('buses.cancel'), () => this.closeNew())]);
    this.form.node.classList.add('sort-row');
    this.ordered.after(this.form.node);
    show(this.adder, false);
    this.form.name.focus();
  }

  closeNew() {
    this.form.node.remove();
    this.form = null;
    show(this.adder, true);
    this.adder.focus();
  }

  // What is shown first

  drawFirst() {
    const { groups, default: initial, groups_first: hasGroupsFirst } = this.list;
    const option = (value, text) => element('option', { value }, text);
    const value = initial?.group ? `group ${initial.group}` : initial?.line ? `line ${initial.line}`
      : hasGroupsFirst ? 'first' : '';
    this.first.replaceChildren(option('', t('buses.first_lines')), option('first', t('buses.first_group')),
      ...groups.map(({ name }) => option(`group ${name}`, t('buses.first_named', { name }))),
      ...this.lines.map((line) => option(`line ${line.line}`, fullTitle(line))));
    this.first.value = value;
  }

  chooseFirst() {
    const { value } = this.first;
    const none = this.list.groups_first ? ['first', 'no'] : ['default', 'none'];
    const named = ['default', value.slice(value.indexOf(' ') + 1)];
    return this.attempt(value === '' ? none : value === 'first' ? ['first', 'yes'] : named);
  }

  // The order of lines

  async moveLine(line, place) {
    await this.showing(async () => {
      await inOrder(() => request('/api/transit/lines', { method: 'POST', body: ['move', line, `${place}`] }));
      this.take(await loadLists());
    }, t('buses.saved'));
  }
}
