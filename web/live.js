// The live page: the run screen, the map, laps, and the commands of the run.

import { rpc } from './api.js';
import { Controls, summaryCard } from './controls.js';
import { Course, isTurn } from './course.js';
import { element, setText, show } from './dom.js';
import { eventText } from './events.js';
import { shownPages } from './fields.js';
import { age } from './format.js';
import { Gestures } from './gestures.js';
import { clock, t } from './i18n.js';
import {
  Lines, detailText, faultRow, infoLines, infoRow, linkLines, linkRow, runText, summaryFigures,
} from './info.js';
import { Laps } from './laps.js';
import { RouteMap } from './map.js';
import { Motion } from './motion.js';
import { NearestStrap } from './nearest-strap.js';
import { declare, isOwn } from './own-fields.js';
import { isKiosk, start } from './page.js';
import { isSame } from './saving.js';
import { Stage } from './stage.js';
import { Banner, faultText, Memory, urgentStates } from './states.js';
import { keep, kept } from './store.js';
import { followSun } from './theme.js';
import { Trail } from './trail.js';
import { WakeLock, wakeText } from './wake.js';

const BLOCKS = ['fields', 'lap', 'zones', 'workout', 'badges', 'course', 'partner', 'sun', 'wind'];
/** Notices of events that are older are not shown. */
const NEWS = 20_000;
/** In the browser, of first-minute.js. */
const FIRST = 'paced.first';
const wide = matchMedia('(min-width: 900px) and (min-height: 500px)');

const session = await start({ needs: 'live', name: 'live' });

class LivePage {
  constructor() {
    this.state = null;
    this.page = 0;
    this.connections = 0;
    this.drawnLines = null;
    this.trail = new Trail();
    this.memory = new Memory();
    this.wake = new WakeLock();
    this.build();
    this.listen();
    if (kept('paced.signals')) this.loadSignals();
    if (isKiosk) import('./kiosk.js').then(({ KioskKeys }) => new KioskKeys(this.controls));
    this.connect();
  }

  // The page

  build() {
    const { main } = session;
    main.classList.add('live');
    this.buildStatus();
    this.faults = element('ul', { class: 'faults', role: 'alert', hidden: true });
    this.faultLines = new Lines(this.faults, faultRow);
    session.top.append(this.faults);
    const strip = element('section', { class: 'strip', 'aria-label': t('course.course'), hidden: true });
    const step = element('section', { class: 'step', 'aria-label': t('live.workout'), hidden: true });
    const view = element('section', { class: 'view', 'aria-label': t('live.fields') });
    this.stage = new Stage(view);
    this.stage.onResize = () => this.schedule();
    this.stage.strap = new NearestStrap(session, () => this.schedule());
    this.old = element('p', { class: 'old-note', role: 'status', hidden: true });
    view.append(this.old);
    const side = this.buildSide();
    this.course = new Course(session, strip, this.courseCard);
    this.motion = new Motion(view, this.course, step);
    const strips = element('div', { class: 'strips' }, strip, step);
    // On a low screen they lie over the fields together.
    const deck = element('div', { class: 'deck' }, this.buildPager(), this.buildControls(), this.links);
    main.append(element('h1', { class: 'unseen' }, t('nav.live')), strips, view, side, deck, session.faultLine,
      session.noticeLine);
    this.gestures = new Gestures([view, side.querySelector('.lap-side')], (by) => this.turn(by));
    this.buildDisplay();
    this.offerFirst(view);
  }

  /** What a device without activities needs: loaded for it only. */
  async offerFirst(view) {
    if (kept(FIRST) === 'hidden' || !session.canCommand || session.liveOnly) return;
    const recorded = await rpc('activities.list', { limit: 1 }).catch(() => null);
    if (recorded === null) return;
    if (recorded.length > 0) return keep(FIRST, 'hidden');
    const { FirstMinute } = await import('./first-minute.js');
    this.first = new FirstMinute(view);
    return this.schedule();
  }

  buildStatus() {
    this.dot = element('span', { class: 'dot', 'aria-hidden': 'true' });
    this.run = element('b');
    this.detail = element('span', { class: 'detail soft figures' });
    this.clock = element('span', { class: 'clock figures' });
    this.status = element('div', { class: 'status' }, this.dot, this.run, this.detail, this.clock);
    this.banner = new Banner(this.status);
    this.status.append(session.connectionLine);
    const place = () => {
      const bar = session.top.querySelector('.bar .here');
      const isInBar = bar && matchMedia('(max-width: 999px)').matches;
      if (isInBar) bar.replaceChildren(this.status);
      else session.main.prepend(this.status);
    };
    place();
    matchMedia('(max-width: 999px)').addEventListener('change', place);
  }

  buildSide() {
    this.mapCard = element('div', { class: 'map-card' });
    this.courseCard = element('section', { class: 'card course-card', hidden: true });
    const lapsCard = element('section', { class: 'card laps-card', 'aria-label': t('live.laps') });
    this.info = element('dl', { class: 'info', hidden: true });
    this.infoRows = new Lines(this.info, infoRow);
    this.map = new RouteMap(this.mapCard, { label: t('map.label') });
    this.laps = new Laps(lapsCard);
    this.links = element('ul', { class: 'links' });
    this.linkRows = new Lines(this.links, linkRow);
    return element('div', { class: 'side' }, this.mapCard, this.courseCard,
      element('div', { class: 'lap-side' }, lapsCard, this.info));
  }

  buildPager() {
    const button = (text, name, by) => element('button', { type: 'button', class: name, 'aria-label': t(`live.${name}`),
      onclick: () => this.turn(by) }, text);
    this.dots = element('span', { class: 'dots', 'aria-hidden': 'true' });
    this.figure = element('span', { class: 'figure figures', 'aria-hidden': 'true' });
    this.pageText = element('span', { class: 'unseen', role: 'status' });
    this.pager = element('div', { class: 'pager' }, button('‹', 'previous', -1), this.dots, this.figure,
      this.pageText, button('›', 'next', 1));
    return this.pager;
  }

  buildControls() {
    const row = element('div', { class: 'controls', role: 'group', 'aria-label': t('live.controls') });
    this.controls = new Controls(row, session, (method, result) => this.commanded(method, result));
    return row;
  }

  /** Full screen, the map and what the browser says about the screen, in the panel of the display. */
  buildDisplay() {
    if (!session.display) return;
    const wakeLine = element('p', { class: 'soft' }, wakeText());
    const button = element('button', { type: 'button', onclick: () => toggleFullScreen() }, t('live.fullscreen'));
    document.addEventListener('fullscreenchange', () =>
      setText(button, t(document.fullscreenElement ? 'live.leave_fullscreen' : 'live.fullscreen')));
    const zoom = element('input', { type: 'checkbox', checked: this.map.isZoomedBySpeed,
      onchange: () => this.map.zoomBySpeed(zoom.checked) });
    session.display.prepend(...(document.fullscreenEnabled ? [button] : []), wakeLine,
      element('label', { class: 'check' }, zoom, element('span', {}, t('map.by_speed'))), this.motion.choice());
    session.display.parentNode.addEventListener('toggle', () => this.addSignals(zoom.parentNode), { once: true });
  }

  /** Sound and vibration: loaded if the browser keeps some, or somebody looks for them. */
  async loadSignals() {
    const { Signals } = await import('./signals.js');
    this.signals ??= new Signals((text) => session.notice(text));
  }

  async addSignals(place) {
    await this.loadSignals();
    place.after(this.signals.choice());
  }

  listen() {
    wide.addEventListener('change', () => this.schedule());
    addEventListener('paced-theme', () => this.changeTheme());
  }

  // Lines of the daemon

  connect() {
    this.watch = { classes: ['STATE', 'EVENT', 'SETTINGS'], this_run: true,
      ...(session.liveOnly ? {} : { topics: ['weather'] }), ...this.wants() };
    this.stream = session.stream(this.watch, (line, isReplayed) => this.take(line, isReplayed),
      { since: 0, onState: ({ state }) => this.connection(state), onAge: (age) => this.showAge(age) });
  }

  /** Paper changes once a second at most. Fields of other programs have a block of their own. */
  wants() {
    const hasOwn = session.settings.screens?.[this.sport]?.some(({ fields }) =>
      fields.some((field) => isOwn(field.field ?? field)));
    return { interval_ms: isPaper() ? 1000 : 200, blocks: hasOwn ? [...BLOCKS, 'own_fields'] : BLOCKS };
  }

  /** Asks for other lines if the theme, the sport or the pages want others. */
  rewatch() {
    const watch = { ...this.watch, ...this.wants() };
    if (isSame(watch, this.watch)) return;
    this.watch = watch;
    this.stream.rewatch(watch);
  }

  changeTheme() {
    this.drawnLines = null;
    this.rewatch();
    this.schedule();
  }

  get sport() {
    return this.state?.sport ?? session.settings.sport ?? 'run';
  }

  connection(state) {
    if (state !== 'lost') return;
    this.lostAt ??= performance.now();
    this.schedule();
  }

  take(line, isReplayed) {
    switch (line.class) {
      case 'VERSION': this.begin(line); break;
      case 'STATE': this.takeState(line); break;
      case 'EVENT': this.takeEvent(line, isReplayed); break;
      case 'DATA': this.takeWeather(line); break;
      case 'SETTINGS': this.rewatch(); this.schedule(); break;
      case 'DROPPED': if (line.events > 0) this.loadRun(); break;
      case 'ERROR': session.fail(new Error(line.message)); break;
      default:
    }
  }

  begin({ instance }) {
    this.connections += 1;
    // A daemon that was killed may have lost its last seconds: the journal says what is left.
    if (this.instance && this.instance !== instance) this.shownActivity = this.lapsOf = this.activity = undefined;
    this.instance = instance;
    const wasAway = this.lostAt !== undefined && performance.now() - this.lostAt > 5000;
    this.lostAt = undefined;
    this.course.forget();
    this.weather?.take(null);
    if (wasAway) this.activity = undefined;
  }

  takeState(state) {
    const { sport } = this;
    this.state = state;
    if (this.sport !== sport) this.rewatch();
    declare(state.blocks?.own_fields);
    this.isFresh = true;
    this.memory.take(state);
    this.followRun(state);
    this.course.follow(state.blocks?.course, () => this.drawCourse());
    this.wake.want(state.run === 'active');
    followSun(state.blocks?.sun?.state);
    this.schedule();
  }

  /** The weather beside the start: its code is loaded when there is some. */
  async takeWeather(line) {
    if (session.liveOnly) return;
    const { WeatherNow } = await import('./weather-now.js');
    this.weather ??= new WeatherNow(this.controls.parent, this.controls.start, session.main);
    this.weather.take(line);
    this.schedule();
  }

  /** Keeps the trail; loads what was before the page. */
  followRun(state) {
    if (state.run === 'idle') {
      // The trail of the last run stays until the next one.
      this.activity = undefined;
      return;
    }
    if (state.activity !== undefined && state.activity !== this.activity) {
      this.activity = state.activity;
      if (state.activity !== this.shownActivity) this.forgetRun(state.activity);
      if (state.elapsed_ms > 3000) this.loadRun();
    }
    const { position } = state;
    if (state.run === 'paused') this.trail.break();
    else if (position && !position.stale && !state.indoor) this.trail.add(position.latitude, position.longitude);
  }

  forgetRun(activity) {
    this.shownActivity = activity;
    this.trail.clear();
    if (this.lapsOf !== activity) this.laps.clear();
    this.lapsOf = activity;
    this.map.followPosition(3);
  }

  async loadRun() {
    const { activity, elapsed_ms: time } = this.state ?? {};
    if (activity === undefined) return;
    try {
      await Promise.all([this.laps.load(activity), this.trail.load(activity, time)]);
    } catch {
      // The page goes on with what comes.
    }
    this.schedule();
  }

  takeEvent(event, isReplayed) {
    switch (event.event) {
      case 'start':
        if (!event.resumed) this.laps.clear();
        this.lapsOf = event.activity;
        this.closeSummary();
        break;
      case 'lap': this.laps.add(event.lap); break;
      case 'stop':
        this.first?.end();
        if (this.isNews(event, isReplayed)) this.showSummary(event.summary);
        break;
      case 'discard':
        this.laps.clear();
        if (this.isNews(event, isReplayed)) session.notice(t('live.discarded'));
        break;
      default:
    }
    const text = this.isNews(event, isReplayed) ? eventText(event, this.state) : null;
    if (text) {
      session.notice(text, { isLarge: event.event === 'lap' });
      this.signals?.play(event.event);
    }
    this.schedule();
  }

  /** Whether people should hear of the event: it is new, or was missed only just now. */
  isNews(event, isReplayed) {
    if (!isReplayed) return true;
    // The state may be of a tick before the event.
    const age = (this.state?.boot_ms ?? 0) - event.boot_ms;
    return this.connections > 1 && Math.abs(age) < NEWS;
  }

  // After a command

  commanded(method, result) {
    if (result !== undefined && this.state) {
      const run = { 'run.start': 'active', 'run.stop': 'idle', 'run.discard': 'idle' }[method] ?? result?.run;
      if (run) this.state = { ...this.state, run };
    }
    this.schedule();
  }

  showSummary(summary) {
    this.closeSummary();
    this.summary = summaryCard(summary, summaryFigures(summary), !session.liveOnly, () => this.closeSummary());
    session.main.append(this.summary);
  }

  closeSummary() {
    this.summary?.remove();
    this.summary = null;
  }

  // Drawing

  schedule() {
    if (this.isDue) return;
    this.isDue = true;
    requestAnimationFrame(() => {
      this.isDue = false;
      this.render();
    });
  }

  render() {
    const { state } = this;
    const isInRun = state !== null && state.run !== 'idle';
    document.body.classList.toggle('in-run', isInRun);
    document.body.dataset.run = state?.run ?? '';
    this.stage.setInRun(isInRun);
    this.controls.update(state, Boolean(this.isFresh));
    this.weather?.update(state);
    this.renderStatus();
    this.renderPages();
    if (!state) return;
    // In a run the banner has them.
    this.faultLines.render(isInRun ? [] : state.faults.map(faultText));
    this.infoRows.render(infoLines(state));
    this.linkRows.render(linkLines(state));
    this.course.render(state);
    this.first?.render(state, session.settings, this.page === 0);
    this.motion.render(state);
    if (!this.side.isMapHidden) this.renderMap();
    if (!this.side.areLapsHidden) this.laps.render(state);
  }

  renderStatus() {
    const { state } = this;
    setText(this.run, runText(state));
    this.dot.dataset.run = state ? (state.auto_paused ? 'paused' : state.run) : 'away';
    setText(this.detail, state ? detailText(state) : '');
    setText(this.clock, state?.time ? clock(state.time) : '');
    const shown = (this.pages ?? []).flat().map(({ field }) => field);
    this.banner.render(urgentStates(state, this.memory, shown));
  }

  renderPages() {
    const { sport, state } = this;
    this.pages = this.stage.pagesThatFit(shownPages(session.settings, sport, state), state, session.settings);
    const count = this.pageCount();
    this.page = count === 0 ? 0 : Math.min(this.page, count - 1);
    const extra = wide.matches ? 0 : this.page - this.pages.length;
    const shown = wide.matches || extra < 0 ? 'fields' : ['map', 'laps'][extra] ?? 'fields';
    session.main.dataset.view = shown;
    this.side = { isMapHidden: !wide.matches && shown !== 'map', areLapsHidden: !wide.matches && shown !== 'laps' };
    if (shown === 'fields') this.stage.render(this.pages[this.page], state, session.settings);
    this.renderPager(count, shown);
  }

  pageCount() {
    return this.pages.length + (wide.matches ? 0 : 2);
  }

  renderPager(count, shown) {
    show(this.pager, count > 1);
    if (this.dots.children.length !== count) {
      this.dots.replaceChildren(...Array.from({ length: count }, () => element('i')));
    }
    [...this.dots.children].forEach((dot, index) => dot.classList.toggle('on', index === this.page));
    this.pager.classList.toggle('many', count > 8);
    setText(this.figure, `${this.page + 1}/${count}`);
    const text = t('live.page', { page: this.page + 1, pages: count });
    setText(this.pageText, shown === 'fields' ? text : `${text}: ${t(`live.page_${shown}`)}`);
  }

  turn(by) {
    if (this.motion.leaveClimb()) return;
    const count = this.pageCount();
    if (count === 0) return;
    this.page = (this.page + by + count) % count;
    this.schedule();
  }

  renderMap() {
    const { position, run } = this.state;
    const { cue } = this.state.blocks?.course ?? {};
    this.drawLines();
    const isStale = Boolean(position?.stale) || !this.isFresh;
    this.map.isUnderWay = run === 'active';
    const key = position ? `${position.latitude} ${position.longitude} ${position.track_deg} ${isStale}` : '';
    if (key !== this.drawnPosition) {
      this.drawnPosition = key;
      this.map.setPosition(position ? { latitude: position.latitude, longitude: position.longitude,
        heading: position.track_deg, along: this.course.line?.bearing(this.state.blocks?.course),
        turn: isTurn(cue?.type) ? cue.distance_m : undefined, speed: position.speed_mps, isStale } : null);
    }
    // The end of a run shows all of it, once.
    if (run === 'idle' && this.mapRun !== undefined && this.mapRun !== 'idle') this.map.fit();
    this.mapRun = run;
  }

  drawLines() {
    const { points } = this.trail;
    const key = `${points.length} ${points.at(-1)}`;
    if (key === this.drawnLines) return;
    if (this.drawnLines === null) this.takeCourse();
    this.drawnLines = key;
    this.map.setLines([...this.courseLines, { points, colour: '--trail', width: 4, dash: isPaper() ? [2, 7] : [] }]);
  }

  /** The course for the map: its line with arrows, its climbs inside the line, and its points. */
  takeCourse() {
    const { line, shape } = this.course;
    const climbs = line ? shape?.climbs ?? [] : [];
    // On paper the line stays black: a road has two lines with white between them.
    const climbing = isPaper() ? { width: 2, dash: [4, 8] } : { width: 3 };
    this.courseLines = line ? [{ points: line.points, colour: '--course', width: 6 },
      ...climbs.map(({ start_m: start, top_m: top }) => ({ points: line.part(start, top), colour: '--climb', casing: null,
        ...climbing })),
      { points: line.points, colour: null, width: 6, arrows: true }] : [];
    const feet = climbs.map(({ start_m: start }, index) => ({ place: line.at(start), label: `▲${index + 1}` }));
    this.map.setPoints([...(line?.marks ?? []).map(({ latitude, longitude }) => ({ latitude, longitude, radius: 4 })),
      ...feet.filter(({ place }) => place).map(({ place: [latitude, longitude], label }) => ({ latitude, longitude,
        label, radius: 4, colour: '--climb' }))]);
  }

  drawCourse() {
    this.drawnLines = null;
    this.schedule();
  }

  showAge(milliseconds) {
    const isOld = milliseconds !== null && milliseconds >= 2000;
    show(this.old, isOld);
    if (isOld) setText(this.old, t('live.age', { age: age(milliseconds / 1000) }));
    if (this.isFresh === !isOld) return;
    this.isFresh = !isOld && this.state !== null;
    this.schedule();
  }
}

const isPaper = () => document.documentElement.dataset.theme === 'e-ink';

function toggleFullScreen() {
  if (document.fullscreenElement) document.exitFullscreen();
  else document.documentElement.requestFullscreen().catch((error) => session.fail(error));
}

if (isKiosk) document.documentElement.classList.add('kiosk');
new LivePage();
