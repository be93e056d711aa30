import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { commandLineOf, commandOnPath, commandToType } from '../../shared/home/own-command.ts';

let place: string;
beforeEach(() => {
  place = realpathSync(mkdtempSync(join(tmpdir(), 'il-path-')));
  for (const name of ['a', 'b', 'pkg/dist/runner/cli'])
    mkdirSync(join(place, name), { recursive: true });
  writeFileSync(commandLineOf(join(place, 'pkg')), '', { mode: 0o755 });
});
afterEach(() => rmSync(place, { recursive: true }));

const look = () => commandOnPath({ PATH: `${place}/a:${place}/b` }, join(place, 'pkg'));
const type = () => commandToType({ PATH: `${place}/a:${place}/b` }, join(place, 'pkg'));

test('a link to this package is ours', () => {
  symlinkSync(commandLineOf(join(place, 'pkg')), join(place, 'b', 'interlock'));
  expect(look()).toEqual({ kind: 'ours', file: join(place, 'b', 'interlock') });
  expect(type()).toBe('interlock');
});

test('a stranger that comes first is a stranger, and nothing printed leads to it', () => {
  symlinkSync(commandLineOf(join(place, 'pkg')), join(place, 'b', 'interlock'));
  writeFileSync(join(place, 'a', 'interlock'), '#!/bin/sh\n', { mode: 0o755 });
  expect(look()).toEqual({ kind: 'strange', file: join(place, 'a', 'interlock') });
  expect(type()).toBe(`node ${commandLineOf(join(place, 'pkg'))}`);
});

test('what cannot be executed, or stands in a relative folder, does not count', () => {
  writeFileSync(join(place, 'a', 'interlock'), '', { mode: 0o644 });
  expect(look()).toEqual({ kind: 'missing' });
  expect(commandOnPath({ PATH: '.:' }, place)).toEqual({ kind: 'missing' });
});
