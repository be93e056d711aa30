import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ExecEvent } from '../../../../shared/wire/api.ts';
import { maxResultLength, truncationMark } from '../../../../shared/wire/limits.ts';
import type { Answer } from '../../cli/fake-runner.ts';
import { events, refusal } from '../../cli/fake-runner.ts';
import { connectMcp, homeWithRunner, textOf } from './support.ts';

const id = 'r1';
const started: ExecEvent = { type: 'started', id, pid: 7, canonical: 'x' };
const finished: ExecEvent = {
  type: 'finished',
  id,
  exitCode: 3,
  signal: null,
  durationMs: 5,
  truncated: false,
};
const out = (type: 'stdout' | 'stderr', data: string): ExecEvent => ({
  type,
  id,
  data,
  encoding: 'utf8',
});

let gate: Answer = () => undefined;
let place: Awaited<ReturnType<typeof homeWithRunner>>;
let client: Awaited<ReturnType<typeof connectMcp>>;

beforeAll(async () => {
  place = await homeWithRunner(async (seen, response) => gate(seen, response));
  client = await connectMcp(place, '--agent', 'claude');
});
afterAll(async () => {
  await client.close();
  await place.remove();
});

describe('the MCP tool exec', () => {
  it('passes a command to the gate and hands back output and exit code', async () => {
    gate = (_seen, response) =>
      events(response, [started, out('stdout', 'one\n'), out('stderr', 'oh\n'), finished]);
    mkdirSync(join(place.folder, 'sub'));
    const result = await client.callTool({
      name: 'exec',
      arguments: { command: 'make | tail', cwd: 'sub', timeoutMs: 900, reason: 'to see' },
    });
    expect(place.runner.seen.slice(-1)).toEqual([
      {
        method: 'POST',
        path: '/v1/exec',
        body: {
          command: 'make | tail',
          cwd: join(place.folder, 'sub'),
          session: 's1',
          agent: 'claude',
          statedReason: 'to see',
          timeoutMs: 900,
        },
      },
    ]);
    expect(result.isError).toBeFalsy();
    expect(textOf(result)).toBe('one\n\n[stderr]\noh\n\n[exit code 3]');
    expect(result.structuredContent).toMatchObject({
      exitCode: 3,
      stdout: 'one\n',
      stderr: 'oh\n',
    });
  });

  it('keeps what results may hold, and marks the cut', async () => {
    const long = 'x'.repeat(150_000);
    gate = (_seen, response) =>
      events(response, [started, out('stdout', long), out('stderr', long), finished]);
    const result = await client.callTool({ name: 'exec', arguments: { argv: ['yes'] } });
    const { stdout, stderr, truncated } = result.structuredContent as {
      readonly stdout: string;
      readonly stderr: string;
      readonly truncated: boolean;
    };
    expect(truncated).toBe(true);
    expect(stdout.length + stderr.length).toBe(maxResultLength + truncationMark.length);
    expect(stderr.endsWith(truncationMark)).toBe(true);
  });

  it('answers a refusal as an error with code, sentence and hint', async () => {
    gate = (_seen, response) => refusal(response, 'policy-deny', 'A rule forbids it.');
    const result = await client.callTool({ name: 'exec', arguments: { argv: ['rm'] } });
    expect(result.isError).toBe(true);
    expect(textOf(result)).toBe('policy-deny: A rule forbids it.\nDo this instead.');
    expect(result.structuredContent).toEqual({
      refusal: {
        code: 'policy-deny',
        message: 'A rule forbids it.',
        hint: 'Do this instead.',
      },
    });
  });

  it('tells that a person is waited for', async () => {
    let end = (): void => undefined;
    gate = (_seen, response) => {
      const pending = { type: 'pending', id, askId: 'a1', expiresAt: 1 };
      response.writeHead(200, { 'content-type': 'application/x-ndjson' });
      response.write(`${JSON.stringify(pending)}\n`);
      end = () => void response.end(`${JSON.stringify(finished)}\n`);
    };
    const messages: (string | undefined)[] = [];
    await client.callTool(
      { name: 'exec', arguments: { argv: ['make'] } },
      {
        onprogress: ({ message }) => {
          messages.push(message);
          end();
        },
      },
    );
    expect(messages).toEqual(['Waiting for a person to decide.']);
  });

  it('hangs up on the gate when the host cancels the call', async () => {
    let asked = (): void => undefined;
    const isAsked = new Promise<void>((resolve) => {
      asked = resolve;
    });
    gate = (_seen, response) => {
      response.writeHead(200, { 'content-type': 'application/x-ndjson' });
      response.flushHeaders();
      asked();
    };
    const stop = new AbortController();
    const call = client.callTool(
      { name: 'exec', arguments: { argv: ['sleep', '9'] } },
      { signal: stop.signal },
    );
    const failed = expect(call).rejects.toThrow();
    await isAsked;
    stop.abort('the turn is over');
    await failed;
    await place.runner.clientGone;
  });
});
