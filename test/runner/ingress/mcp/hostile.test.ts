import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { PassThrough } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { serveMcp } from '../../../../runner/ingress/mcp/server.ts';
import type { McpParts } from '../../../../runner/ingress/mcp/tool.ts';
import { events } from '../../cli/fake-runner.ts';
import { connectMcp, homeWithRunner, program, textOf } from './support.ts';

let place: Awaited<ReturnType<typeof homeWithRunner>>;

beforeAll(async () => {
  place = await homeWithRunner((_seen, response) => events(response, []));
});
afterAll(async () => place.remove());

describe('interlock mcp and hostile input', () => {
  it('refuses wrong arguments without asking the gate', async () => {
    const client = await connectMcp(place);
    const wrong: readonly unknown[] = [
      {},
      { command: 'ls', argv: ['ls'] },
      { command: '' },
      { command: 7 },
      { argv: [] },
      { argv: 'ls' },
      { argv: ['ls', null] },
      { command: 'ls', agent: 'root' },
      { command: 'ls', env: { LD_PRELOAD: '/tmp/x.so' } },
      { command: 'ls', timeoutMs: -1 },
      { command: 'ls', __proto__: { timeoutMs: 'x' }, constructor: {} },
    ];
    for (const input of wrong) {
      const call = client.callTool({ name: 'exec', arguments: input as Record<string, unknown> });
      const isRefused = await call.then(
        ({ isError }) => isError === true,
        () => true,
      );
      expect(isRefused, JSON.stringify(input)).toBe(true);
    }
    expect(place.runner.seen).toEqual([]);
    await client.close();
  });

  it('ends with a host that sends bytes which are not UTF-8, and hands none of them on', async () => {
    const input = new PassThrough();
    const errors: string[] = [];
    const served = serveMcp(
      {} as McpParts,
      {
        stdin: input,
        stdout: new PassThrough(),
        onError: ({ message }) => void errors.push(message),
      },
      { version: '1', signal: new AbortController().signal },
    );
    input.write(Buffer.from('{"jsonrpc":"2.0","method":"caf\u00e9"}\n', 'latin1'));
    await served;
    expect(errors).toContainEqual(expect.stringContaining('not UTF-8'));
  });

  it('outlives lines that are not messages, and ends with its host', async () => {
    const [command, script] = program;
    const child = spawn(command, [script, 'mcp'], {
      cwd: place.folder,
      env: { PATH: process.env['PATH'] ?? '', INTERLOCK_HOME: place.home },
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    const ended = once(child, 'close');
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    for (const line of [
      'not json',
      '[]',
      'null',
      '{"jsonrpc":"2.0"}',
      '{"jsonrpc":"2.0","id":{},"method":"tools/call"}',
      '{"jsonrpc":"1.0","id":1,"method":"initialize"}',
      '\u0000\u0001\ufffd',
    ])
      child.stdin.write(`${line}\n`);
    const initialize = {
      jsonrpc: '2.0',
      id: 'hello',
      method: 'initialize',
      params: {
        protocolVersion: '2025-06-18',
        capabilities: {},
        clientInfo: { name: 'claude-code', version: '2.1.329' },
      },
    };
    child.stdin.write(`${JSON.stringify(initialize)}\n`);
    let answer: { readonly id?: unknown; readonly result?: unknown } = {};
    while (answer.id !== 'hello') {
      const line = await lines.next();
      if (line.done === true) throw new Error('the server ended');
      answer = JSON.parse(line.value) as typeof answer;
    }
    expect(answer.result).toMatchObject({ protocolVersion: '2025-06-18' });
    child.stdin.end();
    expect(await ended).toEqual([0, null]);
    expect(place.runner.seen).toEqual([]);
  });

  it('says that there is no runner instead of running anything', async () => {
    const home = join(place.folder, 'empty');
    mkdirSync(home, { mode: 0o700 });
    const client = await connectMcp({ ...place, home });
    const result = await client.callTool({ name: 'exec', arguments: { argv: ['id'] } });
    expect(result.isError).toBe(true);
    expect(textOf(result)).toMatch(/^host-unavailable: No runner is listening/u);
    await client.close();
  });
});
