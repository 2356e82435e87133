// What the modules of the page of buses decide, for test_bus_modules.py: the directory of the page is the argument, the
// result is JSON.

const [web] = process.argv.slice(2);
const { ApproachWatch, linesWithoutBus, mapTitle, sectionsOf } = await import(`${web}/shown-lines.js`);
const { closestStop } = await import(`${web}/line-stops.js`);

const line = (id, code, name, section) => ({ line: id, code, name, section });
const lines = [line('1', 'V', 'Vairo Blvd', 'Community'), line('2', 'W', undefined, 'Community'),
  line('3', undefined, 'Loop', 'Campus'), line('4')];
const [first, second, third, fourth] = lines;
const groups = [{ name: 'Town', lines: ['2', '1'] }, { name: 'All', lines: ['1', '2', '3', '4'] }];
const titles = [[first], [third], [fourth], [first, second], lines, [first, third], []].map((shown) => mapTitle(shown, groups));

const vehicles = [{ id: 'a', line: '1' }];
const without = [undefined, ['1', '2'], []].map((ids) => {
  const { followed, others } = linesWithoutBus(lines, vehicles, ids);
  return [followed, others].map((list) => list.map((one) => one.line).join(''));
});

const here = { latitude: 42, longitude: 1.5 };
const at = (id, metres) => ({ id, latitude: 42 + metres / 111_195, longitude: 1.5 });
const watch = new ApproachWatch();
const approaches = [[at('a', 551), at('b', 900)], [at('a', 549), at('b', 300)], [at('a', 700), at('b', 100)], [at('b', 500)],
  [at('a', 500), at('b', 801)], [at('b', 560)], [at('b', 540)]]
  .map((list) => watch.update(list, here).map(({ vehicle, metres }) => [vehicle.id, Math.round(metres)]));

const sections = [lines, [first, second], []].map((list) =>
  sectionsOf(list).map(([heading, ofIt]) => [heading, ofIt.map((one) => one.line).join('')]));
const closest = [closestStop([at('a', 50), at('b', -20), at('c', 30)], here).stop.id, closestStop([], here)];
console.log(JSON.stringify({ titles, without, approaches, sections, closest }));
