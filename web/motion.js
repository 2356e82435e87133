// What only a run with a course or a workout needs: parts of the live page that are loaded when they are first wanted.

import { element } from './dom.js';
import { t } from './i18n.js';
import { keep, kept } from './store.js';

const KEY = 'paced.climbs';

/** Whether a page opens at climbs: a matter of the browser. */
export const opensAtClimbs = () => kept(KEY) !== 'off';

/** A part of the page: `load()` resolves to it, and its render(state) shows what there is. */
class Part {
  constructor(load) {
    this.load = load;
    this.shown = null;
  }

  async render(state, isWanted) {
    this.state = state;
    if (this.shown) return this.shown.render(state);
    if (!isWanted || this.isLoading) return undefined;
    this.isLoading = true;
    try {
      this.shown = await this.load();
      return this.shown.render(this.state);
    } catch {
      // The next state tries again.
      this.isLoading = false;
      return undefined;
    }
  }
}

export class Motion {
  /** `view`: the place of the data fields. `course`: of course.js. `step`: the place of the step of a workout. */
  constructor(view, course, step) {
    this.climb = new Part(async () => new (await import('./climb.js')).ClimbPage(view, course));
    this.workout = new Part(async () => new (await import('./workout-step.js')).WorkoutStep(step));
  }

  render(state) {
    const { course, workout } = state.blocks ?? {};
    if (course || workout) this.loadStyles();
    this.climb.render(state, Boolean(course?.climb) && state.run !== 'idle');
    this.workout.render(state, Boolean(workout));
  }

  loadStyles() {
    if (this.hasStyles) return;
    this.hasStyles = true;
    document.head.append(element('link', { rel: 'stylesheet', href: '/motion.css' }));
  }

  /** Turns away from the page of a climb; returns whether it was open. */
  leaveClimb() {
    return this.climb.shown?.leave() ?? false;
  }

  /** The choice of the browser whether a page opens at climbs. */
  choice() {
    const box = element('input', { type: 'checkbox', checked: opensAtClimbs(),
      onchange: () => keep(KEY, box.checked ? null : 'off') });
    return element('label', { class: 'check' }, box, element('span', {}, t('climb.page')));
  }
}
