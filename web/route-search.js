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

/** A failure as [sentence], or as [sentence, what paced-net says in English]. */
export function failureTexts(error) {
  const key = `routes.reason.${error.data?.reason}`;
  if (error.code === 'unreachable') return [t('outside.no_net')];
  return hasText(key) ? [t(key), error.message] : [errorText(error)];
}
