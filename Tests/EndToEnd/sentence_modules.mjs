// The texts of a language, and what the page makes of errors, for test_web_sentences.py. Standard input: a list of errors.

import { readFileSync } from 'node:fs';

const [web, language] = process.argv.slice(2);
Object.defineProperty(globalThis, 'navigator', { value: { languages: [language] } });
globalThis.document = { documentElement: {} };
const { errorText, loadTexts } = await import(`${web}/i18n.js`);
await loadTexts();
const { default: texts } = await import(`${web}/texts/${language}.js`);
console.log(JSON.stringify({ texts, said: JSON.parse(readFileSync(0, 'utf8')).map(errorText) }));
