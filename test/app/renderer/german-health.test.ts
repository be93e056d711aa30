import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { healthTitle } from '../../../app/renderer/text/de-health.ts';

const folder = new URL('../../../shared/operations/health/', import.meta.url);
const sources = readdirSync(folder)
  .filter((name) => name.endsWith('.ts'))
  .map((name) => readFileSync(new URL(name, folder), 'utf8'))
  .join('\n');

/** The titles that a check gives in so many words. */
const titles = [
  ...sources.matchAll(/\b(?:ok|warning|danger)\(\s*[^,()]+,\s*(?:'([^']+)'|"([^"]+)")/g),
].map(([, single, double]) => single ?? double ?? '');

test('every title of a check that holds no name is German in a German app', () => {
  expect(titles.length).toBeGreaterThan(50);
  expect(titles.filter((title) => healthTitle(title) === undefined)).toEqual([]);
});

test.each([
  ['Node 18.1.0 is too old', 'Node 18.1.0 ist zu alt'],
  ['Claude Code is behind the gate', 'Claude Code steht hinter der Schranke'],
  ['3 agents have keys', '3 Agenten haben Schlüssel'],
])('%s, with a name in it', (title, german) => {
  expect(healthTitle(title)).toBe(german);
});
