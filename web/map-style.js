// How the map looks in each theme: colours, widths and dashes of the classes of map-schemas.js.

/** Widths in pixels at the zooms 11 to 18, linear between them; 0 is not drawn. */
const WIDTHS = {
  motorway: [2.2, 2.6, 3.2, 4, 5.5, 8, 12, 18], primary: [1.8, 2.2, 2.8, 3.6, 5, 7.5, 11, 17],
  secondary: [1.4, 1.8, 2.4, 3.2, 4.6, 7, 10, 16], tertiary: [0.8, 1.2, 1.8, 2.6, 4, 6.2, 9.5, 15],
  minor: [0, 0, 0.9, 1.6, 3, 5, 8.5, 14], service: [0, 0, 0, 0, 1.4, 2.8, 5, 9],
  cycleway: [0, 0.8, 1, 1.4, 2, 2.6, 3.4, 4.5], track: [0, 0, 0.8, 1.1, 1.5, 2, 2.8, 4],
  path: [0, 0, 0, 0.9, 1.2, 1.7, 2.3, 3.2], rail: [0.8, 0.9, 1, 1.2, 1.5, 1.8, 2.2, 3],
  river: [0.8, 1.1, 1.5, 2, 2.8, 4, 6, 9], stream: [0, 0, 0.6, 0.8, 1.1, 1.6, 2.2, 3],
  boundary: [1.2, 1.4, 1.6, 1.8, 2, 2.2, 2.4, 2.6], ferry: [1, 1, 1.2, 1.4, 1.6, 1.8, 2, 2],
  lift: [0, 0, 1, 1.2, 1.4, 1.6, 1.8, 2], coast: [1, 1, 1.2, 1.4, 1.6, 1.8, 2, 2],
};

/** The width of a class at a zoom. */
export function widthAt(name, zoom) {
  const widths = WIDTHS[name];
  const at = Math.min(Math.max(zoom - 11, 0), 7);
  const from = Math.floor(at);
  const width = widths[from] + (at - from) * ((widths[from + 1] ?? widths[from]) - widths[from]);
  return zoom < 11 ? width * Math.max(1 - (11 - zoom) / 8, 0.5) : width * 1.4 ** Math.max(Math.min(zoom, 20) - 18, 0);
}

/** Dashes, for a line of 1.5 pixels or less. */
export const DASHES = { track: [5, 2], path: [2.5, 2], boundary: [7, 3, 1.5, 3], ferry: [6, 5], lift: [8, 3] };

const road = (fill, casing, thin = casing) => ({ fill, casing, thin });
const night = (fill, thin = fill) => road(fill, '#05070a', thin);
const plain = (fill, options) => ({ fill, ...options });
const paper = road('#fff', '#000');

/**
 * `areas`, and `lines`: `fill` over `casing`; a road that is too thin for both is `thin`. `pale` fills tunnels.
 * `isPaper`: water is hatched and outlined, labels are few. Of a line, `from` is the least zoom, `width` the greatest
 * one, `least` the width from which it has a casing.
 */
export const styles = {
  sunlight: {
    background: '#f3f5f2', text: '#000', halo: '#fff', pale: '#f1e8dc',
    areas: { field: '#eef0e2', built: '#e6e3df', bare: '#e9e4d6', green: '#dcebcf', wood: '#bfdcae', wet: '#d3e8e2',
      ice: '#e6f4fa', water: '#9fcbeb', building: '#c9c1b8' },
    lines: {
      coast: plain('#7fb6df'), stream: plain('#7fb6df'), river: plain('#7fb6df'), boundary: plain('#8a6f9b'),
      ferry: plain('#4f7fa8'), lift: plain('#6a6a6a'), rail: plain('#6a6a6a'), path: plain('#7a2f1d'),
      track: plain('#7a4f1d'), cycleway: road('#1b7f3b', '#fff', '#1b7f3b'), service: road('#fff', '#8b8b86'),
      minor: road('#fff', '#6b6b66'), tertiary: road('#fffbd6', '#6e684f'), secondary: road('#fde29a', '#7d6826'),
      primary: road('#fbc77a', '#93692a'), motorway: road('#f6a35c', '#8f5a22'),
    },
  },
  dark: {
    background: '#15191b', text: '#fff', halo: '#0b0d0f', pale: '#2a2622',
    areas: { field: '#191d18', built: '#1d2124', bare: '#211f1b', green: '#18231b', wood: '#16291b', wet: '#162625',
      ice: '#26323a', water: '#0f3049', building: '#2b3136' },
    lines: {
      coast: plain('#1f5378'), stream: plain('#1f5378'), river: plain('#1f5378'), boundary: plain('#6d5a7a'),
      ferry: plain('#3f739c'), lift: plain('#5a6066'), rail: plain('#5a6066'), path: plain('#a06a58'),
      track: plain('#9a7a4c'), cycleway: night('#3f9c5c'), service: night('#3a4045', '#5a6168'),
      minor: night('#454b51', '#747c84'), tertiary: night('#575a5e', '#7a7f86'), secondary: night('#645a37', '#877b52'),
      primary: night('#725a28', '#8f7437'), motorway: night('#7d4f22', '#a3682f'),
    },
  },
  'e-ink': {
    background: '#fff', text: '#000', halo: '#fff', pale: '#fff', isPaper: true,
    areas: {},
    lines: {
      coast: plain('#000'), river: plain('hatch', { casing: '#000', thin: '#000', least: 4 }), boundary: plain('#000'),
      ferry: plain('#000'), lift: plain('#000'), rail: plain('#000'),
      path: plain('#000', { dash: [2, 3], from: 15, width: 1.2 }), track: plain('#000', { dash: [6, 3], width: 1.2 }),
      cycleway: plain('#000', { width: 2 }), minor: plain('#000', { width: 1.4 }),
      tertiary: paper, secondary: paper, primary: paper, motorway: paper,
    },
  },
};
