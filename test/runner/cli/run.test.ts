import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ownLock } from '../../../runner/cli/commands/run.ts';
import { runCli } from '../../../runner/cli/program.ts';
import type { ExecEvent } from '../../../shared/wire/api.ts';
import { events, fakeRunner, refusal } from './fake-runner.ts';
import type { Answer, FakeRunner } from './fake-runner.ts';
import { cli, temporaryHome, testIo } from './support.ts';

const id = 'r1';
const finished = (exitCode: number | null, signal: string | null = null): ExecEvent => ({
  type: 'finished',
  id,
  exitCode,
  signal,
  durationMs: 5,
  truncated: false,
});
const output = (type: 'stdout' | 'stderr', data: string): ExecEvent => ({
  type,
  id,
  data,
  encoding: 'utf8',
});

let place: ReturnType<typeof temporaryHome>;
let runner: FakeRunner | null = null;

beforeEach(() => {
  place = temporaryHome();
  mkdirSync(place.home, { mode: 0o700 });
});
afterEach(async () => {
  await runner?.close();
  runner = null;
  place.remove();
});

async function withRunner(answer: Answer): Promise<FakeRunner> {
  runner = await fakeRunner(join(place.home, 'runner.sock'), answer);
  return runner;
}

describe('the lock that a waiting client looks at', () => {
  it('is that of the home whose runner it asked', () => {
    expect(ownLock({ env: { INTERLOCK_HOME: place.home } }).isLocked?.()).toBe(true);
  });

  it('is none where the runner is of another user: a guest has no home that could be locked', () => {
    const env = { HOME: place.folder, INTERLOCK_SOCKET: join(place.folder, 'shared.sock') };
    expect(ownLock({ env })).toEqual({});
  });
});

describe('interlock run', () => {
  it('passes words on as argv, with folder, agent and limits', async () => {
    const { seen } = await withRunner((_seen, response) => events(response, [finished(0)]));
    const words = ['run', '--agent', 'claude', '--timeout', '1.5s', '--', 'git', 'log', '--all'];
    const result = await cli({ home: place.home, cwd: place.folder }, ...words);
    expect(result).toEqual({ exitCode: 0, out: '', err: '' });
    expect(seen).toEqual([
      {
        method: 'POST',
        path: '/v1/exec',
        body: {
          argv: ['git', 'log', '--all'],
          cwd: place.folder,
          agent: 'claude',
          timeoutMs: 1500,
        },
      },
    ]);
  });

  it('passes shell text on as it is, and variables by value', async () => {
    const { seen } = await withRunner((_seen, response) => events(response, [finished(0)]));
    const env = { SECRET_NAME: 'from outside' };
    const flags = ['--env', 'A=b=c', '--pass-env', 'SECRET_NAME', '-c', 'ls | head -3 && date'];
    await cli({ home: place.home, env }, 'run', ...flags);
    expect(seen[0]?.body).toEqual({
      command: 'ls | head -3 && date',
      cwd: '/',
      env: { A: 'b=c', SECRET_NAME: 'from outside' },
    });
  });

  it('sends standard input only when told to', async () => {
    const { seen } = await withRunner((_seen, response) => events(response, [finished(0)]));
    await cli({ home: place.home, stdin: 'héllo' }, 'run', '--stdin', '--', 'cat');
    await cli({ home: place.home, stdin: 'héllo' }, 'run', '--', 'cat');
    expect(seen.map(({ body }) => (body as { stdin?: string }).stdin)).toEqual([
      Buffer.from('héllo').toString('base64'),
      undefined,
    ]);
  });

  it('streams both outputs, bytes included', async () => {
    await withRunner((_seen, response) =>
      events(response, [
        output('stdout', 'one\n'),
        output('stderr', 'two\n'),
        { type: 'stdout', id, data: Buffer.from('three').toString('base64'), encoding: 'base64' },
        finished(0),
      ]),
    );
    const result = await cli({ home: place.home }, 'run', '--', 'x');
    expect(result).toEqual({ exitCode: 0, out: 'one\nthree', err: 'two\n' });
  });

  it.each([
    ['its own status', finished(42), 42],
    ['127 for a command that is not found', finished(127), 127],
    ['128 plus the signal for death by one', finished(null, 'SIGKILL'), 137],
  ])('exits with %s', async (_what, event, expected) => {
    await withRunner((_seen, response) => events(response, [event]));
    expect((await cli({ home: place.home }, 'run', '--', 'x')).exitCode).toBe(expected);
  });

  it.each([
    ['policy-deny', 126],
    ['confirm-rejected', 126],
    ['lockout-active', 126],
    ['command-timeout', 124],
  ] as const)('tells code, sentence and hint of %s, and exits with %i', async (code, expected) => {
    await withRunner((_seen, response) =>
      events(response, [{ type: 'refused', id, refusal: { code, message: 'No.', hint: 'Ask.' } }]),
    );
    const result = await cli({ home: place.home }, 'run', '--', 'x');
    expect(result).toEqual({
      exitCode: expected,
      out: '',
      err: `interlock: ${code}: No.\n  Ask.\n`,
    });
  });

  it('tells a refusal that comes before the stream in the same way', async () => {
    await withRunner((_seen, response) => refusal(response, 'invalid-request', 'No such host.'));
    const result = await cli({ home: place.home }, 'run', '--host', 'moon', '--', 'x');
    expect(result.exitCode).toBe(126);
    expect(result.err).toContain('interlock: invalid-request: No such host.');
  });

  it('says how to start the runner when there is none', async () => {
    const result = await cli({ home: place.home }, 'run', '--', 'true');
    expect(result.exitCode).toBe(125);
    expect(result.err).toContain('No runner is listening');
    expect(result.err).toContain('interlock up');
  });

  it('says so when the runner goes away in the middle', async () => {
    await withRunner((_seen, response) => {
      response.writeHead(200);
      response.write(`${JSON.stringify(output('stdout', 'half'))}\n`, () => response.destroy());
    });
    const result = await cli({ home: place.home }, 'run', '--', 'x');
    expect(result).toMatchObject({ exitCode: 125, out: 'half' });
  });

  it('hangs up on Ctrl-C, so that the ask is taken back, and exits with 130', async () => {
    const fake = await withRunner((_seen, response) => {
      response.writeHead(200);
      response.write(`${JSON.stringify({ type: 'pending', id, askId: 'a1', expiresAt: 0 })}\n`);
      world.signal('SIGINT');
    });
    const world = testIo({ home: place.home });
    expect(await runCli(['run', '--', 'x'], world.io)).toBe(130);
    await fake.clientGone;
    expect(world.err()).toBe('');
  });

  it('says once that it waits for a person, on a terminal or when told to', async () => {
    await withRunner((_seen, response) =>
      events(response, [{ type: 'pending', id, askId: 'a1', expiresAt: 60_000 }, finished(0)]),
    );
    const now = (): number => 0;
    const quiet = await cli({ home: place.home, now }, 'run', '--', 'x');
    expect(quiet.err).toBe('');
    const told = await cli({ home: place.home, now }, 'run', '--verbose', '--', 'x');
    expect(told.err).toBe(
      'interlock: waiting for a person to decide (60 s left; here: interlock approve a1)\n',
    );
    const seen = await cli({ home: place.home, now, isTTY: true }, 'run', '--', 'x');
    expect(seen.err).toBe(told.err);
  });

  it('prints one JSON object with --json, and keeps the exit status', async () => {
    await withRunner((_seen, response) =>
      events(response, [output('stdout', 'a'), output('stderr', 'b'), finished(3)]),
    );
    const result = await cli({ home: place.home }, 'run', '--json', '--', 'x');
    expect(result.exitCode).toBe(3);
    expect(JSON.parse(result.out)).toEqual({
      ok: true,
      id,
      exitCode: 3,
      signal: null,
      durationMs: 5,
      stdout: 'a',
      stderr: 'b',
      truncated: false,
    });
  });

  it('cuts what --json keeps at 200,000 characters, with a visible mark', async () => {
    const half = 'x'.repeat(150_000);
    await withRunner((_seen, response) =>
      events(response, [output('stdout', half), output('stderr', half), finished(0)]),
    );
    const result = await cli({ home: place.home }, 'run', '--json', '--', 'x');
    const body = JSON.parse(result.out) as { stdout: string; stderr: string; truncated: boolean };
    expect(body.stdout).toBe(half);
    expect(body.stderr).toBe(`${'x'.repeat(50_000)}… (truncated)`);
    expect(body.truncated).toBe(true);
  });
});

describe('interlock run, used wrongly', () => {
  it.each([
    [['run'], 'There is no command to look at.'],
    [['run', '-c', 'ls', '--', 'ls'], 'Both -c and separate words were given.'],
    [['run', '--timeout', 'soon', '--', 'ls'], '"soon" is not a duration.'],
    [['run', '--env', 'novalue', '--', 'ls'], '--env takes NAME=VALUE.'],
    [['run', '--pass-env', 'NOT_SET_HERE', '--', 'ls'], 'There is no variable NOT_SET_HERE'],
    [['run', '--security', 'loose', '--', 'ls'], 'Allowed choices are deny, allowlist, full'],
    [['run', '--frobnicate', '--', 'ls'], "unknown option '--frobnicate'"],
    [['rum'], "unknown command 'rum'"],
    [['run', '--', 'cat', 'caf\uFFFD'], 'not valid UTF-8'],
    [['run', '-c', 'cat caf\uFFFD'], 'not valid UTF-8'],
  ])('%j exits with 125 and a sentence', async (args, sentence) => {
    const result = await cli({ home: place.home }, ...args);
    expect(result.exitCode).toBe(125);
    expect(result.err).toContain(sentence);
    expect(result.err.trim().split('\n').length).toBeGreaterThan(1);
  });
});

it('offers the hosts that exist in its help', async () => {
  const { out } = await cli({ home: '/nonexistent' }, 'run', '--help');
  expect(out).toContain('--host');
  expect(out).toContain('--node <name>');
});
