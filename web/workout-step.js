// The step of a workout in motion: what is left in large digits, the target as a gauge, and the next step.

import { element, setText, show } from './dom.js';
import { t } from './i18n.js';
import { kinds, lengthWords, rangeWords, readStep, stepTextWords, targetWords } from './targets.js';
import { gaugeOf, leftOf } from './workout-figures.js';

export class WorkoutStep {
  constructor(node) {
    this.node = node;
    this.left = element('b', { class: 'step-left figures' });
    this.name = element('span', { class: 'step-name' });
    this.next = element('span', { class: 'step-next soft' });
    this.gauge = new Gauge();
    node.append(this.left, element('div', { class: 'step-words' }, this.name, this.gauge.node, this.next));
  }

  render(state) {
    const { workout } = state.blocks ?? {};
    show(this.node, Boolean(workout));
    if (!workout) return;
    const step = workout.done ? null : readStep(workout.text);
    const left = workout.done ? null : leftOf(workout, state.speed_mps);
    setText(this.left, left?.text ?? (workout.done ? '' : t('live.make_lap')));
    this.node.classList.toggle('is-last', Boolean(left?.isLast));
    setText(this.name, workout.done ? t('live.workout_done') : nameOf(workout, step));
    setText(this.next, workout.next ? t('live.workout_next', { step: stepTextWords(workout.next) }) : '');
    this.gauge.render(step?.target, workout.target_state, state);
  }
}

/** Such as "2/5 · 25–30 km/h · Steady": there is little room, and the unit says what it is. A zone has none. */
function nameOf(workout, step) {
  const wordsOf = kinds[step?.target?.kind]?.isZone ? targetWords : rangeWords;
  const parts = step ? [step.target ? wordsOf(step.target) : '',
    step.name || (step.length === 'lap' || step.target ? '' : lengthWords(step))] : [stepTextWords(workout.text)];
  return [`${workout.step}/${workout.steps}`, ...parts].filter(Boolean).join(' · ');
}

/** A bar with the range of a target, and the value on it and beside it. */
class Gauge {
  constructor() {
    this.range = element('i', { class: 'gauge-range' });
    this.mark = element('i', { class: 'gauge-mark' });
    this.bar = element('span', { class: 'gauge-bar' }, this.range, this.mark);
    this.value = element('b', { class: 'gauge-value figures' });
    this.judged = element('span', { class: 'gauge-state' });
    this.node = element('div', { class: 'gauge', role: 'meter', 'aria-valuemin': '0', 'aria-valuemax': '100' },
      this.bar, this.value, this.judged);
  }

  /** `judged`: where paced says that the value is: low, within or high. */
  render(target, judged, state) {
    show(this.node, Boolean(target));
    if (!target) return;
    const { low, high, at, value } = gaugeOf(target, state);
    const percent = (part) => `${Math.round(part * 1000) / 10}%`;
    this.range.style.left = percent(low);
    this.range.style.width = percent(high - low);
    show(this.mark, at !== null);
    if (at !== null) this.mark.style.left = percent(at);
    // A value of which nothing is known is neither slow nor fast.
    const words = at === null || !judged ? '' : t(`live.target_${judged}`);
    this.node.dataset.state = at === null ? 'none' : judged ?? 'none';
    setText(this.value, value);
    setText(this.judged, words);
    this.node.setAttribute('aria-label', targetWords(target));
    this.node.setAttribute('aria-valuenow', String(Math.round((at ?? 0) * 100)));
    this.node.setAttribute('aria-valuetext', [value, words].filter(Boolean).join(', '));
  }
}
