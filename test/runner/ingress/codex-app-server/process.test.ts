import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, test } from 'vitest';
import { json } from '../../cli/fake-runner.ts';
import { packageRoot } from '../../cli/support.ts';
import { homeWithRunner, program } from '../mcp/support.ts';

test('interlock app-server answers in the place of the client, over real pipes', async () => {
  const place = await homeWithRunner((_seen, response) =>
    json(response, 200, { ok: true, id: 'r1', permission: { code: 'rule-allow', by: 'policy' } }),
  );
  const [node, script] = program;
  const server = join(packageRoot, 'test/fixtures/codex-app-server/server.mjs');
  const child = spawn(node, [script, 'app-server', '--agent', 'codex', '--', node, server], {
    cwd: place.folder,
    env: { PATH: process.env['PATH'] ?? '', INTERLOCK_HOME: place.home },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const ended = once(child, 'close');
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const next = async (): Promise<unknown> => {
    const line = await lines.next();
    return line.done === true ? null : (JSON.parse(line.value) as unknown);
  };
  child.stdin.write('{"id":1,"method":"turn/start","params":{"threadId":"thread-1"}}\n');
  expect(await next()).toEqual({ id: 1, result: { turn: { id: 'turn-1' } } });
  expect(await next()).toEqual({ method: 'test/decided', params: { decision: 'accept' } });
  expect(place.runner.seen).toMatchObject([
    { path: '/v1/permits', body: { command: "/bin/bash -lc 'npm test'", by: 'elsewhere' } },
  ]);
  child.stdin.end();
  expect(await ended).toEqual([0, null]);
  await place.remove();
});

test.each([
  ['a signal', 'SIGTERM' as const, 143],
  ['the end of its agent', null, 5],
])('it ends with %s, though its client keeps its end open', async (_what, signal, status) => {
  const place = await homeWithRunner(() => undefined);
  const [node, script] = program;
  const agent = `console.log('{"method":"up"}'); ${signal === null ? 'process.exitCode = 5' : 'process.stdin.resume()'}`;
  const child = spawn(node, [script, 'app-server', '--', node, '-e', agent], {
    cwd: place.folder,
    env: { PATH: process.env['PATH'] ?? '', INTERLOCK_HOME: place.home },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  await once(child.stdout, 'data');
  if (signal !== null) child.kill(signal);
  expect(await ended).toEqual([status, null]);
  await place.remove();
});
