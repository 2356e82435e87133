// The layout of a page of data fields: bands from top to bottom, figures as large as they fit.

const GAP = 10;
const SMALLEST = 18;
/** In a run: the least figures, and on a low screen the part of its height that the first ones have at least. */
const READABLE = 36;
const FIRST = 1 / 4;
/** A screen up to this height is low. As in live.css. */
const LOW = 500;
/** The height of a notice that lies over the fields of a low screen. */
const NOTICE = 56;
/** The least figures beside a button, which is as high as they are. */
const SMALLEST_OFFER = 46;
const LARGEST = 420;
/** How much the largest figures may be held back by their width, for the sake of the others. */
const GROWTH = 1.5;
const TITLE_SPACE = 4;

const pen = document.createElement('canvas').getContext('2d');

/** The width of a text in bold figures of 100 px. */
const widths = new Map();
function widthOf(text, font, weight) {
  const key = `${weight} ${text}`;
  if (!widths.has(key)) {
    if (widths.size > 500) widths.clear();
    pen.font = `${weight} 100px ${font}`;
    widths.set(key, pen.measureText(text).width);
  }
  return widths.get(key) / 100;
}

/** The height of a title beside figures of this size. */
export function titleSize(figures) {
  return Math.round(Math.min(Math.max(figures * 0.22, 13), 30));
}

/**
 * The bands of faces in a box: [{ faces, size }] with the font size of the figures in px, or of a bar its height.
 *
 * A face is { size, isBar, title, widest, unit, offer }. Consecutive faces of equal size may share a band. Of the
 * numbers of columns, the one with the largest figures is taken, by the mean of their logarithms; cut titles count
 * against it. The box is { width, height, font, screen }: `screen` is the height of the window in a run, whose figures
 * have a least size, else undefined.
 */
export function layout(faces, box) {
  const bands = bestBands(faces, box);
  // A notice never covers the first field.
  if (!(box.screen <= LOW) || bands.length > 1) return bands;
  return bestBands(faces, { ...box, height: box.height - NOTICE });
}

/** The faces of a page as pages on which each figure has its least size; what does not fit is on the next one. */
export function paginate(faces, box) {
  const fits = (some) => layout(some, box).every((band) => !band.isTooHigh && !band.isTooSmall);
  const pages = [];
  let rest = faces;
  while (rest.length > 0) {
    let count = rest.length;
    while (count > 1 && !fits(rest.slice(0, count))) count -= 1;
    // A bar belongs to the figures before it.
    if (count > 1 && count < rest.length && rest.slice(count).every(({ isBar }) => isBar)) count -= 1;
    pages.push(rest.slice(0, count));
    rest = rest.slice(count);
  }
  return pages;
}

function bestBands(faces, box) {
  let best = null;
  for (let columns = 1; columns <= 4; columns += 1) {
    const bands = bandsOf(faces, columns);
    if (columns > 1 && bands.length === best?.bands.length && bands.every((band, index) =>
      band.faces.length === best.bands[index].faces.length)) continue;
    const sized = fitted(bands, box);
    const rank = rankOf(sized, box);
    if (!best || rank > best.rank + 1e-9) best = { rank, bands: sized };
  }
  return best?.bands ?? [];
}

/** Groups of consecutive faces of one size, each split into rows of about equal length. */
function bandsOf(faces, columns) {
  const groups = [];
  for (const face of faces) {
    const last = groups.at(-1);
    if (last && !face.isBar && !last[0].isBar && last[0].size === face.size) last.push(face);
    else groups.push([face]);
  }
  return groups.flatMap((group) => {
    const rows = Math.ceil(group.length / columns);
    const made = [];
    for (let row = 0, from = 0; row < rows; row += 1) {
      const count = Math.ceil((group.length - from) / (rows - row));
      const faces = group.slice(from, from + count);
      made.push({ faces, isBar: group[0].isBar, weight: group[0].size, hasOffer: faces.some(({ offer }) => offer) });
      from += count;
    }
    return made;
  });
}

/** The widest figures that a face may have in a column. */
function limitOf(face, column, font) {
  // A unit without a title stands behind the figures, at a third of their size.
  const unit = face.title === null && face.unit ? 0.33 * widthOf(` ${face.unit}`, font, 500) : 0;
  return column / (widthOf(face.widest, font, 700) * 1.03 + unit);
}

function columnOf(band, width) {
  return (width - GAP * (band.faces.length - 1)) / band.faces.length - 12;
}

function heightOf(band, size) {
  if (band.isBar) return size + 6;
  const hasTitle = band.faces.some((face) => face.title !== null);
  return size * 0.98 + 5 + (hasTitle ? titleSize(size) * 1.25 + TITLE_SPACE : 0);
}

/** Fields of one size have figures of one size. */
function limitsOf(bands, width, font) {
  const own = bands.map((band) => (band.isBar ? LARGEST
    : Math.min(...band.faces.map((face) => limitOf(face, columnOf(band, width), font)), LARGEST)));
  return bands.map(({ weight }) => Math.min(...own.filter((_, index) => bands[index].weight === weight)));
}

/** The least figures of each band: no wider than the box. */
function leastOf(bands, { width, font, screen }) {
  const first = bands.findIndex(({ isBar }) => !isBar);
  return bands.map((band, index) => {
    if (band.hasOffer) return SMALLEST_OFFER;
    if (screen === undefined) return SMALLEST;
    const wanted = index === first && screen <= LOW ? screen * FIRST : READABLE;
    return Math.min(wanted, ...band.faces.map((face) => limitOf(face, width - 12, font)));
  });
}

function fitted(bands, box) {
  const { width, height, font } = box;
  const limits = limitsOf(bands, width, font);
  const leasts = leastOf(bands, box);
  const sizeOf = (band, index, scale) => {
    if (band.isBar) return Math.min(Math.max(band.weight * scale * 0.45, 16), 44);
    const least = leasts[index];
    return Math.min(Math.max(band.weight * scale, least), Math.max(limits[index], band.hasOffer ? least : 0));
  };
  const sizesOf = (scale) => bands.map((band, index) => sizeOf(band, index, scale));
  const isFitting = (scale) => sizesOf(scale).reduce((sum, size, index) => sum + heightOf(bands[index], size), 0)
    + GAP * (bands.length - 1) <= height;
  const top = bands.reduce((best, band, index) =>
    (!band.isBar && (best < 0 || band.weight > bands[best].weight) ? index : best), -1);
  let [low, high] = [0.05, top < 0 ? 2 : limits[top] / bands[top].weight * GROWTH];
  for (let step = 0; step < 20; step += 1) {
    const middle = (low + high) / 2;
    if (isFitting(middle)) low = middle;
    else high = middle;
  }
  const isTooHigh = !isFitting(low);
  return bands.map((band, index) => {
    const size = sizeOf(band, index, low);
    return { faces: band.faces, isBar: band.isBar, size: Math.floor(size), isTooHigh,
      isTooSmall: !band.isBar && size < leasts[index] - 0.5 };
  });
}

function rankOf(bands, { width, font }) {
  let rank = bands.some((band) => band.isTooHigh || band.isTooSmall) ? -100 : 0;
  for (const band of bands) {
    if (band.isBar) continue;
    const column = columnOf(band, width);
    for (const face of band.faces) {
      rank += Math.log(band.size);
      const title = face.title === null ? 0 : widthOf(`${face.title} ${face.unit}`, font, 500) * titleSize(band.size);
      if (title > column) rank -= 0.35;
    }
  }
  return rank;
}
