// The editor of the run screen: the setting `screens`, saved at each change.

import { rpc } from './api.js';
import { iconButton, textButton } from './buttons.js';
import { ask, element, setText, show } from './dom.js';
import { fieldOf } from './fields.js';
import { t } from './i18n.js';
import { FieldRow, needsZones, readField, titleOf, writeField } from './field-row.js';
import { start } from './page.js';
import { declare, isOwn, ownField } from './own-fields.js';
import { pickField } from './picker.js';
import { inOrder, isSame } from './saving.js';
import { Sortable } from './sortable.js';
import { sports } from './tables.js';
import { Stage } from './stage.js';

const PAGES = 6;
const FIELDS = 12;
const UNDO = 20;

const session = await start({ needs: 'control', name: 'screens' });

/** The pages of a sport: lists of fields with all members. */
const readPages = (given) => (given ?? []).map(({ fields: list }) => list.map(readField));
const writePages = (pages) => pages.map((page) => ({ fields: page.map(writeField) }));

const isSameList = (some, others) =>
  some.length === others.length && some.every((one, index) => one === others[index]);

class Editor {
  constructor() {
    this.sport = sports.includes(session.settings.sport) ? session.settings.sport : 'run';
    this.page = 0;
    /** Pages by sport that are not saved yet; null for the default ones. */
    this.drafts = new Map();
    this.undos = Object.fromEntries(sports.map((sport) => [sport, []]));
    this.rows = new Map();
    this.state = null;
    this.hasChosen = false;
    this.build();
    this.render();
    session.stream({ classes: ['STATE', 'SETTINGS'], interval_ms: 1000, blocks: ['fields', 'own_fields'] },
      (line) => this.take(line));
  }

  take(line) {
    if (line.class === 'SETTINGS') this.render();
    if (line.class !== 'STATE') return;
    const isFirst = this.state === null;
    this.state = line;
    if (declare(line.blocks?.own_fields)) this.render();
    if (isFirst && line.run !== 'idle' && !this.hasChosen) this.chooseSport(line.sport);
    this.draw();
  }

  // The data

  get pages() {
    return this.drafts.get(this.sport) ?? readPages(session.settings.screens?.[this.sport]);
  }

  get fields() {
    return this.pages[this.page] ?? [];
  }

  /** Changes the pages of the sport by a function that gets a copy of them and returns the new ones; saves them. */
  async change(edit, said = t('screens.saved')) {
    const before = this.pages;
    const after = edit(structuredClone(before));
    if (isSame(before, after)) return this.render();
    const step = this.keepUndo(this.sport, before, after);
    await this.save(this.sport, after, said, step);
    return this.render();
  }

  /**
   * Saves the pages of a sport, null for the default ones. Resolves to the setting, or to null if it was refused: then
   * `step` is no way back.
   */
  async save(sport, pages, said, step = null) {
    this.hasChosen = true;
    this.drafts.set(sport, pages);
    if (pages) this.render();
    let value = null;
    try {
      value = await inOrder(() => rpc('settings.set', { key: 'screens', value: this.value() }));
      session.settings.screens = value;
      session.clearFailure();
      this.say(said);
    } catch (error) {
      session.fail(error);
      this.say('');
      this.undos[sport] = this.undos[sport].filter((one) => one !== step);
    }
    if (this.drafts.get(sport) === pages) this.drafts.delete(sport);
    return value;
  }

  /** The setting with all that is not saved yet. A sport that is left out gets its default. */
  value() {
    const value = { ...session.settings.screens };
    for (const [sport, pages] of this.drafts) {
      if (pages) value[sport] = writePages(pages);
      else delete value[sport];
    }
    return value;
  }

  keepUndo(sport, before, after) {
    const step = { before, after };
    this.undos[sport] = [...this.undos[sport], step].slice(-UNDO);
    return step;
  }

  /** Takes back the last change. Once another client has changed the pages there is none. */
  async undo() {
    const step = this.undos[this.sport].pop();
    if (step && !await this.save(this.sport, step.before, t('screens.undone'))) this.undos[this.sport].push(step);
    this.render();
  }

  // The page

  build() {
    const group = (label, children = []) =>
      element('div', { class: 'choices', role: 'group', 'aria-label': label }, children);
    this.sportButtons = sports.map((sport) => textButton(t(`sport.${sport}`), () => this.chooseSport(sport),
      { dataset: { sport } }));
    this.pageGroup = group(t('screens.pages'));
    this.pageButtons = [];
    this.adder = iconButton('plus', t('screens.add_page'), () => this.addPage());
    this.status = element('p', { class: 'soft said', role: 'status' });
    this.announcer = element('p', { class: 'unseen', 'aria-live': 'assertive' });
    this.list = element('ol', { class: 'rows', 'aria-labelledby': 'page-title' });
    this.sortable = new Sortable(this.list, {
      nameOf: (row) => titleOf(row.dataset.field), say: (text) => setText(this.announcer, text),
      onMove: (from, to) => this.change((pages) => {
        const [field] = pages[this.page].splice(from, 1);
        pages[this.page].splice(to, 0, field);
        return pages;
      }),
      onEnd: () => this.render(),
    });
    this.heading = element('h2', { id: 'page-title' });
    this.none = element('p', { class: 'soft' }, t('screens.no_fields'));
    this.addField = textButton(t('screens.add'), () => this.add(), { class: 'main', drawing: 'plus' });
    this.full = element('p', { class: 'soft' }, t('screens.full', { count: FIELDS }));
    this.undoButton = textButton(t('screens.undo'), () => this.undo(), { drawing: 'undo' });
    this.defaultsButton = textButton('', () => this.askDefaults());
    this.content = element('div', {}, group(t('screens.sport'), this.sportButtons), this.pageGroup,
      element('div', { class: 'editor' }, this.buildPreview(), element('section', { 'aria-labelledby': 'page-title' },
        this.heading, this.buildPageTools(), this.list, this.none, this.full,
        element('div', { class: 'buttons' }, this.addField, this.defaultsButton))),
      element('div', { class: 'undo-bar' }, this.undoButton, this.status), this.announcer);
    session.main.append(element('h1', {}, t('nav.screens')), element('p', { class: 'soft intro' }, t('screens.intro')),
      this.content);
  }

  buildPageTools() {
    this.earlier = iconButton('left', t('screens.earlier'), () => this.movePage(-1));
    this.later = iconButton('right', t('screens.later'), () => this.movePage(1));
    this.remover = textButton(t('screens.remove_page'), () => this.askRemovePage(), { class: 'danger' });
    return element('div', { class: 'page-tools', role: 'group', 'aria-label': t('screens.page_tools') },
      this.earlier, this.later, this.remover);
  }

  buildPreview() {
    const view = element('div', { class: 'preview view' });
    this.stage = new Stage(view);
    this.stage.onResize = () => this.draw();
    this.blank = element('p', { class: 'soft blank', hidden: true }, t('screens.blank'));
    view.append(this.blank);
    view.addEventListener('click', (event) => {
      const row = this.rows.get(event.target.closest('.cell')?.dataset.field);
      if (!row) return;
      row.open(true);
      row.opener.focus();
      row.node.scrollIntoView({ block: 'nearest' });
    });
    return element('section', { class: 'preview-card', 'aria-label': t('screens.preview') }, view);
  }

  say(text) {
    setText(this.status, text);
  }

  // Drawing

  render() {
    // Without the setting there is nothing to change: the stream says why, and brings it.
    show(this.content, Boolean(session.settings.screens));
    if (this.sortable.isActive || !session.settings.screens) return;
    const undo = this.undos[this.sport].at(-1);
    if (undo && !this.drafts.has(this.sport) && !isSame(undo.after, this.pages)) this.undos[this.sport] = [];
    this.page = Math.min(this.page, Math.max(this.pages.length - 1, 0));
    this.renderChoices();
    this.renderRows();
    this.renderTools();
    this.draw();
  }

  renderChoices() {
    for (const button of this.sportButtons) {
      button.setAttribute('aria-pressed', String(button.dataset.sport === this.sport));
    }
    const { length } = this.pages;
    while (this.pageButtons.length < length) {
      const index = this.pageButtons.length;
      this.pageButtons.push(textButton(String(index + 1), () => this.choosePage(index),
        { class: 'page', 'aria-label': t('screens.page', { page: index + 1 }) }));
    }
    while (this.pageButtons.length > length) this.pageButtons.pop().remove();
    this.pageButtons.forEach((button, index) => button.setAttribute('aria-pressed', String(index === this.page)));
    this.pageGroup.append(...this.pageButtons.filter((button) => !button.isConnected));
    show(this.adder, length < PAGES);
    if (this.pageGroup.lastChild !== this.adder) this.pageGroup.append(this.adder);
    setText(this.heading, t('screens.page_of', { page: this.page + 1, pages: length }));
  }

  /** Updates the rows, and moves the others around the row that has the focus. */
  renderRows() {
    const key = `${this.sport} ${this.page}`;
    if (key !== this.shown) this.rows.clear();
    this.shown = key;
    const held = document.activeElement?.closest?.('.sort-row');
    const rows = this.fields.map((field) => {
      const row = this.rows.get(field.field) ?? new FieldRow(field, this);
      row.update(field);
      return row;
    });
    this.rows = new Map(rows.map((row) => [row.field.field, row]));
    const nodes = rows.map((row) => row.node);
    if (isSameList(nodes, [...this.list.children])) return;
    const pivot = nodes.indexOf(held);
    if (pivot < 0) return void this.list.replaceChildren(...nodes);
    for (const node of [...this.list.children]) if (node !== held) node.remove();
    held.before(...nodes.slice(0, pivot));
    held.after(...nodes.slice(pivot + 1));
  }

  renderTools() {
    const { length } = this.pages;
    show(this.none, this.fields.length === 0);
    show(this.addField, this.fields.length < FIELDS);
    show(this.full, this.fields.length >= FIELDS);
    this.earlier.disabled = this.page === 0;
    this.later.disabled = this.page >= length - 1;
    this.remover.disabled = length < 2;
    this.undoButton.disabled = this.undos[this.sport].length === 0;
    setText(this.defaultsButton, t('screens.defaults', { sport: t(`sport.${this.sport}`) }));
  }

  /** Draws the page as the live page does, with the values of now. */
  draw(changed = {}) {
    const page = this.fields.map((field) => ({ ...field, ...changed[field.field] }))
      .filter((field) => field.visible && fieldOf(field.field) && !this.isZoneOff(field.field))
      .map((field) => ({ ...field, title: field.title || undefined }));
    const { screens, ...settings } = session.settings;
    this.stage.render(page, this.state, settings);
    show(this.blank, page.length === 0);
  }

  // Pages

  chooseSport(sport) {
    if (!sports.includes(sport)) return;
    this.sport = sport;
    this.page = 0;
    this.hasChosen = true;
    this.say('');
    this.render();
  }

  choosePage(index) {
    this.page = index;
    this.render();
  }

  addPage() {
    this.change((pages) => {
      this.page = pages.length;
      return [...pages, []];
    }, t('screens.page_added'));
    this.addField.focus();
  }

  movePage(step) {
    this.change((pages) => {
      const to = this.page + step;
      if (!pages[to]) return pages;
      [pages[this.page], pages[to]] = [pages[to], pages[this.page]];
      this.page = to;
      return pages;
    }, t('screens.page_moved', { page: this.page + step + 1 }));
  }

  async askRemovePage() {
    const { page, fields: asked } = this;
    const text = asked.map((field) => field.title || titleOf(field.field)).join(', ') || t('screens.no_fields');
    const answer = await ask(t('screens.remove_page_title', { page: page + 1 }), text, [
      { value: 'remove', label: t('screens.remove_page'), kind: 'danger' },
      { value: '', label: t('screens.cancel'), autofocus: true }]);
    if (answer !== 'remove') return;
    if (!isSame(asked, this.pages[page])) return this.say(t('screens.changed'));
    await this.change((pages) => pages.toSpliced(page, 1), t('screens.page_removed', { page: page + 1 }));
    this.pageButtons[this.page]?.focus();
  }

  async askDefaults() {
    const { sport } = this;
    const answer = await ask(t('screens.defaults_title', { sport: t(`sport.${sport}`) }), t('screens.defaults_text'), [
      { value: 'defaults', label: t('screens.defaults_do'), kind: 'danger' },
      { value: '', label: t('screens.cancel'), autofocus: true }]);
    if (answer !== 'defaults') return;
    const before = this.pages;
    const value = await this.save(sport, null, t('screens.restored'));
    if (value) this.keepUndo(sport, before, readPages(value[sport]));
    this.render();
  }

  // Fields: what a FieldRow asks for

  isZoneOff(name) {
    return needsZones(name) && !session.settings.use_heart_rate_zones;
  }

  previewField(name, members) {
    this.draw({ [name]: members });
  }

  changeField(name, members, said) {
    return this.change((pages) => {
      const field = pages[this.page]?.find((one) => one.field === name);
      if (field) Object.assign(field, members);
      return pages;
    }, said);
  }

  moveField(name, step) {
    const place = this.fields.findIndex(({ field }) => field === name) + step;
    return this.change((pages) => {
      const page = pages[this.page];
      if (page?.[place] && page[place - step]?.field === name) {
        [page[place - step], page[place]] = [page[place], page[place - step]];
      }
      return pages;
    }, t('sort.moved', { name: titleOf(name), place: place + 1, count: this.fields.length }));
  }

  async removeField(name) {
    const index = this.fields.findIndex(({ field }) => field === name);
    await this.change((pages) => {
      pages[this.page] = pages[this.page].filter(({ field }) => field !== name);
      return pages;
    }, t('screens.removed', { field: titleOf(name) }));
    const next = this.fields[Math.min(index, this.fields.length - 1)];
    (this.rows.get(next?.field)?.opener ?? this.addField).focus();
  }

  /** The fields of other programs: those of now, and those that a page of any sport has. */
  ownFields() {
    const shown = Object.values(this.value()).flat().flatMap(({ fields }) => fields)
      .map((field) => field.field ?? field);
    const present = (this.state?.blocks?.own_fields ?? []).map(({ name }) => ownField(name));
    return [...new Set([...present, ...shown.filter(isOwn)])];
  }

  pick() {
    return pickField(this.sport, this.fields.map(({ field }) => field), this.ownFields());
  }

  /** Puts another data field in the place of one. */
  async replaceField(name) {
    const chosen = await this.pick();
    if (!chosen) return;
    await this.changeField(name, { field: chosen, title: '', style: 'bar' });
    this.rows.get(chosen)?.open(true);
    this.rows.get(chosen)?.opener.focus();
  }

  async add() {
    const chosen = await this.pick();
    if (!chosen) return;
    await this.change((pages) => {
      pages[this.page].push(readField(chosen));
      return pages;
    }, t('screens.added', { field: titleOf(chosen) }));
    this.rows.get(chosen)?.opener.focus();
  }
}

new Editor();
