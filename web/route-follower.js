// When the guidance asks for a new route: by the rules of pacectl route --follow.

/** Metres beside the course beyond which the user is off it. */
const DISTANCE = 50;
/** Milliseconds: off it until a question, between two questions, and with another course or none until the end. */
const DELAY = 20_000;
const PAUSE = 30_000;
const GRACE = 30_000;

export class RouteFollower {
  #offSince = null;
  #askedAt = -Infinity;
  #replacedSince = null;

  /** `course`: the number of the course. */
  constructor(course) {
    this.course = course;
  }

  /**
   * Takes the block `course` of a state; `isPlaced`: the position is known and not old. Returns 'wait'; 'ask', for
   * routes from the position to the destination; or how it ends: 'arrived', or 'replaced' by another course or none.
   */
  receive(state, isPlaced, now) {
    if (state?.id !== this.course) {
      this.#offSince = null;
      this.#replacedSince ??= now;
      return now - this.#replacedSince >= GRACE ? 'replaced' : 'wait';
    }
    this.#replacedSince = null;
    if (state.status === 'done') return 'arrived';
    if (!isPlaced || !(Math.abs(state.cross_track_m) > DISTANCE)) {
      this.#offSince = null;
      return 'wait';
    }
    this.#offSince ??= now;
    if (now - this.#offSince < DELAY || now - this.#askedAt < PAUSE) return 'wait';
    this.#askedAt = now;
    return 'ask';
  }

  /** Follows a new course. */
  follow(course) {
    this.course = course;
    this.#offSince = null;
  }
}
