import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runCli } from '../../../runner/cli/program.ts';
import type { PendingAsk } from '../../../shared/wire/api.ts';
import type { AnswerRequest } from '../../../shared/wire/requests.ts';
import { isSigned } from '../../../shared/ipc/macs.ts';
import { sampleAsk } from '../../support/sample-ask.ts';
import { fakeRunner, json } from './fake-runner.ts';
import type { FakeRunner } from './fake-runner.ts';
import { cli, temporaryHome, testIo } from './support.ts';

const now = (): number => 1_700_000_000_000;
const askDigest = 'd'.repeat(64);

let place: ReturnType<typeof temporaryHome>;
let runner: FakeRunner | null = null;

beforeEach(async () => {
  place = temporaryHome();
  await cli({ home: place.home }, 'init');
});
afterEach(async () => {
  await runner?.close();
  runner = null;
  place.remove();
});

async function withAsks(...asks: readonly PendingAsk['ask'][]): Promise<FakeRunner> {
  const pending = asks.map((ask) => ({ ask, askDigest }));
  runner = await fakeRunner(join(place.home, 'runner.sock'), ({ method }, response) => {
    json(response, 200, method === 'GET' ? { ok: true, pending } : { ok: true, accepted: true });
  });
  return runner;
}

/** Runs a command at a terminal, where a person types these words and Enter. */
async function atTerminal(typed: string, ...args: readonly string[]) {
  const world = testIo({ home: place.home, isTTY: true, now });
  world.type(`${typed}\n`);
  const exitCode = await runCli(args, world.io);
  return { exitCode, out: world.out(), err: world.err() };
}

const answersOf = ({ seen }: FakeRunner): readonly (AnswerRequest & { path: string })[] =>
  seen
    .filter(({ method }) => method === 'POST')
    .map(({ path, body }) => ({ ...(body as AnswerRequest), path }));

describe('interlock approve', () => {
  it.each([
    ['low', 'y', 0],
    ['low', 'yes', 0],
    ['high', 'yes', 0],
    ['high', 'y', 125],
    ['low', 'ye', 125],
  ] as const)('at %s risk takes %j with exit status %i', async (level, typed, status) => {
    const plain = sampleAsk();
    const ask = sampleAsk({ risk: { ...plain.risk, level } });
    await withAsks(ask);
    const { exitCode, out } = await atTerminal(typed, 'approve', ask.id);
    expect(exitCode).toBe(status);
    expect(out).toContain(level === 'high' ? 'Type yes to allow' : 'Type y or yes to allow');
  });

  it('shows the whole ask and sends a signed yes after a typed y', async () => {
    const ask = sampleAsk();
    const fake = await withAsks(ask);
    const { exitCode, out } = await atTerminal('y', 'approve', ask.id);
    expect(exitCode).toBe(0);
    for (const text of [ask.command, ask.cwd, ask.agent, '/usr/bin/git', ask.why, 'Installs.'])
      expect(out).toContain(text);
    const [answer] = answersOf(fake);
    expect(answer).toMatchObject({
      path: `/v1/pending/${ask.id}/answer`,
      decision: 'allow-once',
      askDigest,
      ts: now(),
    });
    const policy = readFileSync(join(place.home, 'exec-approvals.json'), 'utf8');
    const { token } = (JSON.parse(policy) as { socket: { token: string } }).socket;
    expect(answer !== undefined && isSigned(token, ask.id, answer)).toBe(true);
    expect(out).not.toContain(token);
  });

  it.each(['n', '', 'yes please', 'Y E S'])('sends nothing after "%s"', async (typed) => {
    const fake = await withAsks(sampleAsk());
    const { exitCode } = await atTerminal(typed, 'approve', 'ask-1');
    expect(exitCode).toBe(125);
    expect(answersOf(fake)).toEqual([]);
  });

  it('takes a whole word for what is risky', async () => {
    const risk = { level: 'high', findings: [] } as const;
    const fake = await withAsks(sampleAsk({ risk }));
    await atTerminal('y', 'approve', 'ask-1');
    expect(answersOf(fake)).toEqual([]);
    await atTerminal('yes', 'approve', 'ask-1');
    expect(answersOf(fake)).toHaveLength(1);
  });

  it.each([
    [['--always'], { duration: 'always', proposalId: 'p1' }],
    [['--always', 'exact'], { duration: 'always', proposalId: 'p1' }],
    [['--for', 'session'], { duration: 'session', proposalId: 'p1' }],
  ])('remembers it with %j, in words that the person sees', async (flags, remember) => {
    const fake = await withAsks(sampleAsk());
    const { out } = await atTerminal('y', 'approve', 'ask-1', ...flags);
    expect(out).toContain('Exactly: git status -s');
    expect(answersOf(fake)).toMatchObject([{ decision: 'allow-always', remember }]);
  });

  it.each([
    [['--always', 'program'], '"program" is not on offer'],
    [['--for', 'until-restart'], 'cannot be allowed for "until-restart"'],
  ])('refuses %j where it is not on offer', async (flags, sentence) => {
    const fake = await withAsks(sampleAsk());
    const { exitCode, err } = await atTerminal('y', 'approve', 'ask-1', ...flags);
    expect(exitCode).toBe(125);
    expect(err).toContain(sentence);
    expect(answersOf(fake)).toEqual([]);
  });

  it('finds an ask by the beginning of its id, when only one begins so', async () => {
    const fake = await withAsks(sampleAsk({ id: 'abc-1' }), sampleAsk({ id: 'abd-2' }));
    expect((await atTerminal('y', 'approve', 'ab')).err).toContain('the beginning of 2 ids');
    expect((await atTerminal('y', 'approve', 'zz')).err).toContain('Nothing waits under the id');
    await atTerminal('y', 'approve', 'abd');
    expect(answersOf(fake).map(({ path }) => path)).toEqual(['/v1/pending/abd-2/answer']);
  });

  it('shows a command that would draw over its own prompt with its tricks made visible', async () => {
    const command = 'echo safe\u001b[2K\u001b[1Grm -rf \u202e/';
    await withAsks(sampleAsk({ command }));
    const { out } = await atTerminal('n', 'approve', 'ask-1');
    const shown = out.slice(0, out.indexOf('Allow it?'));
    expect(shown).not.toContain('\u001b');
    expect(shown).not.toContain('\u202e');
    expect(shown).toContain('U+202E');
  });
});

describe('interlock deny', () => {
  it('says no at once, with a note for the agent', async () => {
    const fake = await withAsks(sampleAsk());
    const { exitCode } = await atTerminal('', 'deny', 'ask-1', '--note', 'use staging');
    expect(exitCode).toBe(0);
    expect(answersOf(fake)).toMatchObject([{ decision: 'deny', note: 'use staging', askDigest }]);
  });
});

describe('answers without a person', () => {
  it.each(['approve', 'deny'])('%s refuses to work without a terminal', async (name) => {
    const fake = await withAsks(sampleAsk());
    const { exitCode, err } = await cli({ home: place.home, stdin: 'y\n' }, name, 'ask-1');
    expect(exitCode).toBe(125);
    expect(err).toContain('a person at a terminal');
    expect(fake.seen).toEqual([]);
  });
});

describe('interlock pending', () => {
  it('lists what waits, whole', async () => {
    await withAsks(sampleAsk());
    const { out } = await cli({ home: place.home, now }, 'pending');
    expect(out).toContain('git status -s | head -3');
    expect(out).toContain('interlock approve ask-1');
    expect(out).toContain('2 min left');
  });

  it('says so when nothing waits', async () => {
    await withAsks();
    expect((await cli({ home: place.home }, 'pending')).out).toBe('Nothing waits.\n');
    expect((await cli({ home: place.home }, 'pending', '--json')).out).toBe('[]\n');
  });
});
