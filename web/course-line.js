// The way of a course with distances: what a map shows of it, and its direction.

const METRES_PER_DEGREE = 111_195;
/** Metres beside the course up to which its direction counts, and how far ahead that direction is taken. */
const BESIDE = 30;
const AHEAD = 30;

/** north and east of another place, in metres. */
function offset([latitude, longitude], other) {
  const east = ((other[1] - longitude + 540) % 360 - 180) * Math.cos(latitude * Math.PI / 180);
  return [(other[0] - latitude) * METRES_PER_DEGREE, east * METRES_PER_DEGREE];
}

/** The metres from a place to a straight line between two others. */
function beside(place, from, to) {
  const [[y, x], [north, east]] = [offset(place, from), offset(from, to)];
  const part = Math.min(Math.max(-(x * east + y * north) / (east * east + north * north || 1), 0), 1);
  return Math.hypot(x + part * east, y + part * north);
}

export class CourseLine {
  /** A file of GeoJSON, whose line the daemon knows to have this length in metres. */
  constructor({ features = [] }, length) {
    /** [latitude, longitude], null for a break. */
    this.points = [];
    /** The course points [{ latitude, longitude, kind, name }]. */
    this.marks = [];
    for (const { geometry, properties } of features) {
      const { type, coordinates } = geometry ?? {};
      if (type === 'LineString') this.add(coordinates);
      if (type === 'MultiLineString') coordinates.forEach((line) => this.add(line));
      if (type === 'Point') this.marks.push({ ...properties, longitude: coordinates[0], latitude: coordinates[1] });
    }
    this.measure(length);
  }

  add(coordinates) {
    if (this.points.length > 0) this.points.push(null);
    for (const [longitude, latitude] of coordinates) this.points.push([latitude, longitude]);
  }

  /** Sets the metres from the start at each point, so that they are those of the daemon. */
  measure(length) {
    let [sum, before] = [0, null];
    this.distances = this.points.map((point) => {
      if (point && before) sum += Math.hypot(...offset(before, point));
      before = point ?? before;
      return sum;
    });
    const scale = sum > 0 && length > 0 ? length / sum : 1;
    this.distances = this.distances.map((one) => one * scale);
  }

  /** The metres from a position to the nearest place of the course. */
  away({ latitude, longitude }) {
    if (this.nearest?.latitude === latitude && this.nearest.longitude === longitude) return this.nearest.metres;
    let metres = Infinity;
    for (let index = 1; index < this.points.length; index += 1) {
      const [from, to] = [this.points[index - 1], this.points[index]];
      if (from && to) metres = Math.min(metres, beside([latitude, longitude], from, to));
    }
    this.nearest = { latitude, longitude, metres };
    return metres;
  }

  /** The place so many metres from the start; null outside the course. */
  at(metres) {
    const index = this.distances.findIndex((one) => one >= metres);
    if (index < 0) return null;
    const [from, to] = [this.points[index - 1], this.points[index]];
    if (!from || !to) return to ?? from ?? null;
    const part = (metres - this.distances[index - 1]) / (this.distances[index] - this.distances[index - 1]);
    return [0, 1].map((axis) => from[axis] + part * (to[axis] - from[axis]));
  }

  /** The points between two distances. */
  part(from, to) {
    const inside = this.points.filter((point, index) => this.distances[index] > from && this.distances[index] < to);
    return [this.at(from), ...inside, this.at(to)];
  }

  /** The bearing in degrees of a run that follows the course; null for one that does not. */
  bearing({ status, progress_m: progress, cross_track_m: beside } = {}) {
    if (status !== 'on' || progress === undefined || !(Math.abs(beside) <= BESIDE)) return null;
    const [from, to] = [this.at(progress), this.at(Math.min(progress + AHEAD, this.distances.at(-1)))];
    const [north, east] = from && to ? offset(from, to) : [0, 0];
    return north || east ? (Math.atan2(east, north) * 180 / Math.PI + 360) % 360 : null;
  }
}
