// Whether the sun is up at a place: enough for a drawing. Times of sunrise and sunset come from paced.

const DAY = 86_400_000;
/** Noon of 1 January 2000, from which astronomers count, in milliseconds since 1970. */
const EPOCH = Date.UTC(2000, 0, 1, 12);
/** Degrees above the horizon of the sun's centre at sunrise. */
const RISE = -0.8333;
const radians = (degrees) => degrees * Math.PI / 180;

/** The height of the sun's centre in degrees, within some hundredths. `time`: milliseconds since 1970. */
export function sunHeight({ latitude, longitude }, time) {
  const days = (time - EPOCH) / DAY;
  const anomaly = radians(357.529 + 0.98560028 * days);
  const along = radians(280.459 + 0.98564736 * days + 1.915 * Math.sin(anomaly) + 0.02 * Math.sin(2 * anomaly));
  const tilt = radians(23.439 - 3.6e-7 * days);
  const declination = Math.asin(Math.sin(tilt) * Math.sin(along));
  const ascension = Math.atan2(Math.cos(tilt) * Math.sin(along), Math.cos(along));
  const hour = radians(280.46061837 + 360.98564736629 * days + longitude) - ascension;
  const north = radians(latitude);
  return Math.asin(Math.sin(north) * Math.sin(declination)
    + Math.cos(north) * Math.cos(declination) * Math.cos(hour)) * 180 / Math.PI;
}

/** Whether the sun is down; false if the place or the time is unknown. */
export const isNightAt = (place, time) => Boolean(place) && time !== null && sunHeight(place, time) < RISE;
