import { expect, it } from 'vitest';
import { compile, sha256 } from '../../../shared/base/index.ts';
import { givenAnswerSchema } from '../../../shared/engine/people.ts';
import type { ToGatewayFrame, ToNodeFrame } from '../../../shared/wire/index.ts';
import { answersOf } from '../../../runner/gate/answers.ts';
import type { AskDraft } from '../../../runner/gate/ports.ts';
import { checkAtGateway } from '../../../runner/nodes/gateway-runs.ts';
import { checkAtNode } from '../../../runner/nodes/node-runs.ts';
import { askingWorld, kindOf, soon } from '../../support/asking-world.ts';
import type { Change } from '../../support/asking-world.ts';
import { memoryLinks } from '../../support/memory-links.ts';
import { gateway, node, task } from '../../support/node-task.ts';

it('shows an ask of a node at its gateway, with its name, and takes the answer for this once', async () => {
  const { ask, bridge, answer, records } = await askingWorld();
  const ending = ask({
    host: 'sandbox, asked by desk',
    proposals: [],
    durations: ['once', 'always'],
  });
  await bridge.shown(1);
  expect(bridge.asked[0]?.ask).toMatchObject({
    id: 'q1',
    agent: task.agent,
    node: { id: node.id, name: 'build' },
    host: 'node build, sandbox',
    durations: ['once'],
    proposals: [],
    ancestry: [],
  });
  answer({ decision: 'allow-once' });
  const ended = await ending;
  expect(ended).toMatchObject({ kind: 'decided', ask: { id: 'a1' }, via: 'gateway' });
  expect(answersOf(ended)).toEqual([
    { said: 'yes', via: 'gateway', by: `desk (${gateway.id.slice(0, 16)}), in the app` },
  ]);
  expect(records).toEqual([
    expect.stringMatching(/^node-ask-answered build \(b+\), request g1, ask [0-9a-f]{64}: yes in/u),
  ]);
});

it('passes a no on with its words', async () => {
  const { ask, bridge, answer } = await askingWorld();
  const ending = ask();
  await bridge.shown(1);
  answer({ decision: 'deny', note: 'not\u001B[2J now' });
  expect(await ending).toMatchObject({
    kind: 'decided',
    decision: { decision: 'deny', note: expect.not.stringContaining('\u001B') as string },
  });
});

it('asks in both places at once: the first answer counts, and the other place is told', async () => {
  const first = await askingWorld();
  first.build.arrive();
  const ending = first.ask();
  await Promise.all([first.build.shown(1), first.bridge.shown(1)]);
  first.answer({ decision: 'deny' });
  expect(kindOf(await ending)).toBe('deny');
  await expect.poll(() => first.build.withdrawn).toEqual(['a1 answered']);

  const second = await askingWorld();
  second.build.arrive();
  const other = second.ask();
  await Promise.all([second.build.shown(1), second.bridge.shown(1)]);
  const { digest = '' } = second.build.asked[0] ?? {};
  second.build.session().decide({ id: 'a1', askDigest: digest, decision: 'allow-once' });
  expect(await other).toMatchObject({ kind: 'decided', via: 'app' });
  await expect.poll(() => second.bridge.withdrawn).toEqual(['q1 requester-gone']);
  expect(second.bridge.pending.list()).toEqual([]);
  second.links.cut();
  await second.connect();
  expect(second.said.filter(({ type }) => type === 'ask')).toHaveLength(1);
});

it('goes on asking on the node where nobody is at the gateway', async () => {
  const { ask, build, bridge } = await askingWorld();
  build.arrive();
  bridge.leave();
  const ending = ask();
  await build.shown(1);
  await soon();
  const { digest = '' } = build.asked[0] ?? {};
  build.session().decide({ id: 'a1', askDigest: digest, decision: 'allow-once' });
  expect(await ending).toMatchObject({ kind: 'decided', via: 'app' });
});

it.each<[string, Partial<AskDraft>, Change]>([
  ['a passkey is wanted', { presence: 'passkey' }, {}],
  ['two people are wanted', { approvers: 2 }, {}],
  ['the settings do not say so', {}, { own: { allowed: () => false } }],
  [
    'the settings cannot be read',
    {},
    {
      own: {
        allowed: () => {
          throw new Error('no');
        },
      },
    },
  ],
  ['the gateway does not know what an ask is', {}, { version: '0.1.0' }],
  ['it is too long', { command: 'x'.repeat(200_000) }, {}],
])('keeps an ask on the node where %s', async (_what, change, options) => {
  const { ask, said } = await askingWorld(options);
  expect(kindOf(await ask(change))).toBe('unreachable');
  await soon();
  expect(said).toEqual([]);
});

it('has nobody to ask where the gateway has nobody, shows none, or says nothing', async () => {
  const nobody = await askingWorld();
  nobody.bridge.leave();
  expect(kindOf(await nobody.ask())).toBe('unreachable');

  const locked = await askingWorld({
    there: {
      ask: async () => {
        throw new Error('locked');
      },
    },
  });
  expect(kindOf(await locked.ask())).toBe('unreachable');

  const silent = await askingWorld({ there: { ask: async () => new Promise(() => undefined) } });
  const ending = silent.ask();
  await soon();
  silent.build.clock.advance(10_000);
  expect(kindOf(await ending)).toBe('unreachable');
  await soon();
  expect(silent.said.at(-1)).toEqual({ type: 'ask-over', question: 1 });
});

it('does not fall back after somebody had it in front of them: a cut link is waited out', async () => {
  const { ask, bridge, build, links, connect, answer } = await askingWorld();
  const ending = ask();
  await bridge.shown(1);
  await soon();
  links.cut();
  await expect.poll(() => bridge.withdrawn).toEqual(['q1 requester-gone']);
  await connect();
  await bridge.shown(2);
  answer({ decision: 'allow-once' });
  expect(kindOf(await ending)).toBe('allow-once');

  const other = await askingWorld();
  const expired = other.ask();
  await other.bridge.shown(1);
  await soon();
  other.links.cut();
  other.build.clock.advance(60_000);
  expect(kindOf(await expired)).toBe('expired');
  expect(build.pending.list()).toEqual([]);
});

it('refuses where the gateway’s app went away with the ask, and falls back where nobody had seen it', async () => {
  const { ask, bridge } = await askingWorld();
  const ending = ask();
  await bridge.shown(1);
  await soon();
  bridge.crash();
  expect(kindOf(await ending)).toBe('lost');

  const unseen = await askingWorld({ there: { ask: async () => new Promise(() => undefined) } });
  const cut = unseen.ask();
  await soon();
  unseen.links.cut();
  expect(kindOf(await cut)).toBe('unreachable');
});

it('expires by the node’s clock, whatever the gateway’s says', async () => {
  const { ask, bridge, build, said } = await askingWorld();
  bridge.clock.jump(-3_600_000);
  const ending = ask();
  await bridge.shown(1);
  expect(said[0]).toMatchObject({ type: 'ask', leftMs: 60_000 });
  const { createdAt = 0, expiresAt = 0 } = bridge.asked[0]?.ask ?? {};
  expect(expiresAt - createdAt).toBe(60_000);
  build.clock.advance(60_000);
  expect(kindOf(await ending)).toBe('expired');
  await expect.poll(() => bridge.withdrawn).toEqual(['q1 requester-gone']);
});

it('ends with a lock of either machine', async () => {
  const { ask, bridge } = await askingWorld();
  const controller = new AbortController();
  const ending = ask({}, 1, controller.signal);
  await bridge.shown(1);
  controller.abort('lockout');
  expect(await ending).toEqual({ kind: 'stopped', reason: 'lockout' });
  await expect.poll(() => bridge.withdrawn).toEqual(['q1 requester-gone']);

  const other = await askingWorld();
  const refused = other.ask();
  await other.bridge.shown(1);
  await soon();
  other.bridge.pending.end('q1', { kind: 'stopped', reason: 'lockout' });
  expect(kindOf(await refused)).toBe('lost');
});

it('takes no answer to an ask that was never raised, is over, was another one, or comes twice', async () => {
  const { ask, bridge, links, said, notes, build } = await askingWorld();
  const ending = ask();
  await bridge.shown(1);
  const text = said[0]?.type === 'ask' ? said[0].text : '';
  const yes = (question: number, digest: string) =>
    links.atGateway.send({
      type: 'ask-told',
      question,
      told: { kind: 'answer', digest, said: 'yes', by: 'me' },
    });
  yes(2, sha256(text));
  yes(1, sha256('something else'));
  await soon();
  expect(build.pending.list()).toHaveLength(1);
  expect(notes).toEqual(['gateway-answer-refused']);
  yes(1, sha256(text));
  expect(kindOf(await ending)).toBe('allow-once');

  links.atNode.send({ type: 'ask-over', question: 1 });
  const again = ask({ id: 'a2' });
  await bridge.shown(2);
  yes(1, sha256(text));
  await soon();
  expect(build.pending.list()).toHaveLength(1);
  build.clock.advance(60_000);
  expect(kindOf(await again)).toBe('expired');
  yes(2, sha256(text));
  await soon();
  expect(links.atNode.isOpen).toBe(true);
});

it('writes what a gateway says of itself into no row that could not be read again', async () => {
  const { ask, bridge, links, said } = await askingWorld();
  const ending = ask();
  await bridge.shown(1);
  const digest = sha256(said[0]?.type === 'ask' ? said[0].text : '');
  const told = { kind: 'answer', digest, said: 'no', by: '\u0007'.repeat(300) } as const;
  const note = '\u{1F600}\u0007'.repeat(600);
  links.atGateway.send({ type: 'ask-told', question: 1, told: { ...told, note } });
  const ended = await ending;
  const [given] = answersOf(ended);
  expect(compile(givenAnswerSchema)(given).ok).toBe(true);
  const kept = ended.kind === 'decided' ? (ended.decision.note ?? '') : '';
  expect(Array.from(kept)).toHaveLength(2_000);
});

it('takes no yes any more once the settings of the node take it back', async () => {
  let allowed = true;
  const { ask, bridge, answer } = await askingWorld({ own: { allowed: () => allowed } });
  const ending = ask();
  await bridge.shown(1);
  await soon();
  allowed = false;
  answer({ decision: 'allow-once' });
  expect(kindOf(await ending)).toBe('lost');
});

it('tells no answer that the record of the gateway does not hold', async () => {
  const { ask, bridge, answer } = await askingWorld({
    there: {
      record: () => {
        throw new Error('full');
      },
    },
  });
  const ending = ask();
  await bridge.shown(1);
  await soon();
  answer({ decision: 'allow-once' });
  expect(kindOf(await ending)).toBe('lost');
});

it('shows nothing of a node about a run that nobody waits for, that cannot be read, or too often', async () => {
  const { links, bridge, told, notes } = await askingWorld();
  const raise = (question: number, run: number, text: string) =>
    links.atNode.send({ type: 'ask', question, run, leftMs: 1_000, text });
  raise(1, 2, '{}');
  raise(2, 1, '{"kind":"exec","agent":"root"}');
  await soon();
  expect(told).toEqual([
    { type: 'ask-told', question: 1, told: { kind: 'nobody' } },
    { type: 'ask-told', question: 2, told: { kind: 'over' } },
  ]);
  expect(notes).toEqual(['node-ask-unshown']);
  for (let question = 3; question < 103; question += 1) {
    raise(question, 1, 'no JSON');
    await soon();
  }
  expect(bridge.asked).toEqual([]);
  expect(notes.length).toBeLessThan(6);
  const counted = (kind: string) =>
    told.filter((frame) => frame.type === 'ask-told' && frame.told.kind === kind).length;
  // The first named no run, and counts for nothing.
  expect([counted('over'), counted('nobody')]).toEqual([30, 72]);
  expect(links.atGateway.isOpen).toBe(true);
});

it('takes no word of one node for another', async () => {
  const { ask, bridge, shown, answer } = await askingWorld();
  const ending = ask();
  await bridge.shown(1);
  const other = memoryLinks<ToGatewayFrame, ToNodeFrame>({
    checkAtGateway,
    checkAtNode,
    node: { ...node, id: 'c'.repeat(64) },
    gateway,
  });
  shown.over(other.atGateway, 1);
  other.atGateway.close('It is another one.');
  await soon();
  expect(bridge.pending.list()).toHaveLength(1);
  answer({ decision: 'allow-once' });
  expect(kindOf(await ending)).toBe('allow-once');
});

it('shows one ask of a run at a time', async () => {
  const { ask, bridge, told } = await askingWorld();
  const first = ask();
  await bridge.shown(1);
  expect(kindOf(await ask({ id: 'a2' }))).toBe('unreachable');
  expect(told.at(-1)).toMatchObject({ question: 2, told: { kind: 'nobody' } });
  expect(bridge.asked).toHaveLength(1);
  bridge.pending.end('q1', { kind: 'expired' });
  expect(kindOf(await first)).toBe('lost');
});

it('writes out what a node would draw over its gateway’s screen, and lets it be nobody else', async () => {
  const { ask, bridge, links } = await askingWorld();
  void ask({ why: 'fine\u001B[2J\u202Eenif', agent: 'root', session: 'other', cwd: '/\u200B' });
  await bridge.shown(1);
  const { why, agent, session, cwd, node: marked } = bridge.asked[0]?.ask ?? {};
  for (const hidden of ['\u001B', '\u202E', '\u200B'])
    expect(`${why ?? ''}${cwd ?? ''}`).not.toContain(hidden);
  expect([agent, session, marked?.name]).toEqual([task.agent, null, 'build']);
  links.cut();
});

it('wants of a yes for a node what the policy of the gateway wants of one, too', async () => {
  const { ask, bridge } = await askingWorld({
    there: { wanted: () => ({ presence: 'passkey', approvers: 1 }) },
  });
  void ask({ presence: 'hold' });
  await bridge.shown(1);
  expect(bridge.asked[0]?.ask.presence).toBe('passkey');

  const held = await askingWorld();
  void held.ask({ presence: 'hold' });
  await held.bridge.shown(1);
  expect(held.bridge.asked[0]?.ask.presence).toBe('hold');
});
