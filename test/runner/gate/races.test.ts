import { createHash } from 'node:crypto';
import {
  linkSync,
  mkdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { PolicyDocument } from '../../../shared/engine/policy/types.ts';
import { temporaryFolder } from '../hosts/support.ts';
import { bench, codeOf, fullPolicy } from './support.ts';

const good = '#!/bin/sh\n:\n';
const evil = '#!/bin/sh\nevil\n';

function put(path: string, text: string): void {
  writeFileSync(path, text, { mode: 0o755 });
}

/** A folder with a script, a link to it and a second name of it. */
function work(): string {
  const folder = join(temporaryFolder(), 'work');
  mkdirSync(folder);
  put(join(folder, 'tool'), good);
  put(join(folder, 'evil'), evil);
  symlinkSync('tool', join(folder, 'link'));
  return folder;
}

const swaps: readonly (readonly [what: string, words: string[], swap: (folder: string) => void])[] =
  [
    ['the script is rewritten', ['./tool'], (at) => put(join(at, 'tool'), evil)],
    ['the script is replaced', ['./tool'], (at) => renameSync(join(at, 'evil'), join(at, 'tool'))],
    [
      'the script is replaced, and put back',
      ['./tool'],
      (at) => {
        renameSync(join(at, 'tool'), join(at, 'kept'));
        renameSync(join(at, 'evil'), join(at, 'tool'));
        renameSync(join(at, 'tool'), join(at, 'evil'));
        renameSync(join(at, 'kept'), join(at, 'tool'));
      },
    ],
    [
      'the script is written through a second name of it',
      ['./tool'],
      (at) => {
        linkSync(join(at, 'tool'), join(at, 'second'));
        put(join(at, 'second'), evil);
      },
    ],
    [
      'the link is turned',
      ['./link'],
      (at) => {
        unlinkSync(join(at, 'link'));
        symlinkSync('evil', join(at, 'link'));
      },
    ],
    [
      'the link is turned away and back',
      ['./link'],
      (at) => {
        for (const to of ['evil', 'tool']) {
          unlinkSync(join(at, 'link'));
          symlinkSync(to, join(at, 'link'));
        }
      },
    ],
    [
      'the folder is swapped',
      ['/bin/ls'],
      (at) => {
        renameSync(at, `${at}-old`);
        mkdirSync(at);
      },
    ],
    [
      'the folder becomes a link',
      ['/bin/ls'],
      (at) => {
        renameSync(at, `${at}-old`);
        symlinkSync(`${at}-old`, at);
      },
    ],
    [
      'the code for an interpreter is rewritten',
      ['perl', 'tool'],
      (at) => put(join(at, 'tool'), evil),
    ],
  ];

test.each(swaps)('after the decision was written down: %s', async (_, argv, swap) => {
  const folder = work();
  const rows: unknown[] = [];
  const at = bench({ policy: fullPolicy });
  const audit = {
    ...at.ports.audit,
    durable: async (row: unknown) => {
      if (rows.push(row) === 1) swap(folder);
    },
  };
  const { exec, ran } = bench({ policy: fullPolicy, ports: { audit } });
  expect(codeOf(await exec({ argv, cwd: folder }))).toBe('binding-drift');
  expect(ran).toEqual([]);
  expect(rows.at(-1)).toMatchObject({ outcome: 'not-executed', code: 'binding-drift' });
});

test.each(swaps)('between the last check and the start: %s', async (_, argv, swap) => {
  const folder = work();
  let stopped = false;
  const { exec, rows } = bench({
    policy: fullPolicy,
    run: async (io) => {
      swap(folder);
      io.started(4242);
      stopped = io.signal.aborted;
      return { ending: 'stopped', exitCode: null, signal: 'SIGTERM' };
    },
  });
  expect(codeOf(await exec({ argv, cwd: folder }))).toBe('binding-drift');
  expect(stopped).toBe(true);
  expect(rows.at(-1)).toMatchObject({ outcome: 'executed', code: 'binding-drift' });
});

test.each(swaps)(
  'before an interpreter opened it, seen at the first output: %s',
  async (_, argv, swap) => {
    const folder = work();
    let stopped = false;
    const { exec } = bench({
      policy: fullPolicy,
      run: async (io) => {
        io.started(4242);
        swap(folder);
        await io.output('stdout', Buffer.from('evil\n'));
        stopped = io.signal.aborted;
        return { ending: 'stopped', exitCode: null, signal: 'SIGTERM' };
      },
    });
    expect(codeOf(await exec({ argv, cwd: folder }))).toBe('binding-drift');
    expect(stopped).toBe(true);
  },
);

test('a command that says nothing is looked at after a second, and one that ended at its end', async () => {
  for (const wait of [0, 1000]) {
    const folder = work();
    let stopped = false;
    const at = bench({
      policy: fullPolicy,
      run: async (io) => {
        io.started(4242);
        put(join(folder, 'tool'), evil);
        at.clock.advance(wait);
        stopped = io.signal.aborted;
        return { ending: 'exited', exitCode: 0, signal: null };
      },
    });
    expect(codeOf(await at.exec({ argv: ['./tool'], cwd: folder }))).toBe('binding-drift');
    expect(stopped).toBe(wait === 1000);
  }
});

test('a file that a command only works on is not a drift when the command changes it', async () => {
  const folder = work();
  const { exec } = bench({
    policy: fullPolicy,
    run: async (io) => {
      io.started(4242);
      put(join(folder, 'evil'), 'changed');
      return { ending: 'exited', exitCode: 0, signal: null };
    },
  });
  for (const argv of [
    ['sed', '-i', 's/a/b/w x', 'evil'],
    ['perl', 'tool', 'evil'],
    ['./tool', 'evil'],
  ])
    expect(codeOf(await exec({ argv, cwd: folder }))).toBe('ran 0');
});

test('a program that replaces itself later is not a drift', async () => {
  const folder = work();
  const at = bench({
    policy: fullPolicy,
    run: async (io) => {
      io.started(4242);
      at.clock.advance(1001);
      put(join(folder, 'tool'), evil);
      await io.output('stdout', Buffer.from('updated\n'));
      return { ending: 'exited', exitCode: 0, signal: null };
    },
  });
  expect(codeOf(await at.exec({ argv: ['./tool'], cwd: folder }))).toBe('ran 0');
});

test('a rule that names a hash is held against the file once more before the start', async () => {
  const folder = work();
  const tool = join(folder, 'tool');
  const sha256 = createHash('sha256').update(readFileSync(tool)).digest('hex');
  const policy: PolicyDocument = {
    version: 1,
    agents: {
      '*': { security: 'allowlist', ask: 'off', allowlist: [{ id: 'a', pattern: tool, sha256 }] },
    },
  };
  const run = async (change: () => void): Promise<string> => {
    const { engine: real } = bench({ policy }).ports;
    const engine: typeof real = {
      ...real,
      decide: (situation) => {
        const verdict = real.decide(situation);
        // Before anything is taken down: the binding itself sees nothing amiss.
        change();
        return verdict;
      },
    };
    return codeOf(
      await bench({ policy, ports: { engine } }).exec({ argv: ['./tool'], cwd: folder }),
    );
  };
  expect(await run(() => {})).toBe('ran 0');
  expect(await run(() => put(tool, evil))).toBe('binding-drift');
});

test('nothing is swapped: it runs', async () => {
  const folder = work();
  const { exec } = bench({ policy: fullPolicy });
  for (const argv of [['./tool'], ['./link'], ['/bin/ls'], ['perl', 'tool']])
    expect(codeOf(await exec({ argv, cwd: folder }))).toBe('ran 0');
});
