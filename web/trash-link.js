// The way to the trash, with the number of what is there.

import { getLines } from './api.js';
import { element, setText } from './dom.js';
import { number, t } from './i18n.js';

const LISTS = ['/api/activities', '/api/courses'];

/** What is in the trash: [activities, courses]. */
export const trashed = (signal) => Promise.all(LISTS.map((path) => getLines(path, { trash: 1 }, signal)));

/** A link to the trash. Its number comes later; without an answer it has none. */
export function trashLink() {
  const link = element('a', { class: 'to-trash', href: '/trash.html' }, t('nav.trash'));
  trashed().then((lists) => {
    const count = lists.flat().length;
    if (count > 0) setText(link, t('trash.link', { count: number(count) }));
  }, () => {});
  return link;
}
