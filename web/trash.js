// The trash: what was deleted, to be restored or erased.

import { rpc } from './api.js';
import { ask, element, show } from './dom.js';
import { distance } from './format.js';
import { activityTitle, markList, marksOf, startText, withUnit } from './history.js';
import { date, number, relative, t } from './i18n.js';
import { start } from './page.js';
import { trashed } from './trash-link.js';

const DAY = 86_400_000;
const DAYS_KEPT = 30;

const session = await start({ needs: 'history', name: 'trash' });

/** What differs between activities and courses. */
const kinds = [
  {
    key: 'activities', methods: 'activities', name: activityTitle, metres: ({ distance_m: metres }) => metres,
    about: (one) => [one.name !== undefined && t(`sport.${one.sport}`), startText(one)], marks: marksOf,
  },
  {
    key: 'courses', methods: 'course', name: ({ id, name }) => name ?? t('courses.unnamed', { id }),
    metres: ({ length_m: metres }) => metres, about: ({ sport }) => [sport && t(`sport.${sport}`)], marks: () => [],
  },
];

/** When it came here, and when it is erased. */
function daysText({ trashed: time }) {
  if (!time) return t('trash.undated');
  const left = Math.max(Math.ceil((new Date(time).getTime() + DAYS_KEPT * DAY - Date.now()) / DAY), 0);
  return t('trash.since', { day: date(time), when: relative(left, 'day') });
}

function entry(kind, one) {
  const name = kind.name(one);
  const button = (key, label, call, style) => element('button', { type: 'button', class: style,
    'aria-label': t(label, { name }), onclick: call }, t(key));
  return element('li', { class: 'thrown' }, element('div', {}, element('span', { class: 'name' }, name),
    element('span', { class: 'big' }, withUnit(distance(kind.metres(one)))),
    element('span', { class: 'details' }, kind.about(one).filter(Boolean).join(' · '), ' ', markList(kind.marks(one))),
    element('span', { class: 'details' }, daysText(one))),
  session.canCommand ? element('div', { class: 'buttons' },
    button('trash.restore', 'trash.restore_name', () => restore(kind, one, name), ''),
    button('trash.erase', 'trash.erase_name', () => erase(kind, one, name), 'danger')) : null);
}

function section(kind, list) {
  if (list.length === 0) return null;
  return element('section', {}, element('h2', {}, `${t(`nav.${kind.key}`)} (${number(list.length)})`),
    element('ul', { class: 'list' }, list.map((one) => entry(kind, one))));
}

async function restore(kind, { id }, name) {
  if (await session.attempt(() => rpc(`${kind.methods}.restore`, { id })) === undefined) return;
  await showAll();
  session.notice(t('trash.restored', { name }));
}

async function erase(kind, { id }, name) {
  if (!await isSure(t('trash.erase_title', { name }), t('trash.erase_text'), t('trash.erase'))) return;
  if (await session.attempt(() => rpc(`${kind.methods}.delete`, { id })) === undefined) return;
  await showAll();
  session.notice(t('trash.erased', { name }));
}

async function empty() {
  const { length } = (await session.attempt(trashed) ?? []).flat();
  if (length === 0) return;
  const title = t('trash.empty_title', { count: number(length) });
  if (!await isSure(title, t('trash.erase_text'), t('trash.empty'))) return;
  if (await session.attempt(() => rpc('trash.empty')) === undefined) return;
  await showAll();
  session.notice(t('trash.emptied', { count: number(length) }));
}

const isSure = async (title, text, label) => await ask(title, text, [
  { value: 'yes', label, kind: 'danger main' },
  { value: '', label: t('history.cancel'), autofocus: true }]) === 'yes';

// The page

const why = session.whyNoCommand();
const emptyButton = element('button', { type: 'button', class: 'danger', onclick: empty }, t('trash.empty'));
const content = element('div', { class: 'stack' });
const heading = element('h1', { tabIndex: -1 }, t('nav.trash'));
session.main.append(element('div', { class: 'title' }, heading, why ? null : emptyButton),
  element('p', {}, t('trash.help')), ...why ? [element('p', { class: 'soft' }, why)] : [], content,
  element('p', { class: 'buttons' }, element('a', { class: 'back', href: '/activities.html' }, t('nav.activities')),
    element('a', { class: 'back', href: '/courses.html' }, t('nav.courses'))));

/** Shows the lists anew. The focus of a button that has gone is on the heading. */
async function showAll() {
  const lists = await session.attempt(trashed);
  if (!lists) return;
  const isInside = content.contains(document.activeElement);
  const isEmpty = lists.flat().length === 0;
  show(emptyButton, !isEmpty);
  content.replaceChildren(...isEmpty ? [element('p', { class: 'card' }, t('trash.none'))]
    : kinds.map((kind, index) => section(kind, lists[index])).filter(Boolean));
  if (isInside || isEmpty && document.activeElement === document.body) heading.focus();
}

await showAll();
