// The marks of a run in words. Their kinds are those of course points that are no turns and no climbs.

import { hasText, t } from './i18n.js';

export const markKinds = ['generic', 'summit', 'valley', 'water', 'food', 'danger', 'first-aid', 'sprint', 'campsite',
  'rest-area', 'service', 'checkpoint', 'shelter', 'meeting-spot', 'overlook', 'toilet', 'shower', 'gear',
  'sharp-curve', 'steep-incline', 'tunnel', 'bridge', 'obstacle', 'crossing', 'store', 'transport', 'info'];

/** The name of a kind; nothing of a mark of no special kind. */
export const markKind = (kind) => (kind === undefined || kind === 'generic' ? ''
  : hasText(`cue.${kind}`) ? t(`cue.${kind}`) : kind);

/** A mark in words: Mark 3: Water, Spring. */
export function markText({ mark, kind, text }) {
  const words = [markKind(kind), text].filter(Boolean).join(', ');
  return words ? t('mark.said', { number: mark, words }) : t('mark.plain', { number: mark });
}
