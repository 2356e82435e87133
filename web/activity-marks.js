// The marks of an activity: flags on its map, lines in its charts, and a list.

import { element } from './dom.js';
import { distance, duration } from './format.js';
import { t } from './i18n.js';
import { markKind, markText } from './mark-words.js';
import { rowAt } from './track.js';

/** With more flags their texts would cover each other, and long ones the map. */
const [LABELLED, LONGEST] = [12, 16];

const short = (text) => (text.length > LONGEST ? `${text.slice(0, LONGEST - 1).trimEnd()}…` : text);

/** In the form of the marks of charts and map, see activity.js; `move(row)` moves the cursor. */
export function runMarks(marks, track, move) {
  return (marks ?? []).map((mark) => {
    const row = rowAt(track.since, mark.at_ms / 1000);
    const label = marks.length <= LABELLED ? short(mark.text ?? markKind(mark.kind)) : '';
    // A place of its own is exact; a row has that of a second.
    const { latitude, longitude } = mark;
    const place = latitude === undefined ? {} : { latitude, longitude };
    return { row, sign: '⚑', title: markText(mark), hasLine: true, open: () => move(row),
      point: { ...place, label, inner: String(mark.mark), shape: 'flag', radius: 9, colour: '--purple' } };
  });
}

/** The list beside the map; null without marks. `open(index)` moves the cursor, null: there is no track. */
export function markCard(marks, open) {
  if (!marks?.length) return null;
  const rows = marks.map((mark, index) => {
    const words = [markKind(mark.kind), mark.text].filter(Boolean).join(', ') || t('mark.plain', { number: mark.mark });
    const cells = [element('b', { class: 'flag' }, String(mark.mark)), element('span', { class: 'words' }, words),
      element('span', { class: 'soft figures' }, `${duration(mark.elapsed_ms)} · ${distance(mark.distance_m)}`)];
    return element('li', {}, open ? element('button', { type: 'button', onclick: () => open(index) }, cells) : cells);
  });
  return element('details', { class: 'on-the-way run-marks', open: true },
    element('summary', {}, t('activity.marks', { count: marks.length })), element('ol', {}, rows));
}
