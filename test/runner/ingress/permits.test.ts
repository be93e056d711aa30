import { expect, test } from 'vitest';
import { answered, fullPolicy } from '../gate/support.ts';
import { call, open, serve } from './support.ts';

const pre = {
  session_id: 's1',
  transcript_path: '/tmp/t.jsonl',
  cwd: '/tmp',
  prompt_id: 'p',
  permission_mode: 'default',
  effort: { level: 'high' },
  hook_event_name: 'PreToolUse',
  tool_name: 'Bash',
  tool_input: { command: 'touch x', description: 'Make a file' },
  tool_use_id: 'toolu_1',
};

test('a permit answers a ticket, and the ticket a stream of events', async () => {
  const { path, ran } = await serve({ policy: fullPolicy });
  const permit = await call(path, '/v1/permits', { body: { argv: ['ls'], cwd: '/tmp' } });
  const { ticket } = permit.json as { ticket: string };
  expect(permit.json).toMatchObject({ ok: true, permission: { code: 'security-full' } });
  expect(ran).toEqual([]);
  const done = await call(path, '/v1/tickets/redeem', { body: { ticket, cwd: '/tmp' } });
  expect(
    done.body
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as { type: string }).type),
  ).toEqual(['started', 'stdout', 'finished']);
  const again = await call(path, '/v1/tickets/redeem', { body: { ticket, cwd: '/tmp' } });
  expect(again.body).toContain('"replay-detected"');
});

test('a permit for somebody else to carry out comes without a ticket', async () => {
  const { path, rows } = await serve({ policy: fullPolicy });
  const body = { argv: ['ls'], cwd: '/tmp', by: 'elsewhere' };
  const { json } = await call(path, '/v1/permits', { body });
  expect(json).not.toHaveProperty('ticket');
  expect(rows.at(-1)).toMatchObject({ type: 'outcome', outcome: 'handed-over' });
});

test.each([
  ['/v1/permits', { argv: ['ls'], cwd: '/tmp', stdin: 'AA==' }],
  ['/v1/permits', { argv: ['ls'], cwd: '/tmp', by: 'nobody' }],
  ['/v1/tools', { kind: 'exec', tool: 'x', target: 'y', detail: null, cwd: '/tmp' }],
  ['/v1/tools', { kind: 'edit', tool: 'x', target: 'a\0b', detail: null, cwd: '/tmp' }],
  ['/v1/tickets/redeem', { ticket: 'short', cwd: '/tmp' }],
  ['/v1/tickets/redeem', { ticket: 'A'.repeat(43), cwd: '/tmp', argv: ['ls'] }],
  ['/v1/hooks/nobody', {}],
] as const)('%s refuses what it does not know', async (url, body) => {
  const { path, ran } = await serve({ policy: fullPolicy });
  const { status, json } = await call(path, url, { body });
  expect(status).toBe(400);
  expect(json).toMatchObject({ ok: false, refusal: { code: 'invalid-request' } });
  expect(ran).toEqual([]);
});

test('a hook is told the host’s words: the command is replaced by its ticket', async () => {
  const { path, rows } = await serve({ policy: fullPolicy });
  const { json } = await call(path, '/v1/hooks/claude?agent=claude', { body: pre });
  const { answer } = json as { answer: { stdout: string; exitCode: number } };
  expect(answer.exitCode).toBe(0);
  expect(JSON.parse(answer.stdout)).toEqual({
    hookSpecificOutput: {
      hookEventName: 'PreToolUse',
      permissionDecision: 'allow',
      updatedInput: {
        command: expect.stringMatching(/^interlock run --ticket [\w-]{43}$/),
        description: 'Make a file',
      },
    },
  });
  expect(rows[0]).toMatchObject({ agent: 'claude', session: 's1', command: 'touch x' });
});

test('a refusal reaches the hook as a denial with the sentence and the hint', async () => {
  const { path, asked } = await serve({
    answer: (draft) => answered(draft, { decision: 'deny', note: 'use a branch' }),
  });
  const { json } = await call(path, '/v1/hooks/claude', { body: pre });
  const { answer } = json as { answer: { stdout: string } };
  expect(JSON.parse(answer.stdout)).toMatchObject({
    hookSpecificOutput: {
      permissionDecision: 'deny',
      permissionDecisionReason: expect.stringContaining('use a branch'),
    },
  });
  expect(asked[0]).toMatchObject({
    agent: 'claude',
    session: 's1',
    toolUseId: 'toolu_1',
    statedReason: 'Make a file',
    cwd: '/tmp',
  });
});

test('what a hook should never send is denied, not passed on', async () => {
  const { path, ran } = await serve({ policy: fullPolicy });
  const { json } = await call(path, '/v1/hooks/claude', { body: { ...pre, tool_input: 7 } });
  const { answer } = json as { answer: { stdout: string } };
  expect(answer.stdout).toContain('"deny"');
  expect(ran).toEqual([]);
});

test('the end of a session is passed on', async () => {
  const { path, endedSessions } = await serve();
  const body = { ...pre, hook_event_name: 'SessionEnd', reason: 'exit' };
  await call(path, '/v1/hooks/claude', { body });
  expect(endedSessions).toEqual(['s1']);
});

test('a hook that goes away takes its ask back', async () => {
  let withdrawn = (): void => {};
  const gone = new Promise<void>((resolve) => (withdrawn = resolve));
  let isAsked = (): void => {};
  const asking = new Promise<void>((resolve) => (isAsked = resolve));
  const { path, rows } = await serve({
    answer: async (_draft, { signal }) => {
      isAsked();
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
      withdrawn();
      return { kind: 'stopped', reason: 'requester-gone' };
    },
  });
  const controller = new AbortController();
  const hook = open(path, '/v1/hooks/claude', { body: pre, signal: controller.signal });
  await asking;
  controller.abort();
  await expect(hook).rejects.toThrow();
  await gone;
  await expect.poll(() => rows[0]).toMatchObject({ decision: 'deny', code: 'requester-gone' });
});
