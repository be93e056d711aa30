import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { selfTest, selfTestFolders } from '../../../runner/cli/self-test.ts';
import type { Finding } from '../../../runner/cli/self-test.ts';
import type { ExecEvent } from '../../../shared/wire/api.ts';
import { openHome } from '../../../shared/home/index.ts';
import { events, fakeRunner } from './fake-runner.ts';
import { packageRoot } from './support.ts';

let folder: string;

beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'il-st-')));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const command = (...args: readonly string[]): readonly string[] => [
  join(packageRoot, 'dist/runner/cli/main.js'),
  'self-test',
  ...args,
];
/** A temporary folder of its own shows what is left behind. */
const env = () => ({ ...process.env, TMPDIR: folder, INTERLOCK_HOME: join(folder, 'mine') });

it('tries all parts for real, touches no home, and leaves nothing behind', () => {
  const run = spawnSync(process.execPath, command('--json'), { encoding: 'utf8', env: env() });
  const said = JSON.parse(run.stdout) as { readonly findings: readonly Finding[] };
  expect(said.findings.filter(({ state }) => state === 'fails')).toEqual([]);
  expect(said.findings.map(({ part }) => part)).toEqual([
    'a runner starts',
    'a command that is allowed runs',
    'a command that a rule denies does not run',
    'an ask reaches a person, and Allow runs it',
    'Deny does not run it',
    'with nobody there to ask the answer is no',
    'the sandbox lets no write out',
    'the sandbox lets no connection out',
    'a lockout stops what runs, and refuses what follows',
    'the record verifies, and a change of it is found',
    'nothing is left behind',
  ]);
  expect(run.status).toBe(0);
  expect(run.stderr).toBe('');
  expect(readdirSync(folder)).toEqual([]);
}, 60_000);

it('that is interrupted ends its runner and takes its folder away', async () => {
  const child = spawn(process.execPath, command(), {
    env: env(),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    said += text;
    if (said.includes('a runner starts') && !child.killed) child.kill('SIGINT');
  });
  const [code] = (await once(child, 'close')) as [number | null];
  expect(code).toBe(1);
  expect(said).toContain('FAILS');
  expect(said).toContain('nothing is left behind: no process, no file');
  expect(readdirSync(folder)).toEqual([]);
}, 60_000);

/** What a gate would answer that holds nothing. */
const allowsAll: readonly ExecEvent[] = [
  { type: 'started', id: 'x', pid: process.pid, canonical: 'x' },
  { type: 'finished', id: 'x', exitCode: 0, signal: null, durationMs: 1, truncated: false },
];

it.each([
  ['runs everything that it is asked', true],
  ['says yes and runs nothing', false],
])('finds a runner that %s', async (_what, really) => {
  const home = openHome({ INTERLOCK_HOME: join(folder, 'home') });
  mkdirSync(home.home, { mode: 0o700 });
  await home.init(() => 1);
  const runner = await fakeRunner(home.runnerSocket, ({ body }, response) => {
    const { argv = [] } = (body ?? {}) as { readonly argv?: readonly string[] };
    const [program, file] = argv;
    if (really && program === 'touch' && file !== undefined) writeFileSync(file, '');
    events(response, allowsAll);
  });
  const ending = new AbortController();
  try {
    const file = home.readPolicy();
    const token = file.ok ? (file.document.socket?.token ?? '') : '';
    const findings = await selfTest(
      {
        home,
        ...selfTestFolders(folder),
        token,
        path: process.env['PATH'] ?? '',
        probe: () =>
          Promise.resolve({
            ok: true,
            problem: null,
            rung: 'box',
            failed: [],
            capabilities: [],
            groups: { ok: false, problem: 'none' },
          }),
        signal: ending.signal,
      },
      () => undefined,
    );
    expect(findings.filter(({ state }) => state !== 'fails')).toEqual([]);
    expect(findings).toHaveLength(9);
    expect(existsSync(join(folder, 'outside', 'written'))).toBe(really);
  } finally {
    await runner.close();
  }
});
