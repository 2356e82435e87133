// The lines as buttons that are on or off, section by section, with a search.

import { swatch, title } from './bus-times.js';
import { element, show } from './dom.js';
import { t } from './i18n.js';
import { LineSearch } from './line-search.js';
import { toggle } from './outside.js';
import { sectionsOf } from './shown-lines.js';

/** Beyond these there is a search, and a button for the rest. */
const SEARCHED = 12;
const SHOWN = 40;

/** `nodes` are its parts. `onChoose(id, isOn)`: a line was switched on or off. */
export class LineChips {
  constructor(onChoose) {
    Object.assign(this, { onChoose, lines: [], chosen: new Set(), isWide: false });
    this.search = new LineSearch('filter', () => this.widen(false));
    this.chips = element('div', { class: 'sections', role: 'group', 'aria-label': t('buses.lines') });
    this.none = element('p', { role: 'status', class: 'soft', hidden: true }, t('buses.no_line'));
    this.more = element('button', { type: 'button', hidden: true, onclick: () => this.widen(true) },
      t('buses.more_lines'));
    this.nodes = [this.search.node, this.chips, this.none, this.more];
    show(this.search.node, false);
  }

  show(lines, chosen) {
    Object.assign(this, { lines, chosen });
    this.draw();
  }

  widen(isWide) {
    this.isWide = isWide;
    this.draw();
  }

  draw() {
    const found = this.search.find(this.lines);
    const most = this.isWide ? found.length : SHOWN;
    show(this.search.node, this.lines.length > SEARCHED);
    show(this.none, found.length === 0);
    show(this.more, found.length > most);
    this.chips.replaceChildren(...sectionsOf(found.slice(0, most)).flatMap(([heading, lines]) => [
      heading ? element('h3', {}, heading) : '',
      element('div', { class: 'chips' }, lines.map((line) => this.chip(line)))]));
  }

  chip(line) {
    return toggle({ class: 'chip', dataset: { key: `line ${line.line}` }, title: line.name ?? '' },
      this.chosen.has(line.line), (isOn) => this.onChoose(line.line, isOn), swatch(line),
      element('span', {}, title(line)),
      line.code && line.name ? element('span', { class: 'unseen' }, ` ${line.name}`) : null);
  }
}
