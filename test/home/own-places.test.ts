import {
  linkSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { fileIdentity } from '../../shared/engine/index.ts';
import { ownPlaces } from '../../shared/home/own-places.ts';

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'il-own-'));
  mkdirSync(join(home, 'audit'));
  writeFileSync(join(home, 'policy.json'), 'one');
  writeFileSync(join(home, 'audit', 'log'), 'row');
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

function identityOf(path: string): string {
  const { ino, dev } = statSync(path);
  return fileIdentity({ inode: ino, device: dev });
}

const known = (): readonly string[] => ownPlaces(home).flatMap(({ identities = [] }) => identities);

it('knows the home, its folders and its files by identity, under every name', () => {
  const other = `${home}-other`;
  linkSync(join(home, 'audit', 'log'), other);
  try {
    expect(known()).toContain(identityOf(other));
  } finally {
    rmSync(other);
  }
  for (const name of ['.', 'audit', 'policy.json', 'audit/log'])
    expect(known()).toContain(identityOf(join(home, name)));
});

it.each([
  ['that was just made', 0],
  ['that has long been there', -60_000],
])('forgets a file that was replaced, whose number may soon be another’s: a home %s', (_, age) => {
  const at = new Date(Date.now() + age);
  for (const name of ['audit', '.']) utimesSync(join(home, name), at, at);
  for (const path of [join(home, 'policy.json'), join(home, 'audit', 'log')]) {
    const old = identityOf(path);
    expect(known()).toContain(old);
    writeFileSync(`${path}.new`, 'two');
    renameSync(`${path}.new`, path);
    expect(known()).toContain(identityOf(path));
    expect(known()).not.toContain(old);
  }
});

it.each([
  ['that is there', (): string => home],
  ['that is not there', (): string => join(home, 'none')],
])('gives the same list while it says the same: a home %s', (_, at) => {
  const first = ownPlaces(at());
  expect(ownPlaces(at())).toBe(first);
  mkdirSync(join(at(), 'more'), { recursive: true });
  expect(ownPlaces(at())).not.toBe(first);
});
