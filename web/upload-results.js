// What became of an uploaded file, as elements. pacectl names the activities and the course in its English message.

import { getJSON } from './api.js';
import { element } from './dom.js';
import { distance, duration } from './format.js';
import { activityAddress, activityTitle, courseLink, startText } from './history.js';
import { t } from './i18n.js';

/** The activities of a file: it can have several. */
export async function importedActivities(message, file) {
  const ids = [...message.replaceAll(file, '').matchAll(/ is activity (\d+): /g)].map(([, id]) => id);
  const all = await Promise.all(ids.map(async (id) => (await getJSON(`/api/activities/${id}`)).summary));
  return all.flatMap((one) => {
    const figures = [activityTitle(one), distance(one.distance_m), duration(one.elapsed_ms), startText(one)].join(', ');
    return [element('p', {}, t('activities.imported', { file, id: one.id, figures })),
      element('a', { href: activityAddress(one.id) }, t('activities.show'))];
  });
}

/** The course of a file, which may be in the list already, or loaded. */
export async function storedCourse(message) {
  const id = Number(/ course (\d+)/.exec(message)?.[1]);
  const { course } = await getJSON(`/api/courses/${id}`);
  const state = message.startsWith('The same course') ? 'was_there' : 'was_stored';
  const key = message.includes('.; Loaded: ') ? `courses.${state}_loaded` : `courses.${state}`;
  const name = course.name ?? t('courses.unnamed', { id });
  return [element('p', {}, t(key, { name })), courseLink(id)];
}
