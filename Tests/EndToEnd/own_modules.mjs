// Fields of other programs' sensors, for test_web_own_fields.py. Arguments: the directory of the page, and the language.

const [web, language] = process.argv.slice(2);
globalThis.document = { documentElement: {}, createElement: () => ({ getContext: () => ({}) }) };
globalThis.localStorage = { getItem: () => language, setItem() {} };
const [own, { fieldTitle, fieldValue, shownPages, valueOf }, { loadTexts }] = await Promise.all(
  ['own-fields', 'fields', 'i18n'].map((name) => import(`${web}/${name}.js`)));
await loadTexts();

const names = ['own:saddle_angle', 'own:smo2', 'own:core_temperature', 'own:power_2', 'own:smo2_3', 'own:load_2', 'own:heart_rate_2'];
const titles = () => names.map(fieldTitle);
const unknown = { titles: titles(), value: fieldValue('own:smo2') };
const fields = [{ name: 'saddle_angle', title: 'Saddle Angle', unit: '°', decimals: 1, icon: 'angle' },
  { name: 'smo2', title: 'SmO2', unit: '%', decimals: 1 }, { name: 'core_temperature', title: 'Core Temp.', unit: '°C', decimals: 2 },
  { name: 'power_2', title: 'Power 2 (Rear (new))', unit: 'W' }, { name: 'smo2_3', title: 'SmO2 3', unit: '%', decimals: 1 },
  { name: 'load_2', title: 'Load 2', unit: 'kg' }, { name: 'heart_rate_2', title: 'Wrist', unit: 'bpm' }];
const news = [own.declare(fields), own.declare(fields), own.declare(undefined)];
const state = { run: 'active', blocks: { fields: { time: 5, saddle_angle: -12.54 } } };
const pages = (...lists) => shownPages({ screens: { run: lists.map((list) => ({ fields: list })) } }, 'run', state)
  .map((page) => page.map(({ field }) => field));
console.log(JSON.stringify({
  unknown, titles: titles(), news,
  values: [fieldValue('own:saddle_angle', valueOf('own:saddle_angle', state)), fieldValue('own:saddle_angle', undefined),
    fieldValue('own:power_2', 1e11)],
  pages: pages(['time', 'own:smo2'], ['own:smo2'], ['own:saddle_angle', 'nonsense'], ['nonsense']),
}));
