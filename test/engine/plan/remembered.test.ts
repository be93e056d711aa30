import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Analyser } from '../../../shared/engine/plan/analyse.ts';
import { remembering } from '../../../shared/engine/plan/remembered.ts';
import { snapshotOf } from '../../../shared/engine/plan/snapshot.ts';
import type { Surroundings } from '../../../shared/engine/plan/types.ts';
import { seeded } from '../../fuzz/random.ts';
import { loadAnalyser } from '../../support/analyser.ts';
import { machine } from '../../support/machine.ts';
import type { Files } from '../../support/machine.ts';
import { cwd, home } from '../../support/stages.ts';

const commands = readFileSync(
  new URL('../../fixtures/everyday/commands.txt', import.meta.url),
  'utf8',
)
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'))
  .map((line) => line.replaceAll('\\n', line.includes('<<') ? '\n' : String.raw`\n`));

/** What a command may come upon, and what may come of it while nobody looks. */
const changing: Files = {
  [`${cwd}/package.json`]: '{}',
  [`${cwd}/src/a.ts`]: 'x',
  [`${cwd}/src/.env`]: 'KEY=1',
  [`${cwd}/Makefile`]: 'x',
  [`${cwd}/.git/HEAD`]: 'ref: refs/heads/main\n',
  [`${cwd}/.git/objects/x`]: 'x',
  [`${cwd}/.git/refs/x`]: 'x',
  [`${cwd}/.git/config`]: '[core]\n\tfsmonitor = ./evil\n',
  [`${cwd}/scripts/build.sh`]: '#!/bin/sh\n',
  [`${cwd}/node_modules/.bin/tsc`]: '#!/usr/bin/env node\n',
  '/usr/local/bin/make': '#!/home/me/evil\n',
  '/usr/local/bin/ls': 'ELF',
  [`${home}/.ssh/id_rsa`]: 'x',
};

let plain: Analyser;
let calls = 0;
let counted: Analyser;

beforeAll(async () => {
  plain = await loadAnalyser();
  counted = {
    analyse(request, surroundings) {
      calls += 1;
      return plain.analyse(request, surroundings);
    },
  };
});

/** A look of its own, as each question of the runner takes one. */
function lookAt(files: Files, more: Partial<Surroundings> = {}): Surroundings {
  const around = { ...machine(files), ...more };
  return { ...around, files: snapshotOf(around.files) };
}

describe('what was made of a command', () => {
  it('is what would be made of it now, however files come and go', () => {
    const random = seeded(7);
    const remembered = remembering(counted);
    const paths = Object.keys(changing);
    calls = 0;
    let asked = 0;
    const some = commands.filter((_, at) => at % 9 === 0);
    for (let round = 0; round < 6; round += 1) {
      const there = Object.fromEntries(
        paths.filter(() => random.chance(60)).map((path) => [path, changing[path] ?? null]),
      );
      // The second time nothing has changed.
      for (const _ of [1, 2])
        for (const command of some) {
          asked += 1;
          const found = remembered.analyse({ command, cwd }, lookAt(there));
          expect(found, command).toEqual(plain.analyse({ command, cwd }, lookAt(there)));
        }
    }
    expect(calls).toBeLessThan(asked * 0.6);
  });

  it('is asked of the machine once more, and not analysed again while it says the same', () => {
    const remembered = remembering(counted);
    calls = 0;
    for (let count = 0; count < 5; count += 1)
      remembered.analyse({ command: 'git status -s', cwd }, lookAt(changing));
    expect(calls).toBe(1);
    remembered.analyse(
      { command: 'git status -s', cwd },
      lookAt({ ...changing, [`${cwd}/.git/config`]: '[core]\n\tfsmonitor = ./other\n' }),
    );
    expect(calls).toBe(2);
  });

  it('holds with a long file that many commands read, byte for byte, and with no other one', () => {
    const long = `${'# a comment\n'.repeat(2_000)}[user]\n\tname = a\n`;
    const withConfig = (text: string): Surroundings =>
      lookAt({ ...changing, [`${cwd}/.git/config`]: text });
    const remembered = remembering(counted);
    const other = long.replace('= a', '= b');
    const commandsOfGit = ['git status -s', 'git log -1'];
    const callsFor = (text: string): number => {
      calls = 0;
      for (const command of commandsOfGit) {
        const found = remembered.analyse({ command, cwd }, withConfig(text));
        expect(found).toEqual(plain.analyse({ command, cwd }, withConfig(text)));
      }
      return calls;
    };
    // Each length, so that the last byte stands in each place of a word.
    for (const end of ['', ' ', '  ', '   ']) {
      const texts = [long + end, long + end, other + end, other + end, `${long}${end}x`];
      expect(texts.map(callsFor)).toEqual([2, 0, 2, 0, 2]);
      expect([`${long}${end}y`, long].map(callsFor)).toEqual([2, 2]);
    }
  });

  it.each<[string, Partial<Surroundings>]>([
    ['another PATH', { path: ['/opt/bin'] }],
    ['other workspaces', { workspaces: [] }],
    ['another user', { uid: 0 }],
    ['other variables', { variables: { HOME: '/root' } }],
    ['other places', { known: [{ path: `${cwd}/src`, place: 'own', reason: 'is ours' }] }],
  ])('counts no more with %s', (_, more) => {
    const remembered = remembering(counted);
    const request = { command: 'cat src/a.ts', cwd };
    remembered.analyse(request, lookAt(changing));
    const found = remembered.analyse(request, lookAt(changing, more));
    expect(found).toEqual(plain.analyse(request, lookAt(changing, more)));
  });

  it('is another one in another folder, with other variables, and as words', () => {
    const remembered = remembering(counted);
    calls = 0;
    const look = (): Surroundings => lookAt(changing);
    remembered.analyse({ command: 'ls', cwd }, look());
    remembered.analyse({ command: 'ls', cwd: home }, look());
    remembered.analyse({ command: 'ls', cwd, env: { A: '1' } }, look());
    remembered.analyse({ argv: ['ls'], cwd }, look());
    expect(calls).toBe(4);
  });

  it('is not kept of a look that others have used, whose answers it may not have asked for', () => {
    const remembered = remembering(counted);
    const shared = lookAt(changing);
    calls = 0;
    for (const command of ['ls', 'git status', 'git status'])
      remembered.analyse({ command, cwd }, shared);
    expect(calls).toBe(3);
    remembered.analyse({ command: 'git status', cwd }, lookAt(changing));
    expect(calls).toBe(4);
  });

  it('is kept of the last commands only', () => {
    const remembered = remembering(counted);
    calls = 0;
    for (let count = 0; count < 300; count += 1)
      remembered.analyse({ command: `echo ${String(count)}`, cwd }, lookAt({}));
    remembered.analyse({ command: 'echo 299', cwd }, lookAt({}));
    expect(calls).toBe(300);
    remembered.analyse({ command: 'echo 0', cwd }, lookAt({}));
    expect(calls).toBe(301);
  });
});
