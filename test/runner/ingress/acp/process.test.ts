import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { client, methods, ndJsonStream } from '@agentclientprotocol/sdk';
import { expect, test } from 'vitest';
import { redeemWords } from '../../../../runner/ingress/asking.ts';
import { json, refusal } from '../../cli/fake-runner.ts';
import type { Answer } from '../../cli/fake-runner.ts';
import { packageRoot } from '../../cli/support.ts';
import { homeWithRunner, program } from '../mcp/support.ts';
import { ticket } from '../relay/support.ts';

const agentScript = join(packageRoot, 'test/fixtures/acp/agent.mjs');

/** The official client as an editor, with `interlock acp` between it and an agent; tells what came. */
async function prompt(command: string, answer: Answer) {
  const place = await homeWithRunner(answer);
  const [node, script] = program;
  const child = spawn(node, [script, 'acp', '--agent', 'gemini', '--', node, agentScript], {
    cwd: place.folder,
    env: { PATH: process.env['PATH'] ?? '', INTERLOCK_HOME: place.home },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const ended = once(child, 'close');
  const said: string[] = [];
  const terminals: unknown[] = [];
  const asked: unknown[] = [];
  await client({ name: 'editor' })
    .onRequest(methods.client.session.requestPermission, ({ params }) => {
      asked.push(params);
      return { outcome: { outcome: 'selected', optionId: 'always' } };
    })
    .onRequest(methods.client.terminal.create, ({ params }) => {
      terminals.push(params);
      return { terminalId: 't1' };
    })
    .onNotification(methods.client.session.update, ({ params: { update } }) => {
      if (update.sessionUpdate === 'agent_message_chunk' && update.content.type === 'text')
        said.push(update.content.text);
    })
    .connectWith(
      ndJsonStream(
        Writable.toWeb(child.stdin),
        Readable.toWeb(child.stdout) as ReadableStream<Uint8Array>,
      ),
      async (agent) => {
        await agent.request(methods.agent.initialize, { protocolVersion: 1 });
        const { sessionId } = await agent.request(methods.agent.session.new, {
          cwd: place.folder,
          mcpServers: [],
        });
        await agent.request(methods.agent.session.prompt, {
          sessionId,
          prompt: [{ type: 'text', text: command }],
        });
      },
    );
  child.stdin.end();
  expect(await ended).toEqual([0, null]);
  await place.remove();
  return { place, said, terminals, asked, seen: place.runner.seen.map(({ body }) => body) };
}

test('a yes: the agent gets it from the gate, and the terminal runs the ticket', async () => {
  const permission = { code: 'allow-once', by: 'person' };
  const { place, said, terminals, asked, seen } = await prompt('make all', ({ body }, response) =>
    json(response, 200, {
      ok: true,
      id: 'r1',
      permission,
      ...((body as { by?: string }).by === undefined && { ticket, expiresAt: 9 }),
    }),
  );
  expect(said).toEqual(['permission once', 'terminal t1']);
  expect(asked).toEqual([]);
  expect(seen).toMatchObject([
    { command: 'make all', by: 'elsewhere', cwd: place.folder, agent: 'gemini', session: 'sess-1' },
    { argv: ['sh', '-c', 'make all'], cwd: place.folder },
  ]);
  const [node, script] = program;
  const [command, ...args] = redeemWords({ node, program: script, home: place.home }, ticket);
  expect(terminals).toMatchObject([{ command, args, cwd: place.folder }]);
});

test('a no: the agent is told so, and the editor hears of no terminal', async () => {
  const { said, terminals, asked } = await prompt('rm -rf x', (_seen, response) =>
    refusal(response, 'policy-deny', 'A rule forbids it.'),
  );
  expect(said).toEqual(['permission never']);
  expect({ terminals, asked }).toEqual({ terminals: [], asked: [] });
});
