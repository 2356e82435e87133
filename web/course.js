// The loaded course: its line for the map, its profile, and the strip with the next course point or the way back.

import { getJSON, rpc } from './api.js';
import { CourseLine } from './course-line.js';
import { element, setText, show } from './dom.js';
import { age, compass, height, percent, seconds, way } from './format.js';
import { clock, hasText, t } from './i18n.js';
import { Profile } from './profile.js';

/** Metres to the course up to which one is on it before a run, as in route-progress.js. */
const BESIDE = 50;
/** Metres to a turn from which on its card fills the strip. */
const [NEAR, NEAR_ON_FOOT] = [150, 40];
const ON_FOOT = ['run', 'walk', 'hike'];

export const isTurn = (type) => /left|right|straight|fork|u-turn/.test(type);

/** The FIT profile has no roundabout: engines name it. */
export const isRoundabout = ({ type, name }) => type === 'generic' && /\broundabout\b/i.test(name ?? '');

/** The type of a course point in words. */
export const cueName = (type) => (hasText(`cue.${type}`) ? t(`cue.${type}`) : t('cue.generic'));

/** A course point with its place, such as "Left in 120 m: Mill Lane". */
export function cueText({ type, name }, place) {
  if (!name) return `${cueName(type)} ${place}`;
  if (type === 'generic' || type === 'info') return `${name} ${place}`;
  return `${cueName(type)} ${place}: ${name}`;
}

/** What to do while off the course. */
export function backText(metres, bearing) {
  if (metres === undefined) return t('course.off_plain');
  const values = { distance: way(metres) };
  if (bearing === undefined) return t('course.off', values);
  return t('course.off_bearing', { ...values, direction: compass(bearing) });
}

const isPlaced = ({ position }) => position?.latitude !== undefined;

/** How old the position is, if that must be said; '' for one of now. */
function ageText(state) {
  if (!isPlaced(state)) return t('live.no_fix');
  return state.position.stale ? t('live.old_fix', { age: age(state.position.age_ms / 1000) }) : '';
}

/** Before the course is reached `return_m` is the way to its start. `line`: its CourseLine, if that is known. */
function approach({ return_m: metres, return_bearing_deg: bearing }, state, line, old) {
  const dot = { point: { type: 'generic' } };
  if (!isPlaced(state)) return { ...dot, words: t('course.no_position') };
  if (metres === undefined) return { ...dot, words: t('course.loaded') };
  const start = t('course.start_in', { distance: way(metres) });
  const isOld = old !== '';
  if (metres <= BESIDE) return { ...dot, words: t('course.on'), second: old, isOld };
  if (line?.away(state.position) <= BESIDE) return { ...dot, words: t('course.on'), second: old || start, isOld };
  const direction = bearing === undefined ? '' : t('course.go', { direction: compass(bearing) });
  return { ...arrowTo(bearing, state), words: start, second: old || direction, isOld };
}

/** An arrow against the direction of movement; north up while standing. */
function arrowTo(bearing, state) {
  if (bearing === undefined) return { point: { type: 'generic' } };
  return { point: { type: 'straight' }, degrees: bearing - (state.position?.track_deg ?? 0) };
}

/**
 * What the strip says of the block `course` of a state: { point, degrees, place, words, second, isOld, isNear }.
 * `point` and `degrees` are the arrow, `place` is the figure; `isNear`: a turn is so near that nothing else counts.
 */
export function stripOf(course, state, line = null) {
  const { status, cue, second_cue: then, return_m: metres, return_bearing_deg: bearing } = course;
  const old = ageText(state);
  if (course.progress_m === undefined && status !== 'done') return approach(course, state, line, old);
  if (status === 'wrong-way') {
    return { point: { type: 'u-turn' }, words: t('course.wrong-way'), second: old, isOld: old !== '' };
  }
  if (['off', 'rejoining'].includes(status)) {
    if (metres === undefined) return { point: { type: 'generic' }, words: t('course.no_position') };
    const back = bearing === undefined ? t('course.off_plain') : t('course.back', { direction: compass(bearing) });
    return { ...arrowTo(bearing, state), place: way(metres), isOld: old !== '', second: old,
      words: status === 'rejoining' ? `${back}, ${t('course.rejoining')}` : back };
  }
  if (!cue) {
    const left = course.remaining_m === undefined ? '' : way(course.remaining_m);
    const words = hasText(`course.${status}`) ? t(`course.${status}`) : '';
    return { point: { type: 'generic' }, place: left, words, second: old, isOld: old !== '' };
  }
  const after = then ? `${t('course.then')} ${cueText(then, t('course.in', { distance: way(then.distance_m) }))}` : '';
  const near = ON_FOOT.includes(state.sport) ? NEAR_ON_FOOT : NEAR;
  return { point: cue, place: way(cue.distance_m), words: [cueName(cue.type), cue.name].filter(Boolean).join(': '),
    second: old || after, isOld: old !== '',
    isNear: old === '' && state.run !== 'idle' && cue.distance_m <= near && (isTurn(cue.type) || isRoundabout(cue)) };
}

/** What comes next on the course, or the way back to it, in an element. */
export class CourseStrip {
  constructor(strip) {
    this.arrow = element('span', { class: 'arrow', 'aria-hidden': 'true' });
    this.place = element('b', { class: 'figures' });
    this.words = element('span', { class: 'words' });
    this.second = element('span', { class: 'second soft' });
    strip.append(this.arrow, this.place, element('span', { class: 'lines' }, this.words, this.second));
    this.node = strip;
  }

  /** Shows the block `course` of a state; hides the element without one. */
  render(course, state, line) {
    show(this.node, Boolean(course));
    if (!course) return;
    const { point, degrees, place = '', words, second = '', isOld = false, isNear = false } =
      stripOf(course, state, line);
    // Who has not reached the course has not left it.
    this.node.dataset.status = course.progress_m === undefined && course.status === 'off' ? 'ahead' : course.status;
    this.node.classList.toggle('is-old', isOld);
    this.node.classList.toggle('is-near', isNear);
    this.node.classList.toggle('is-moving', state.run !== 'idle');
    this.turnArrow(point, degrees);
    setText(this.place, place);
    show(this.place, place !== '');
    setText(this.words, words);
    setText(this.second, second);
  }

  /** Draws the arrow of a course point, turned clockwise by so many degrees. */
  async turnArrow(point, degrees = 0) {
    this.arrow.style.transform = degrees ? `rotate(${Math.round(degrees)}deg)` : '';
    // A page without a course needs no drawings.
    const { signOf, turnIcon } = await import('./turn-icons.js');
    const sign = signOf(point);
    if (this.sign !== sign) this.arrow.replaceChildren(turnIcon(sign));
    this.sign = sign;
  }
}

/** A strip above the data fields, and a card with the profile. */
export class Course {
  constructor(session, strip, card) {
    this.session = session;
    this.strip = new CourseStrip(strip);
    this.title = element('h2');
    this.rest = element('p', { class: 'figures' });
    this.climb = element('p', { class: 'figures' });
    card.append(this.title, this.rest, this.climb);
    this.profile = new Profile(card, { label: t('profile.label') });
    this.card = card;
    this.forget();
  }

  forget() {
    this.key = null;
    this.line = null;
    this.shape = null;
    this.drawn = null;
  }

  /** Loads line and profile if the course is another one. */
  async follow(course, onLoaded) {
    const key = course ? `${course.id ?? '-'} ${course.length_m}` : null;
    if (key === this.key) return;
    this.forget();
    this.key = key;
    if (!course) return onLoaded();
    const load = async (work, use) => {
      try {
        const result = await work();
        if (this.key === key) use(result);
      } catch {
        // The page works without it; the next connection tries again.
      }
    };
    await Promise.all([
      load(() => rpc('course.profile', { points: 500 }), (result) => { this.shape = result; }),
      course.id === undefined ? null : load(() => getJSON('/api/courses/loaded/file', { format: 'geojson' }),
        (result) => { this.line = new CourseLine(result, course.length_m); }),
    ]);
    if (this.key === key) onLoaded();
  }

  render(state) {
    const course = state.blocks?.course;
    this.strip.render(course, state, this.line);
    show(this.card, Boolean(course));
    if (course) this.renderCard(course, state);
  }

  renderCard(course, state) {
    setText(this.title, [course.name ?? t('course.course'), statusText(course, state, this.line)].join(': '));
    setText(this.rest, restText(course, state));
    const climb = course.climb ? climbText(course.climb) : '';
    setText(this.climb, climb);
    show(this.climb, climb !== '');
    this.climb.classList.toggle('warn', Boolean(course.climb) && course.climb.start_m <= 0);
    this.renderProfile(course);
  }

  renderProfile(course) {
    show(this.profile.figure, Boolean(this.shape?.altitude_m));
    if (!this.shape?.altitude_m) return;
    const active = course.climb ? course.climb.number - 1 : null;
    const drawn = `${this.key} ${active}`;
    if (drawn === this.drawn) {
      this.profile.setPosition(course.progress_m);
      return;
    }
    this.drawn = drawn;
    this.profile.set({
      lines: [{ distances: this.shape.distance_m, altitudes: this.shape.altitude_m, isFilled: true }],
      climbs: this.shape.climbs.map(({ start_m: start, top_m: top }) => ({ start, top })), active,
      position: course.progress_m ?? null });
  }
}

function statusText(course, state, line) {
  if (course.progress_m === undefined) return stripOf(course, state, line).words;
  if (course.status === 'on') return t('course.on');
  return course.return_m === undefined ? stripOf(course, state, line).words
    : backText(course.return_m, course.return_bearing_deg);
}

/** What is left of the course, in a sentence. */
export function restText(course, state) {
  const parts = [t('course.rest', { distance: way(course.remaining_m ?? course.length_m) })];
  const { remaining_ascent_m: ascent } = course;
  if (ascent !== undefined) parts.push(t('course.rest_ascent', { ascent: height(ascent) }));
  if (course.arrival_s !== undefined && state.time) {
    parts.push(t('course.arrival', { time: clock(Date.parse(state.time) + course.arrival_s * 1000) }));
  } else if (course.arrival_s !== undefined) {
    parts.push(t('course.arrival', { time: t('course.in', { distance: seconds(course.arrival_s) }) }));
  }
  return parts.join(', ');
}

function climbText(climb) {
  const isIn = climb.start_m <= 0;
  const title = t(isIn ? 'course.climb' : 'course.climb_in',
    { number: climb.number, count: climb.count, distance: way(climb.start_m) });
  return t('course.climb_text', {
    title, length: way(climb.top_m - (isIn ? 0 : climb.start_m)), ascent: height(climb.ascent_m),
    average: percent(climb.average_grade_percent), ahead: percent(climb.grade_ahead_percent) });
}
