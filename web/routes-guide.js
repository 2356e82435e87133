// Guidance along a route, before a run is started: what comes next, a map that is turned to it, and a new route for who
// has left the old one.

import { rpc } from './api.js';
import { CourseStrip, restText } from './course.js';
import { storeCourse } from './course-file.js';
import { element, setText, show } from './dom.js';
import { t } from './i18n.js';
import { bearingBetween, metresBetween } from './outside.js';
import { RouteFollower } from './route-follower.js';
import { RouteProgress } from './route-progress.js';
import { failureTexts, findRoutes } from './route-search.js';
import { placeAlong, pointsAhead } from './via-points.js';
import { WakeLock } from './wake.js';

/** Metres of a pixel. */
const SCALES = { walk: 0.8, run: 1, ride: 2 };
/** The trip in the memory of the tab. */
const KEPT = 'paced.routes.trip';
/** Metres to a turn, below which its bearing is noise. */
const NEAR = 15;

const coordinate = ({ latitude, longitude }) => ({ lat: latitude, lon: longitude });

/**
 * The guidance; `onEnd()` reports that the user ends it. A trip is { course, name, profile, to, points }: a route of
 * course-file.js, the name of its course, and what is asked for again: the destination and the points before it.
 */
export class RouteGuide {
  constructor(session, map, onEnd) {
    Object.assign(this, { session, map, onEnd, isOn: false, trip: null });
    this.wake = new WakeLock();
    this.strip = new CourseStrip(element('div', { class: 'guide-next', hidden: true }));
    this.strip.words.setAttribute('role', 'status');
    this.rest = element('p', { class: 'figures' });
    this.said = element('p', { class: 'guide-said', role: 'status' });
    this.heading = element('h2', { tabIndex: -1 });
    this.runLink = element('a', { class: 'button main-link', href: '/' }, t('routes.start_run'));
    this.endButton = element('button', { type: 'button', onclick: () => this.end() });
    this.node = element('section', { class: 'guide', hidden: true }, this.heading, this.strip.node, this.rest,
      this.said, element('div', { class: 'buttons' }, this.runLink, this.endButton));
  }

  /** Loads the route of a trip, and guides. */
  async begin(trip) {
    const stored = await this.session.attempt(() => storeCourse(trip.course, trip.name, { load: true }));
    if (!stored) return;
    this.start(trip, stored);
    // A reload goes on with the guidance, not with another search.
    history.replaceState(null, '', location.pathname);
    this.keep();
  }

  /** Goes on with the guidance of before a reload, if that course is still loaded. */
  resume(loaded) {
    const { trip, stored } = JSON.parse(sessionStorage.getItem(KEPT)) ?? {};
    if (trip && stored.id === loaded) this.start(trip, stored);
    else this.keep();
  }

  /** Keeps the trip over a reload. */
  keep() {
    try {
      if (this.trip) sessionStorage.setItem(KEPT, JSON.stringify({ trip: this.trip, stored: this.stored }));
      else sessionStorage.removeItem(KEPT);
    } catch {
      // A route that is too long for it ends with the page.
    }
  }

  start(trip, stored) {
    Object.assign(this, { trip, stored, loaded: stored.id, follower: new RouteFollower(stored.id),
      progress: new RouteProgress(trip.course), isOn: true, isAsking: false, problem: null, bearing: undefined });
    setText(this.heading, t('routes.guide', { name: trip.name }));
    setText(this.rest, t('routes.guide_waits'));
    setText(this.endButton, t('routes.guide_end'));
    show(this.runLink, true);
    this.say('');
    show(this.node, true);
    document.body.classList.add('guiding');
    this.wasDirectionUp = this.map.isDirectionUp;
    this.map.isUnderWay = true;
    this.map.setDirectionUp(true);
    this.map.followPosition(SCALES[trip.profile]);
    this.wake.want(true);
    this.draw();
    scrollTo(0, 0);
    this.heading.focus({ preventScroll: true });
  }

  say(text) {
    setText(this.said, text);
    show(this.said, text !== '');
  }

  /** Takes a STATE line; `here`: its position for the map, or null. */
  take(state, here) {
    if (!this.trip) return;
    const loaded = state.blocks.course;
    // paced follows the course in a run only.
    const own = state.run === 'idle' && here ? this.progress.take(here, loaded?.ascent_m) : {};
    const course = loaded?.id === this.stored.id ? { ...loaded, ...own } : null;
    this.loaded = loaded?.id;
    if (here && course) this.bearing = this.bearingOf(course, here);
    // The arrow back to the course is that of the turned map.
    const up = this.map.isDirectionUp ? this.bearing : 0;
    this.strip.render(course, { ...state, position: { ...state.position, track_deg: up } });
    if (!here || here.isStale) setText(this.rest, t('routes.guide_lost'));
    else if (course) setText(this.rest, restText(course, state));
    this.map.setPosition(here && { ...here, along: this.bearing });
    if (this.isAsking) return;
    const answer = this.follower.receive(course ?? loaded, Boolean(here) && !here.isStale, performance.now());
    if (answer === 'ask') this.ask(here, course.progress_m ?? 0);
    else if (answer !== 'wait') this.finish(answer);
  }

  /** The bearing of the next turn, of the end, or of the way back. */
  bearingOf(course, here) {
    if (course.return_bearing_deg !== undefined) return course.return_bearing_deg;
    if (course.progress_m === undefined) return this.bearing;
    const { distances } = this.trip.course;
    const ahead = course.cue?.distance_m ?? course.remaining_m;
    const place = placeAlong(this.trip.course, (course.progress_m + ahead) / course.length_m * distances.at(-1));
    return metresBetween(here, place) < NEAR ? this.bearing : bearingBetween(here, place);
  }

  /** Puts a route from here in the place of the old one. */
  async ask(here, progress) {
    const { trip, stored } = this;
    const isCurrent = () => this.trip === trip && this.loaded === stored.id;
    this.isAsking = true;
    if (!this.problem) this.say(t('routes.off_route'));
    try {
      const points = pointsAhead(trip.points, trip.course, progress);
      const params = { from: coordinate(here), to: coordinate(trip.to), profile: trip.profile };
      if (points.length > 0) params.via = points.map(coordinate);
      const { courses: [course] } = await findRoutes(params, undefined, 1);
      if (!isCurrent()) return;
      if (!course) throw new Error(t('routes.reason.no-route'));
      const newer = await storeCourse(course, trip.name, { load: true });
      // The list keeps what it had before the guidance. A course that is left over does no harm.
      if (!stored.isOld && newer.id !== stored.id) await rpc('course.delete', { id: stored.id }).catch(() => {});
      Object.assign(trip, { course, points });
      Object.assign(this, { stored: newer, problem: null, progress: new RouteProgress(course) });
      this.follower.follow(newer.id);
      this.keep();
      this.say(t('routes.new_route'));
      this.draw();
    } catch (error) {
      this.fail(failureTexts(error)[0]);
    } finally {
      this.isAsking = false;
    }
  }

  /** Tells a failure once; paced goes on guiding back to the route. */
  fail(why) {
    if (why !== this.problem) this.say(t('routes.no_new_route', { why }));
    this.problem = why;
  }

  /** `how`: 'arrived' or 'replaced', of RouteFollower. */
  finish(how) {
    this.trip = null;
    this.keep();
    this.strip.render(null);
    setText(this.rest, '');
    this.say(t(`routes.${how}`));
    setText(this.endButton, t('routes.guide_close'));
    show(this.runLink, false);
    this.wake.want(false);
  }

  end() {
    Object.assign(this, { isOn: false, trip: null });
    this.keep();
    this.wake.want(false);
    show(this.node, false);
    document.body.classList.remove('guiding');
    this.map.isUnderWay = false;
    this.map.setDirectionUp(this.wasDirectionUp);
    this.onEnd();
  }

  draw() {
    const { course: { vertices, points }, to, points: between } = this.trip;
    const line = vertices.map(({ latitude, longitude }) => [latitude, longitude]);
    this.map.setLines([{ points: line, colour: '--course', width: 8 },
      { points: line, colour: null, width: 8, arrows: true }]);
    const place = ({ latitude, longitude }) => ({ latitude, longitude });
    this.map.setPoints([...points.map(({ vertex }) => ({ ...place(vertices[vertex]), radius: 4 })),
      ...between.map((point, index) => ({ ...place(point), radius: 11, inner: String(index + 1) })),
      { ...place(to), shape: 'flag', colour: '--accent', label: to.name ?? t('routes.destination') }]);
  }
}
