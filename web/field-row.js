// A data field of a page in the editor of the run screen: its row, and its details.

import { icon, iconButton, nameButton, textButton } from './buttons.js';
import { element, setText, show } from './dom.js';
import { colourProperty, colours, fieldTitle, fields } from './fields.js';
import { hasText, t } from './i18n.js';
import { isOwn } from './own-fields.js';
import { labelled, select } from './page.js';
import { gripOf } from './sortable.js';

export const sizes = { low: 12, high: 100, usual: 24 };
/** Fields of this size have no title, as in RunFree. */
const UNTITLED = 60;
const TITLE_LENGTH = 24;
/** How the heart-rate zone is drawn. */
const styles = ['bar', 'ring'];

/** The title of a data field; the name of one that this page does not know. */
export const titleOf = (name) => (isOwn(name) || hasText(`field.${name}`) ? fieldTitle(name) : name);

/** A field of the wire with all its members. */
export function readField(given) {
  const members = typeof given === 'string' ? { field: given } : given;
  const usual = { title: '', visible: true, title_visible: true, size: sizes.usual, colour: 'primary', style: 'bar' };
  return { ...usual, ...members };
}

/** A field for the wire, without the members that have their default. */
export function writeField({ field, title, visible, title_visible: hasTitle, size, colour, style, ...others }) {
  const made = { field, ...others };
  if (title) made.title = title;
  if (!visible) made.visible = false;
  if (!hasTitle) made.title_visible = false;
  if (size !== sizes.usual) made.size = size;
  if (colour !== 'primary') made.colour = colour;
  if (style !== 'bar') made.style = style;
  return Object.keys(made).length === 1 ? field : made;
}

/**
 * A row. `owner` has changeField(name, members), removeField(name), replaceField(name), moveField(name, step),
 * previewField(name, members) and isZoneOff(name).
 */
export class FieldRow {
  constructor(field, owner) {
    Object.assign(this, { owner, field, details: null });
    this.name = element('span', { class: 'row-name' });
    this.summary = element('span', { class: 'row-more soft' });
    this.eye = iconButton('eye', '', () => this.toggle(), { class: 'plain' });
    this.opener = iconButton('open', '', () => this.open(!this.details),
      { class: 'plain opener', 'aria-expanded': 'false' });
    this.grip = gripOf(titleOf(field.field));
    this.node = element('li', { class: 'sort-row', dataset: { field: field.field } },
      element('div', { class: 'sort-head' }, this.grip, element('div', { class: 'row-words' }, this.name, this.summary),
        this.eye, this.opener));
    this.update(field);
  }

  /** Shows the values of a field; a control with the user's draft keeps it. */
  update(field) {
    this.field = field;
    const title = titleOf(field.field);
    setText(this.name, title);
    setText(this.summary, this.words());
    this.node.classList.toggle('is-hidden', !field.visible);
    this.eye.replaceChildren(icon(field.visible ? 'eye' : 'hidden'));
    nameButton(this.eye, t(field.visible ? 'screens.hide' : 'screens.show', { field: title }));
    nameButton(this.opener, t('screens.edit', { field: title }));
    if (this.details) this.updateDetails();
  }

  words() {
    const { title, title_visible: hasTitle, size, colour, style, visible, field } = this.field;
    return [
      visible ? null : t('screens.is_hidden'), title ? t('screens.quoted', { title }) : null,
      t('screens.size_of', { size }), colour === 'primary' ? null : t(`colour.${colour}`),
      style === 'bar' ? null : t(`screens.style.${style}`), hasTitle ? null : t('screens.untitled'),
      this.owner.isZoneOff(field) ? t('screens.zones_off') : null,
    ].filter(Boolean).join(' · ');
  }

  toggle() {
    this.owner.changeField(this.field.field, { visible: !this.field.visible });
  }

  // Details

  open(isOpen) {
    this.details?.remove();
    this.details = null;
    this.opener.setAttribute('aria-expanded', String(isOpen));
    this.node.classList.toggle('is-open', isOpen);
    if (!isOpen) return;
    this.details = this.buildDetails();
    this.node.append(this.details);
    this.updateDetails();
  }

  buildDetails() {
    const { field: name } = this.field;
    const change = (members) => this.owner.changeField(name, members);
    this.title = element('input', { maxLength: TITLE_LENGTH, placeholder: titleOf(name), autocomplete: 'off',
      oninput: () => { this.hasDraft = true; }, onblur: () => { this.hasDraft = false; },
      onchange: () => { this.hasDraft = false; change({ title: this.title.value.trim() }); } });
    this.size = element('input', { type: 'range', min: sizes.low, max: sizes.high, step: 1,
      oninput: () => this.tryOut(),
      onchange: () => { this.isSizing = false; change({ size: Number(this.size.value) }); } });
    this.sizeText = element('output', { class: 'figures' });
    this.titled = element('input', { type: 'checkbox',
      onchange: () => change({ title_visible: this.titled.checked }) });
    this.untitled = element('p', { class: 'soft' }, t('screens.no_title_from', { size: UNTITLED }));
    this.colour = select(colours.map((colour) => [colour, t(`colour.${colour}`)]), this.field.colour,
      (colour) => change({ colour }));
    this.style = select(styles.map((style) => [style, t(`screens.style.${style}`)]), this.field.style,
      (style) => change({ style }));
    this.sample = element('span', { class: 'sample', 'aria-hidden': 'true' }, '12');
    return element('div', { class: 'details' },
      labelled(t('screens.title'), this.title),
      element('label', {}, element('span', {}, t('screens.size'), ' ', this.sizeText), this.size),
      element('label', {}, element('span', {}, t('screens.colour')), element('span', { class: 'with-sample' },
        this.colour, this.sample)),
      name === 'zone' ? labelled(t('screens.style'), this.style) : null,
      element('label', { class: 'check' }, this.titled, element('span', {}, t('screens.title_shown'))), this.untitled,
      element('div', { class: 'buttons' },
        textButton(t('screens.up'), () => this.owner.moveField(name, -1), { drawing: 'up' }),
        textButton(t('screens.down'), () => this.owner.moveField(name, 1), { drawing: 'down' }),
        textButton(t('screens.replace'), () => this.owner.replaceField(name)),
        textButton(t('screens.remove'), () => this.owner.removeField(name), { class: 'danger' })));
  }

  updateDetails() {
    const { title, title_visible: hasTitle, size, colour, style } = this.field;
    if (!this.hasDraft && this.title.value !== title) this.title.value = title;
    if (!this.isSizing) this.size.value = size;
    this.showSize();
    this.titled.checked = hasTitle;
    this.colour.value = colour;
    this.style.value = style;
    this.sample.style.color = `var(${colourProperty(colour)})`;
  }

  /** Shows a size that is not chosen yet. */
  tryOut() {
    this.isSizing = true;
    this.showSize();
    this.owner.previewField(this.field.field, { size: Number(this.size.value) });
  }

  showSize() {
    setText(this.sizeText, this.size.value);
    show(this.untitled, Number(this.size.value) >= UNTITLED);
  }
}

/** Whether a data field needs heart-rate zones. */
export const needsZones = (name) => ['zone', 'time_in_zone'].includes(name) && name in fields;
