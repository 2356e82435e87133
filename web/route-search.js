// Requests of route.find, and what their failures mean.

import { rpc } from './api.js';
import { fetchRoute } from './course-file.js';
import { errorText, hasText, t } from './i18n.js';

/** The answer of route.find, with the `courses` of its first routes: of all if `count` is left out. */
export async function findRoutes(params, signal, count = Infinity) {
  const answer = await rpc('route.find', params, signal);
  answer.courses = [];
  for (let index = 0; index < Math.min(answer.routes.length, count); index += 1) {
    answer.courses.push(await fetchRoute(answer.search, index, signal));
  }
  return answer;
}

/** Failures about which paced-net says no more. */
const PLAIN = ['unresolved', 'unreachable', 'cut-off', 'too-long'];

/** A failure as [sentence], or as [sentence, what paced-net says in English]. */
export function failureTexts(error) {
  const { reason } = error.data ?? {};
  const key = `routes.reason.${reason}`;
  if (error.code === 'unreachable') return [t('outside.no_net')];
  if (!hasText(key)) return [errorText(error)];
  return PLAIN.includes(reason) ? [t(key)] : [t(key), error.message];
}
