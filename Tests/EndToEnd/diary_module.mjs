// The reading of activities by the page of activities, for test_history_modules.py.

const [web] = process.argv.slice(2);
const { Diary } = await import(`${web}/diary.js`);

const queries = [];
const thousand = Array.from({ length: 1000 }, (_, index) => ({ id: index + 1 }));
const answers = [thousand, [{ id: 1001 }], [{ id: 1002 }], [{ id: 1 }, { id: 2, demo: true }]];
const diary = new Diary(async (query) => {
  queries.push(query);
  return answers[queries.length - 1];
});
const counts = [];
const asked = [['2026-01-01'], ['2026-01-01'], ['2025-01-01'], ['2026-01-01', true]];
await Promise.all(asked.map(async (values) => {
  await diary.reach(...values);
  counts.push(diary.all.length);
}));
console.log(JSON.stringify({ queries, counts }));
