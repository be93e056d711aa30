import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '..', '..', '..');
const routes = join(root, 'runner', 'ingress', 'http');

function pathsIn(text: string): string[] {
  return [...text.matchAll(/\/v1\/[a-z/:-]+/g)].map(([path]) => path.replace(/[/:]+$/, ''));
}

const served = new Set(
  readdirSync(routes).flatMap((file) =>
    [...readFileSync(join(routes, file), 'utf8').matchAll(/'(\/v1\/[^']+)'/g)].map(
      ([, path = '']) => path,
    ),
  ),
);

test('docs/api.md has every call that the runner serves, and no other', () => {
  const documented = new Set(pathsIn(readFileSync(join(root, 'docs', 'api.md'), 'utf8')));
  expect([...served].filter((path) => !documented.has(path))).toEqual(['/v1/pending/:id']);
  expect([...documented].filter((path) => !served.has(path))).toEqual([]);
});
