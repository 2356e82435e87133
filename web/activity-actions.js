// What can be done with an activity: report, downloads, a course, changes and the trash.

import { request, rpc } from './api.js';
import { ask, element } from './dom.js';
import { distance } from './format.js';
import { activityTitle, askHide, card, courseLink, downloadFrom, form, sportOptions, startText } from './history.js';
import { t } from './i18n.js';
import { fieldTime, zonedTime } from './local-time.js';
import { labelled, select } from './page.js';
import { exportFormats } from './tables.js';

export function reportLinks(id) {
  const link = (text, options) => element('a', { class: 'button', href: `/report.html#${id}${options}` }, text);
  return card(t('activity.report'), element('p', { class: 'soft' }, t('activity.report_help')),
    element('div', { class: 'buttons' }, link(t('activity.report_hidden'), ''),
      link(t('activity.report_whole'), '&hide=0')));
}

export function downloads(session, id) {
  const get = async (format) => {
    const choice = await askHide(t('activity.download_as', { format: t(`format.${format}`) }));
    if (choice === null) return;
    const { hide } = choice;
    if (format === 'html') await downloadFrom(session, `/api/activities/${id}/report`, { hide }, `activity-${id}.html`);
    else await downloadFrom(session, `/api/activities/${id}/file`, { format, ...choice });
  };
  return card(t('activity.downloads'), element('p', { class: 'soft' }, t('activity.downloads_help')),
    element('div', { class: 'buttons formats' }, [...exportFormats, 'html'].map((format) =>
      element('button', { type: 'button', onclick: () => get(format) }, t(`format.${format}`)))));
}

/** The dialog of name, sport and start; the last two not of an activity in progress. */
async function edit(session, { id, name, sport, started, open }, reload) {
  const nameInput = element('input', { maxLength: 64, value: name ?? '', required: name !== undefined,
    autocomplete: 'off' });
  const sportSelect = select(sportOptions(), sport, () => {});
  const start = started ? fieldTime(started) : '';
  const startInput = element('input', { type: 'datetime-local', step: 1, min: '2000-01-01T00:00:00',
    max: '2099-12-31T23:59:59', value: start, required: start !== '' });
  const isSent = await form(t('activity.edit'), [labelled(t('activity.name'), nameInput),
    labelled(t('activities.sport'), sportSelect), ...open ? [] : [labelled(t('activity.started'), startInput)]],
  t('history.save'));
  const changed = {};
  if (nameInput.value.trim() !== (name ?? '')) changed.name = nameInput.value.trim();
  if (sportSelect.value !== sport) changed.sport = sportSelect.value;
  if (startInput.value !== '' && zonedTime(startInput.value) !== (start && zonedTime(start))) {
    changed.started = zonedTime(startInput.value);
  }
  if (!isSent || Object.keys(changed).length === 0) return;
  if (await session.attempt(() => rpc('activities.edit', { id, ...changed })) === undefined) return;
  await reload();
  session.notice(t('history.saved'));
}

/** Asks, puts the activity in the trash, and offers to take it back. */
async function discard(session, summary, reload) {
  const { id } = summary;
  const answer = await ask(t('activity.trash_title', { name: activityTitle(summary) }), t('activity.trash_text', {
    start: startText(summary), distance: distance(summary.distance_m) }), [
    { value: 'trash', label: t('activity.trash'), kind: 'danger main' },
    { value: '', label: t('history.cancel'), autofocus: true }]);
  if (answer !== 'trash') return;
  if (await session.attempt(() => rpc('activities.trash', { id })) === undefined) return;
  const restore = element('button', { class: 'main', type: 'button', onclick: async () => {
    if (await session.attempt(() => rpc('activities.restore', { id }))) await reload();
  } }, t('activity.restore'));
  session.main.replaceChildren(back(), element('h1', {}, activityTitle(summary)),
    element('p', { role: 'status' }, t('activity.trashed')), restore);
  restore.focus();
}

/** Stores the way of the activity as a course. */
async function makeCourse(session, { id }) {
  const made = await session.attempt(async () =>
    (await request(`/api/activities/${id}/course`, { method: 'POST' })).json());
  if (!made) return;
  const name = made.name ?? t('courses.unnamed', { id: made.id });
  session.notice(t('activity.course_made', { name }), { link: courseLink(made.id) });
}

export function commands(session, summary, reload) {
  const why = session.whyNoCommand();
  if (why) return element('p', { class: 'soft' }, why);
  const button = (text, call, kind = '') => element('button', { class: kind, type: 'button', onclick: call }, text);
  return element('div', { class: 'buttons' },
    button(t('activity.edit'), () => edit(session, summary, reload)),
    button(t('activity.make_course'), () => makeCourse(session, summary)),
    summary.open ? null : button(t('activity.trash'), () => discard(session, summary, reload), 'danger'));
}

export const back = () => element('a', { class: 'back', href: '/activities.html' }, t('activity.back'));
