// The sentence of an EVENT, as in Sources/Console/AlertText.swift.

import { badgeName } from './badge-text.js';
import { backText, cueText } from './course.js';
import { decimal, distance, duration, height, pace, percent, speed, way } from './format.js';
import { t } from './i18n.js';
import { lapText } from './laps.js';
import { markText } from './mark-words.js';
import { stepTextWords } from './targets.js';

const figures = {
  heart_rate: (value) => `${decimal(value, 0)} bpm`, power: (value) => `${decimal(value, 0)} W`,
  cadence: (value) => `${decimal(value, 0)} rpm`, speed, pace, distance, time: (value) => duration(value * 1000),
  zone: (value) => decimal(value, 0), power_zone: (value) => decimal(value, 0),
};

const texts = {
  lap: ({ lap }, state) => t('event.lap', { number: lap.number, figures: lapText(lap, state?.sport) }),
  mark: markText,
  badge: ({ badge }) => t('event.badge', { badge: badgeName(badge) }),
  light: ({ light_left_s: left }) => t('event.light', { count: Math.round(left / 60) }),
  notice: ({ text }) => text,
  workout: (event) => (event.step === undefined ? t('event.workout_done') : t('event.workout', { ...event, text: stepTextWords(event.text) })),
  alert: alertText,
  cue: (event) => cueText(event, event.stage === 'here' ? t('course.here')
    : t('course.in', { distance: way(event.distance_m) })),
  climb: climbText,
  course: courseText,
};

/** A sentence for people; null for an event that needs none. */
export function eventText(event, state) {
  return texts[event.event]?.(event, state) ?? null;
}

function alertText(event) {
  const { alert, state, value, low, high } = event;
  if (alert === 'position_lost') return t(state === 'back' ? 'event.position_back' : 'event.position_lost');
  if (alert === 'sensor_lost') {
    return t(state === 'back' ? 'event.sensor_back' : 'event.sensor_lost', { sensor: event.sensor ?? '' });
  }
  const shape = figures[alert];
  if (!shape || value === undefined) return null;
  if (state === 'reached') return t('event.reached', { value: shape(value) });
  const words = { name: t(`event.alert.${alert}`), value: shape(value) };
  if (state === 'low' && low !== undefined) {
    return t(alert === 'pace' ? 'event.slow' : 'event.low', { ...words, limit: shape(low) });
  }
  if (state === 'high' && high !== undefined) {
    return t(alert === 'pace' ? 'event.fast' : 'event.high', { ...words, limit: shape(high) });
  }
  return t('event.within', words);
}

function climbText(event) {
  const title = t('course.climb', { number: event.number, count: event.count });
  if (event.change === 'top') return t('course.climb_top', { title });
  return t('course.climb_start', { title, length: way(event.length_m), ascent: height(event.ascent_m),
    average: percent(event.average_grade_percent) });
}

function courseText(event, state) {
  if (event.change === 'off') return backText(event.off_m, state?.blocks?.course?.return_bearing_deg);
  const text = t(`course.${event.change}`);
  return event.change === 'loaded' && event.name ? `${text}: ${event.name}` : text;
}
