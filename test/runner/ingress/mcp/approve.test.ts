import { join } from 'node:path';
import { redeemCommand } from '../../../../runner/ingress/asking.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Answer } from '../../cli/fake-runner.ts';
import { json, refusal } from '../../cli/fake-runner.ts';
import { packageRoot } from '../../cli/support.ts';
import { connectMcp, homeWithRunner, textOf } from './support.ts';

const permission = { code: 'rule-allow', by: 'policy' };
const ticket = 'T'.repeat(43);
const yes: Answer = ({ path }, response) =>
  json(
    response,
    200,
    path === '/v1/permits'
      ? { ok: true, id: 'r1', permission, ticket, expiresAt: 9 }
      : { ok: true, id: 'r2', permission },
  );

let gate: Answer = yes;
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

async function approve(
  answer: Answer,
  asked: Record<string, unknown>,
): Promise<{ readonly behaviour: unknown; readonly seen: readonly unknown[] }> {
  gate = answer;
  const before = place.runner.seen.length;
  const result = await client.callTool({ name: 'approve', arguments: asked });
  expect(result.isError).toBeFalsy();
  const seen = place.runner.seen.slice(before).map(({ path, body }) => ({ path, body }));
  return { behaviour: JSON.parse(textOf(result)) as unknown, seen };
}

describe('the permission prompt tool for Claude Code', () => {
  it('hands back the command that its ticket stands for, with the other fields as they came', async () => {
    const input = { command: "echo 'a b' && ls", description: 'Lists files', timeout: 5000 };
    const { behaviour, seen } = await approve(yes, {
      tool_name: 'Bash',
      input,
      tool_use_id: 'toolu_1',
    });
    expect(seen).toEqual([
      {
        path: '/v1/permits',
        body: {
          command: input.command,
          cwd: place.folder,
          session: 's1',
          agent: 'claude',
          toolUseId: 'toolu_1',
          statedReason: 'Lists files',
        },
      },
    ]);
    const program = {
      node: process.execPath,
      program: join(packageRoot, 'dist/runner/cli/main.js'),
      home: place.home,
    };
    const command = redeemCommand(program, ticket, { lastingFolder: true, oneStream: false });
    expect(behaviour).toEqual({ behavior: 'allow', updatedInput: { ...input, command } });
  });

  it('asks about edits, addresses and tools of other servers by their kind', async () => {
    const calls = [
      ['Write', { file_path: '/w/a.txt', content: 'hi' }, 'edit', '/w/a.txt'],
      [
        'WebFetch',
        { url: 'https://example.com/a', prompt: 'sum up' },
        'fetch',
        'https://example.com/a',
      ],
      ['mcp__github__create_issue', { title: 't' }, 'mcp', 'github/create_issue'],
      ['Read', { file_path: '/etc/passwd' }, 'mcp', 'claude/Read'],
    ] as const;
    for (const [tool_name, input, kind, target] of calls) {
      const { behaviour, seen } = await approve(yes, { tool_name, input });
      expect(seen).toMatchObject([{ path: '/v1/tools', body: { kind, target, agent: 'claude' } }]);
      expect(behaviour).toEqual({ behavior: 'allow', updatedInput: input });
    }
  });

  it('denies with the sentence and the hint of a refusal', async () => {
    const { behaviour } = await approve(
      (_seen, response) => refusal(response, 'confirm-rejected', 'A person said no.'),
      { tool_name: 'Bash', input: { command: 'rm -rf build' } },
    );
    expect(behaviour).toEqual({
      behavior: 'deny',
      message: 'confirm-rejected: A person said no.\nDo this instead.',
    });
  });

  it('denies what the gate answers in a way that nobody understands', async () => {
    const answers: readonly Answer[] = [
      (_seen, response) => void response.writeHead(200).end('not json'),
      (_seen, response) => void response.destroy(),
      (_seen, response) => json(response, 200, {}),
      (_seen, response) => json(response, 200, { ok: true, id: 'r', permission, ticket: '' }),
      (_seen, response) => json(response, 200, { ok: true, id: 'r', ticket }),
      (_seen, response) => json(response, 200, { ok: false, id: 'r', permission, ticket }),
      (_seen, response) => json(response, 500, {}),
    ];
    for (const answer of answers)
      for (const asked of [
        { tool_name: 'Bash', input: { command: 'id' } },
        { tool_name: 'Write', input: { file_path: '/w/a', content: '' } },
      ]) {
        const { behaviour } = await approve(answer, asked);
        expect(behaviour).toMatchObject({ behavior: 'deny' });
      }
  });

  it('denies a command for which there is no ticket', async () => {
    const { behaviour } = await approve(
      (_seen, response) => json(response, 200, { ok: true, id: 'r', permission }),
      { tool_name: 'Bash', input: { command: 'id' } },
    );
    expect(behaviour).toMatchObject({ behavior: 'deny' });
  });

  it('denies a call that does not fit its tool, and asks nobody about it', async () => {
    const { behaviour, seen } = await approve(yes, { tool_name: 'Bash', input: { cmd: 'id' } });
    expect(behaviour).toMatchObject({ behavior: 'deny' });
    expect(seen).toEqual([]);
  });
});
