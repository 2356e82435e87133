// Names and stories of badges.

import { hasText, t } from './i18n.js';

/** The part of a key that names a badge: "Earth's Magnetotail" is magnetotail. */
export const badgeKey = (name) => name.toLowerCase().replace(/^(the|earth's) /, '').replaceAll(' ', '-');

/** The name in the user's language, or the one of paced. */
export function badgeName(name) {
  const key = `badges.name.${badgeKey(name)}`;
  return hasText(key) ? t(key) : name;
}

/** A sentence or two about the place in the Solar System; null for an unknown badge. */
export function badgeStory(name) {
  const key = `badges.story.${badgeKey(name)}`;
  return hasText(key) ? t(key) : null;
}
