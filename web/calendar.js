// Months of days, with a disc on each that has activities, as large as they took long. It is a button that chooses it.

import { element, setText } from './dom.js';
import { distance, duration } from './format.js';
import { date, number, t } from './i18n.js';
import { dayName, daysBetween, daysOf, discOf, monthGrid, noonOf, plusMonths } from './periods.js';
import { rove } from './roving.js';

/** Widths of the window from which there is room for so many months. */
const ROOM = [[1100, 4], [800, 3], [560, 2]];
/** Any Monday. */
const MONDAY = noonOf('2026-03-02').getTime();
const weekdays = [0, 1, 2, 3, 4, 5, 6].map((index) => new Date(MONDAY + index * 86_400_000));

const monthText = (month) => date(noonOf(`${month}-15`), { month: 'long', year: 'numeric' });

export class Calendar {
  /** `onChoose(day)`: a day was pressed. `onMove(month)`: it shows months from that one on. */
  constructor({ onChoose, onMove }) {
    Object.assign(this, { onChoose, onMove });
    this.last = dayName(new Date()).slice(0, 7);
    this.count = ROOM.find(([width]) => matchMedia(`(min-width: ${width}px)`).matches)?.[1] ?? 1;
    const button = (text, label, months) => element('button', { type: 'button', 'aria-label': label,
      onclick: () => this.move(months) }, text);
    this.later = button('›', t('activities.later_months'), 1);
    this.said = element('span', { 'aria-live': 'polite' });
    this.months = element('div', { class: 'month-grids' });
    this.settle = rove(this.months, () => [...this.months.querySelectorAll('button')], nextDay);
    this.node = element('div', { class: 'calendar' }, element('div', { class: 'steps' },
      button('‹', t('activities.earlier_months'), -1), this.said, this.later), this.months);
  }

  move(months) {
    this.last = plusMonths(this.last, months);
    this.onMove(this.first);
  }

  get first() {
    return plusMonths(this.last, 1 - this.count);
  }

  set(summaries, chosen) {
    const days = daysOf(summaries);
    const shown = Array.from({ length: this.count }, (_, index) => plusMonths(this.first, index));
    this.later.disabled = this.last >= dayName(new Date()).slice(0, 7);
    setText(this.said, this.count === 1 ? monthText(this.last) : `${monthText(this.first)} – ${monthText(this.last)}`);
    this.months.replaceChildren(...shown.map((month) => this.month(month, days, chosen)));
    const buttons = [...this.months.querySelectorAll('button')];
    this.settle(buttons.find((button) => button.dataset.day === chosen) ?? buttons.at(-1));
  }

  month(month, days, chosen) {
    const weeks = monthGrid(month).map((week) => element('tr', {}, week.map((day) =>
      element('td', {}, day === null ? null : dayCell(day, days.get(day), chosen, this.onChoose)))));
    return element('table', {}, element('caption', { class: this.count === 1 ? 'unseen' : '' }, monthText(month)),
      element('thead', {}, element('tr', {}, weekdays.map((day) => element('th', { scope: 'col',
        'aria-label': date(day, { weekday: 'long' }) }, date(day, { weekday: 'narrow' }))))),
      element('tbody', {}, weeks));
  }
}

function dayCell(day, found, chosen, onChoose) {
  const figure = element('span', { class: 'day' }, String(Number(day.slice(8))));
  if (day === dayName(new Date())) figure.classList.add('today');
  if (!found) return figure;
  const disc = element('span', { class: 'day-disc', dataset: { sport: found.sport } });
  disc.style.setProperty('--share', discOf(found));
  const label = [date(noonOf(day), { dateStyle: 'full' }), t('activities.count', { count: number(found.activities) }),
    duration(found.elapsed_ms), distance(found.distance_m)].join(' · ');
  return element('button', { type: 'button', 'aria-label': label, title: label, dataset: { day },
    'aria-pressed': String(day === chosen), onclick: () => onChoose(day) }, disc, figure);
}

/** Left and right lead to the next day with activities, up and down to one a week or more away. */
function nextDay(list, at, key) {
  if (key === 'ArrowLeft') return list[at - 1];
  if (key === 'ArrowRight') return list[at + 1];
  const away = (node) => daysBetween(list[at].dataset.day, node.dataset.day);
  if (key === 'ArrowDown') return list.find((node) => away(node) >= 7);
  return key === 'ArrowUp' ? list.findLast((node) => away(node) <= -7) : null;
}
