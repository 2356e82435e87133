// The climb in progress: where the run is in it, its parts by grade, and its figures at the top. Without a document.

/** Lengths of a part in metres; of these the shortest that makes few enough parts. */
const LENGTHS = [50, 100, 200, 250, 500, 1000, 2000, 5000];
const PARTS = 12;
/** The grades in percent at which another colour begins. */
const GRADES = [0, 3, 6, 9, 12];
/** Seconds of a climb before its mean is worth showing. */
const SHORTEST = 30;

/** The colour of a grade, from 0 for downhill to 5. */
export const gradeBand = (grade) => GRADES.filter((least) => grade >= least).length;

/** The altitude of the profile { distance_m, altitude_m } at a distance; undefined where it has none. */
export function altitudeAt({ distance_m: distances, altitude_m: altitudes }, metres) {
  const found = distances.findIndex((one) => one >= metres);
  const index = found < 0 ? distances.length - 1 : Math.max(found, 1);
  const [from, to] = [distances[index - 1], distances[index]];
  const [low, high] = [altitudes[index - 1], altitudes[index]];
  if (!Number.isFinite(low) || !Number.isFinite(high)) return undefined;
  return low + (high - low) * Math.min(Math.max((metres - from) / (to - from || 1), 0), 1);
}

/** The parts of a climb { start_m, top_m }: [{ from, to, grade, band }] in metres of the course. */
export function partsOf(profile, { start_m: start, top_m: top }) {
  if (!profile?.altitude_m) return [];
  const length = LENGTHS.find((one) => (top - start) / one <= PARTS) ?? LENGTHS.at(-1);
  const parts = [];
  for (let from = start; from < top - 1; from += length) {
    // A short rest belongs to the part before it.
    const to = top - from < 1.5 * length ? top : from + length;
    const grade = (altitudeAt(profile, to) - altitudeAt(profile, from)) / (to - from) * 100;
    if (Number.isFinite(grade)) parts.push({ from, to, grade, band: gradeBand(grade) });
    if (to === top) break;
  }
  return parts;
}

/** Follows a run over the climbs of its course. */
export class ClimbProgress {
  #climb = null;

  /**
   * Takes a STATE line. Returns { inside } or { top } or null: the figures of the climb in progress, or once those of a
   * climb whose top has just been reached.
   */
  take(state) {
    const course = state.blocks?.course;
    if (state.run === 'idle' || !course) return this.#leave();
    const { climb } = course;
    const isOn = course.status === 'on';
    if (isOn && climb && climb.start_m <= 0) return { inside: this.#inside(climb, course, state) };
    const done = this.#climb;
    // Beside the course nothing is known; who comes back further on has left a part out.
    const isOver = done !== null && (course.status === 'done' || (isOn && !(climb?.number <= done.number)));
    if (!isOn || isOver) this.#climb = null;
    return isOver ? { top: topOf(done, state) } : null;
  }

  #leave() {
    this.#climb = null;
    return null;
  }

  #inside(climb, course, state) {
    if (this.#climb?.number !== climb.number || this.#climb.activity !== state.activity) {
      const { number, count, ascent_m: ascent, top_m: length } = climb;
      this.#climb = { number, count, activity: state.activity, ascent, length, began: state.elapsed_ms };
    }
    const fields = state.blocks.fields ?? {};
    const climbed = this.#climb.ascent - climb.ascent_m;
    return { number: climb.number, count: climb.count, progress: course.progress_m, top: climb.top_m,
      ascent: climb.ascent_m, grade: course.grade_percent ?? fields.grade, ahead: climb.grade_ahead_percent,
      rise: fields.vertical_speed ?? riseOf(climbed, state.elapsed_ms - this.#climb.began) };
  }
}

/** The figures of a climb that is over, from where the page has seen it. */
function topOf({ number, count, ascent, length, began }, { elapsed_ms: now }) {
  return { number, count, ascent, length, milliseconds: now - began, grade: ascent / length * 100,
    rise: riseOf(ascent, now - began) };
}

/** Metres climbed an hour; undefined for a time that is too short. */
function riseOf(metres, milliseconds) {
  return milliseconds >= SHORTEST * 1000 ? metres / milliseconds * 3_600_000 : undefined;
}
