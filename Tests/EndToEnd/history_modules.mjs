// The pure modules of the pages of activities and badges, for test_history_modules.py. Standard input: { call, values }.

import { readFileSync } from 'node:fs';

const [web, name] = process.argv.slice(2);
const module = await import(`${web}/${name}.js`);
const calls = JSON.parse(readFileSync(0, 'utf8'));
console.log(JSON.stringify(calls.map(([call, ...values]) => {
  const result = module[call](...values);
  return result instanceof Map ? Object.fromEntries(result) : result;
})));
