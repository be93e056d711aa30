import { mkdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { ExecRequest } from '../../../shared/wire/requests.ts';
import type { ToolCall } from '../../../shared/engine/tools/types.ts';
import { ticketLifeMs } from '../../../runner/gate/tickets.ts';
import { temporaryFolder } from '../hosts/support.ts';
import { answered, askPolicy, bench, fullPolicy, incoming, ownUid } from './support.ts';
import type { Bench } from './support.ts';

const io = { emit: () => {}, gone: new AbortController().signal };
const peer = { uid: ownUid, pid: process.pid };

async function ticketFor({ gate }: Bench, request: Partial<ExecRequest>): Promise<string> {
  const result = await gate.permit(incoming(request), io, 'ticket');
  if (!result.ok || result.ticket === null) throw new Error(JSON.stringify(result));
  return result.ticket.ticket;
}

async function redeem({ gate }: Bench, ticket: string, cwd = '/tmp'): Promise<string> {
  const result = await gate.redeem({ ticket, cwd, peer }, io);
  return result.ok ? `ran ${String(result.outcome.exitCode)}` : result.refusal.code;
}

/** The rows of the log, a word each. */
function said({ rows }: Bench): readonly string[] {
  return rows.map((row) => {
    if (row.type === 'decision') return `${row.decision} ${row.code}`;
    return row.type === 'outcome' ? `${row.outcome} ${row.code ?? ''}`.trim() : row.type;
  });
}

test('a permitted command waits for its ticket, and runs once', async () => {
  const at = bench({ policy: fullPolicy });
  const ticket = await ticketFor(at, { argv: ['touch', 'x'] });
  expect(at.ran).toEqual([]);
  expect(await redeem(at, ticket)).toBe('ran 0');
  expect(at.ran).toHaveLength(1);
  expect(await redeem(at, ticket)).toBe('replay-detected');
  expect(at.ran).toHaveLength(1);
  expect(said(at)).toEqual(['allow security-full', 'starting', 'executed', 'deny replay-detected']);
  expect(JSON.stringify(at.rows)).not.toContain(ticket);
});

test('what a person denied gets no ticket', async () => {
  const at = bench({ answer: (draft) => answered(draft, { decision: 'deny', note: 'not now' }) });
  const result = await at.gate.permit(incoming({ argv: ['touch', 'x'] }), io, 'ticket');
  expect(result).toMatchObject({ ok: false, refusal: { code: 'confirm-rejected' } });
  expect(said(at)).toEqual(['deny confirm-rejected']);
});

test('a ticket that is not used in time is worth nothing, and the record says so', async () => {
  const at = bench({ policy: fullPolicy });
  const ticket = await ticketFor(at, { argv: ['touch', 'x'] });
  at.clock.advance(ticketLifeMs);
  expect(await redeem(at, ticket)).toBe('approval-timeout');
  expect(at.ran).toEqual([]);
  expect(said(at)).toEqual([
    'allow security-full',
    'not-executed approval-timeout',
    'deny approval-timeout',
  ]);
});

test('a ticket that nobody issued is told as one of an earlier runner', async () => {
  const at = bench({ policy: fullPolicy });
  expect(await redeem(at, 'A'.repeat(43))).toBe('stale-on-recovery');
  expect(at.ran).toEqual([]);
});

test('a ticket shown in another folder, or by another user, is spent and runs nothing', async () => {
  const at = bench({ policy: fullPolicy });
  const elsewhere = await ticketFor(at, { argv: ['touch', 'x'] });
  expect(await redeem(at, elsewhere, '/')).toBe('binding-drift');
  expect(await redeem(at, elsewhere)).toBe('replay-detected');
  const stolen = await ticketFor(at, { argv: ['touch', 'x'] });
  const thief = { ticket: stolen, cwd: '/tmp', peer: { uid: ownUid + 1, pid: 1 } };
  expect(await at.gate.redeem(thief, io)).toMatchObject({ refusal: { code: 'binding-drift' } });
  expect(at.ran).toEqual([]);
  expect(said(at).slice(0, 2)).toEqual(['allow security-full', 'not-executed binding-drift']);
});

test('a lockout between permission and start stops the start', async () => {
  let mode: 'armed' | 'locked' = 'armed';
  const at = bench({ policy: fullPolicy, stop: () => ({ mode, reason: null }) });
  const ticket = await ticketFor(at, { argv: ['touch', 'x'] });
  mode = 'locked';
  expect(await redeem(at, ticket)).toBe('lockout-active');
  mode = 'armed';
  expect(await redeem(at, ticket)).toBe('replay-detected');
  expect(at.ran).toEqual([]);
});

test('tickets that are taken back run nothing any more', async () => {
  const at = bench({ policy: fullPolicy });
  const ticket = await ticketFor(at, { argv: ['touch', 'x'] });
  expect(at.ports.tickets.revoke()).toHaveLength(1);
  expect(await redeem(at, ticket)).toBe('lockout-active');
  at.clock.advance(ticketLifeMs);
  expect(at.ran).toEqual([]);
});

test('what changed between permission and start is drift', async () => {
  const folder = temporaryFolder();
  mkdirSync(join(folder, 'a'));
  const at = bench({ policy: fullPolicy });
  const cwd = join(folder, 'a');
  const ticket = await ticketFor(at, { argv: ['ls'], cwd });
  renameSync(cwd, join(folder, 'b'));
  mkdirSync(cwd);
  expect(await redeem(at, ticket, cwd)).toBe('binding-drift');
  expect(at.ran).toEqual([]);
});

const edit: ToolCall = {
  kind: 'edit',
  tool: 'Edit',
  target: 'note.txt',
  detail: { form: 'diff', text: '-a\n+b' },
};

async function use(at: Bench, call: ToolCall) {
  const request = { ...call, cwd: '/tmp' };
  return at.gate.permit({ kind: call.kind, request, peer }, io, 'elsewhere');
}

test('the use of a tool is asked about with its target and its diff, and runs nothing here', async () => {
  const at = bench({ answer: (draft) => answered(draft, { decision: 'allow-once' }) });
  expect(await use(at, edit)).toMatchObject({ ok: true, ticket: null });
  expect(at.asked[0]).toMatchObject({
    kind: 'edit',
    command: 'Edit note.txt',
    detail: { form: 'diff', text: '-a\n+b' },
    stages: [{ argv: ['Edit', '/tmp/note.txt'], program: 'tool', whyCode: 'program' }],
    why: 'There is no rule for /tmp/note.txt yet.',
  });
  expect(at.ran).toEqual([]);
  expect(at.rows[0]).toMatchObject({ kind: 'edit', command: 'Edit note.txt', canonical: null });
  expect(said(at)).toEqual(['allow allow-once', 'handed-over']);
});

test('a rule of its kind allows the use of a tool unasked', async () => {
  const policy = {
    ...askPolicy,
    agents: {
      '*': {
        ...askPolicy.agents?.['*'],
        allowlist: [{ id: 'r', kind: 'edit', pattern: '/tmp/**' }],
      },
    },
  } as const;
  const at = bench({ policy });
  expect(await use(at, edit)).toMatchObject({ ok: true, permission: { code: 'rule-allow' } });
  expect(at.asked).toEqual([]);
  expect(await use(at, { ...edit, target: '/etc/hosts' })).toMatchObject({ ok: false });
});

test('a very long diff is cut with a mark', async () => {
  const at = bench({ answer: (draft) => answered(draft, { decision: 'deny' }) });
  await use(at, { ...edit, detail: { form: 'diff', text: 'x'.repeat(100_000) } });
  expect(at.asked[0]?.detail?.text).toHaveLength(32_000 + '… (truncated)'.length);
  expect(at.asked[0]?.detail?.text.endsWith('… (truncated)')).toBe(true);
});

test.each([
  'for x in a b; do echo $x; done',
  'echo "$(date)"',
  'if true; then echo x; fi',
  'echo a & wait',
  'echo `date`',
])(
  'what a host runs itself is asked about where its shell would expand it anew: %s',
  async (command) => {
    const at = bench({ answer: (draft) => answered(draft, { decision: 'deny' }) });
    const request = { command, cwd: '/tmp', agent: 'main' };
    const incomingText = { kind: 'exec', request, peer } as const;
    const result = await at.gate.permit(incomingText, io, 'elsewhere');
    expect(result).toMatchObject({ ok: false, refusal: { code: 'confirm-rejected' } });
    const plain = { ...incomingText, request: { ...request, command: 'echo plain && true' } };
    expect(await at.gate.permit(plain, io, 'elsewhere')).toMatchObject({ ok: true });
  },
);
