import { spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { failClosed, hosts } from '../../../shared/agents/registry.ts';
import { bodyDigest } from '../../../shared/ipc/signed-request.ts';
import { isSignedBy, readSignature } from '../../../shared/ipc/signed-request-read.ts';
import { hookFrames, wantsFrames } from '../../../runner/ingress/http/streams.ts';
import type { HookAnswer } from '../../../shared/wire/index.ts';
import {
  emptyHome,
  endOf,
  hookProgram,
  runHook,
  standIn,
  startHook,
  usual,
  ways,
} from './support.ts';
import type { HookEnd, SeenCall } from './support.ts';

const commandLine = join(import.meta.dirname, '../../../dist/runner/cli/main.js');

const input = '{"hook_event_name": "PreToolUse", "note": "ü, as it is"}';
const answered = { stdout: '{"said":"ü"}\n', stderr: 'a word\n', exitCode: 3 };

/** Answers as the runner does: in frames where they are wanted and there is an answer. */
const send =
  (value: unknown, status = 200) =>
  (response: ServerResponse, { headers }: SeenCall): void => {
    const answer = wantsFrames({ headers }) ? answerIn(value) : null;
    if (answer !== null) return void response.end(hookFrames(answer));
    const body = typeof value === 'string' ? value : JSON.stringify(value);
    response.writeHead(status, { 'content-length': Buffer.byteLength(body) });
    response.end(body);
  };
function answerIn(value: unknown): HookAnswer | null {
  const { ok, answer } = fieldsOf(value);
  const { stdout, stderr, exitCode } = fieldsOf(answer);
  if (ok !== true || typeof stdout !== 'string' || typeof stderr !== 'string') return null;
  return exitCode === 3 || exitCode === 0 ? { stdout, stderr, exitCode } : null;
}

const fieldsOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? { ...value } : {};

const raw =
  (text: string) =>
  (response: ServerResponse): void => {
    response.socket?.end(text);
  };

/** That Claude Code is told no, in its own words and in no others. */
function expectDenied(end: HookEnd, text: RegExp): void {
  const said = JSON.parse(end.stdout) as {
    readonly hookSpecificOutput: { readonly permissionDecisionReason: string };
  };
  const reason = said.hookSpecificOutput.permissionDecisionReason;
  expect(reason).toMatch(text);
  expect(end).toEqual({ ...failClosed('claude', reason), signal: null });
}

describe.each(ways)('started by %s', (_way, by) => {
  describe('the answer of the gate', () => {
    test('is what the host gets, to the letter', async () => {
      const paths = emptyHome();
      const runner = await standIn(paths, send({ ok: true, answer: answered }));
      expect(await runHook(paths, input, { by })).toEqual({ ...answered, signal: null });
      expect(await runner.next()).toMatchObject({
        method: 'POST',
        url: '/v1/hooks/claude?agent=claude',
        body: input,
      });
    });

    test('may be longer than a pipe holds', async () => {
      const paths = emptyHome();
      const stdout = 'x'.repeat(3_000_000);
      await standIn(paths, send({ ok: true, answer: { stdout, stderr: '', exitCode: 0 } }));
      const end = await runHook(paths, input, { by });
      expect(end.stdout.length).toBe(stdout.length);
      expect(end.exitCode).toBe(0);
    });

    test('is asked for with an input of many parts, up to 8 MiB', async () => {
      const paths = emptyHome();
      const runner = await standIn(paths, send({ ok: true, answer: answered }));
      const long = JSON.stringify({ text: 'y'.repeat(8_000_000) });
      const { child, end } = startHook(paths, { by });
      child.stdin.write(long.slice(0, 9));
      child.stdin.end(long.slice(9));
      expect((await end).exitCode).toBe(3);
      expect((await runner.next()).body).toBe(long);
    });

    test('is asked for in the name of the agent, which proves itself where it has a key', async () => {
      const paths = emptyHome();
      const key = Buffer.alloc(32, 7);
      const file = join(paths.agentKeysDirectory, 'my-agent.key');
      writeFileSync(file, `${key.toString('base64url')}\n`, { mode: 0o600 });
      const runner = await standIn(paths, send({ ok: true, answer: answered }));
      await runHook(paths, input, { by, args: ['codex', '--agent', 'my-agent', '--wait', '30'] });
      const { url, headers, method } = await runner.next();
      expect(url).toBe('/v1/hooks/codex?agent=my-agent');
      const signature = readSignature(headers);
      if (signature === null) throw new Error('not signed');
      const body: unknown = JSON.parse(input);
      const call = { ...signature, method, path: url, body, digest: bodyDigest(input) };
      expect(isSignedBy(key, call, signature)).toBe(true);
      expect(signature.signs).toBe('bytes');
    });
  });

  test.each(hosts)('without a runner, %s is told no in a way that it knows', async (host) => {
    const end = await runHook(emptyHome(), input, {
      by,
      args: [host, '--agent', 'a', '--wait', '30'],
    });
    const { stdout, stderr, exitCode } = failClosed(
      host,
      'Interlock allowed nothing: its runner is not there. A person starts it with "interlock up".',
    );
    expect(end).toEqual({ stdout, stderr, exitCode, signal: null });
  });

  const refusal = { code: 'lockout-active', message: 'Everything is locked.', hint: 'Unlock it.' };

  describe('an answer that is none is a no', () => {
    test.each([
      [
        'a refusal',
        send({ ok: false, refusal }, 403),
        /^lockout-active: Everything is locked. Unlock it.$/,
      ],
      ['a refusal without a code', send({ ok: false, refusal: {} }), /language/],
      ['another code', send({ ok: false, refusal: { ...refusal, code: 'fine' } }), /language/],
      ['no JSON', send('{"ok":true'), /language/],
      ['null', send('null'), /language/],
      ['no answer in it', send({ ok: true }), /language/],
      ['words that are none', send({ ok: true, answer: { ...answered, stdout: 1 } }), /language/],
      [
        'a status that is none',
        send({ ok: true, answer: { ...answered, exitCode: 256 } }),
        /language/,
      ],
      ['half a status', send({ ok: true, answer: { ...answered, exitCode: 0.5 } }), /language/],
      ['no "ok"', send({ answer: answered }), /language/],
      ['not HTTP', raw('hello\r\n\r\n'), /language/],
      ['no length', raw('HTTP/1.1 200 OK\r\n\r\n{}'), /language/],
      [
        'two lengths',
        raw('HTTP/1.1 200 OK\r\ncontent-length: 2\r\ncontent-length: 9\r\n\r\n{}'),
        /language/,
      ],
      ['an end before the head', raw('HTTP/1.1 200 OK\r\n'), /went away/],
      ['nothing', (response: ServerResponse): void => void response.socket?.destroy(), /went away/],
    ] as const)('%s', async (_name, answer, text) => {
      const paths = emptyHome();
      await standIn(paths, answer);
      expectDenied(await runHook(paths, input, { by }), text);
    });
  });

  describe('an input that is none is a no, and nobody is asked', () => {
    test.each([
      ['nothing', '', /not JSON/],
      ['half of it', input.slice(0, -1), /not JSON/],
      ['other bytes', Buffer.from([0x22, 0xff, 0x22]), /not JSON/],
      ['more than 8 MiB', `"${'z'.repeat(8 * 1024 * 1024)}"`, /longer than 8 MiB/],
    ])('%s', async (_name, text, why) => {
      expectDenied(await runHook(emptyHome(), text, { by }), why);
    });
  });

  describe('a key that is there and cannot be used is a no', () => {
    test.each([
      [
        'others can read it',
        (file: string) => writeFileSync(file, 'A'.repeat(43), { mode: 0o644 }),
      ],
      ['it holds something else', (file: string) => writeFileSync(file, 'secret', { mode: 0o600 })],
      ['it is a folder', (file: string) => mkdirSync(file)],
    ])('%s', async (_name, make) => {
      const paths = emptyHome();
      make(join(paths.agentKeysDirectory, 'claude.key'));
      const end = await runHook(paths, input, { by });
      expectDenied(end, /^config-invalid: The key file/);
      expect(end.stdout).not.toContain('secret');
    });

    test.each(['../claude', 'a/b', 'A', ''])('the agent cannot be named %j', async (agent) => {
      const end = await runHook(emptyHome(), input, {
        by,
        args: ['claude', '--agent', agent, '--wait', '30'],
      });
      expectDenied(end, /name of the agent/);
    });
  });

  test.each([[[]], [['nobody', '--agent', 'a', '--wait', '1']], [[...usual, '--wait']]])(
    'words that are not those of the installer are a no: %j',
    async (args) => {
      const end = await runHook(emptyHome(), input, { by, args });
      expect(end).toMatchObject({ stdout: '', exitCode: 2 });
      expect(end.stderr).toContain('Interlock allowed nothing');
    },
  );

  describe('a question that nobody waits for any more is dropped', () => {
    const silent = () => undefined;

    test('after its own time, which ends before the host’s', async () => {
      const paths = emptyHome();
      const runner = await standIn(paths, silent);
      expectDenied(
        await runHook(paths, input, { by, args: ['claude', '--agent', 'claude', '--wait', '1'] }),
        /within 1 seconds/,
      );
      await runner.dropped;
    });

    test('also while the input does not end', async () => {
      const { end } = startHook(emptyHome(), {
        by,
        args: ['claude', '--agent', 'claude', '--wait', '1'],
      });
      expectDenied(await end, /within 1 seconds/);
    });

    test.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)('with a no on %s', async (signal) => {
      const paths = emptyHome();
      const runner = await standIn(paths, silent);
      const { child, end } = startHook(paths, { by });
      child.stdin.end(input);
      await runner.next();
      child.kill(signal);
      expectDenied(await end, /was stopped/);
      await runner.dropped;
    });

    test('when it is killed', async () => {
      const paths = emptyHome();
      const runner = await standIn(paths, silent);
      const { child, end } = startHook(paths, { by });
      child.stdin.end(input);
      await runner.next();
      child.kill('SIGKILL');
      expect(await end).toMatchObject({ stdout: '', signal: 'SIGKILL' });
      await runner.dropped;
    });

    test('when the shell around it is killed', async () => {
      const paths = emptyHome();
      const runner = await standIn(paths, silent);
      const line = `${[...by, hookProgram, ...usual].map((word) => `'${word}'`).join(' ')}; exit 2`;
      const shell = spawn('/bin/sh', ['-c', line], { env: { INTERLOCK_HOME: paths.home } });
      const end = endOf(shell);
      shell.stdin.end(input);
      await runner.next();
      shell.kill('SIGKILL');
      await runner.dropped;
      expectDenied({ ...(await end), exitCode: 0, signal: null }, /nobody waits/);
    });
  });
});

describe('an answer in JSON that breaks off or has no end is a no', () => {
  test.each([
    [
      'an end before the end',
      raw('HTTP/1.1 200 OK\r\ncontent-length: 99\r\n\r\n{"ok"'),
      /went away/,
    ],
    ['far too much', raw('HTTP/1.1 200 OK\r\ncontent-length: 99999999\r\n\r\n'), /too long/],
  ] as const)('%s', async (_name, answer, text) => {
    const paths = emptyHome();
    await standIn(paths, answer);
    expectDenied(await runHook(paths, input), text);
  });
});

test('interlock hook is the same program by its long way', async () => {
  const child = spawn(process.execPath, [commandLine, 'hook', 'claude'], {
    env: { ...process.env, INTERLOCK_HOME: emptyHome().home },
  });
  child.stdin.end(input);
  expectDenied(await endOf(child), /runner is not there/);
});
