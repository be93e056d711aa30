import { expect, test } from 'vitest';
import { asking, desk, draft } from './support.ts';

test('an answer reaches the one who asked', async () => {
  const { approver, shown, session, asked } = desk();
  const ending = approver.ask(draft('a1'), asking());
  await shown(1);
  const digest = asked[0]?.digest ?? '';
  expect(session().decide({ id: 'a1', askDigest: digest, decision: 'allow-once' })).toBe(true);
  expect(await ending).toMatchObject({ kind: 'decided', decision: { decision: 'allow-once' } });
});

test('several asks wait at once, and each gets its own answer in any order', async () => {
  const { approver, shown, session, asked, pending, attempts } = desk();
  const endings = ['a1', 'a2', 'a3'].map(async (id) => approver.ask(draft(id), asking()));
  await shown(3);
  expect(pending.list().map(({ ask }) => ask.id)).toEqual(['a1', 'a2', 'a3']);
  for (const { ask, digest } of asked.toReversed())
    session().decide({
      id: ask.id,
      askDigest: digest,
      decision: ask.id === 'a2' ? 'allow-once' : 'deny',
    });
  expect(await Promise.all(endings)).toMatchObject([
    { decision: { id: 'a1', decision: 'deny' } },
    { decision: { id: 'a2', decision: 'allow-once' } },
    { decision: { id: 'a3', decision: 'deny' } },
  ]);
  expect(attempts()).toBe(1);
  expect(pending.list()).toEqual([]);
});

test('nobody there is told apart from somebody who went away', async () => {
  const { approver, leave, arrive, shown, crash } = desk();
  leave();
  expect(await approver.ask(draft('a1'), asking())).toEqual({ kind: 'unreachable' });
  arrive();
  const ending = approver.ask(draft('a2'), asking());
  await shown(1);
  crash();
  expect(await ending).toMatchObject({ kind: 'lost' });
});

test('a session opened with a secret that holds no more is not asked', async () => {
  const { approver, shown, session, asked, rotate, attempts } = desk();
  const first = approver.ask(draft('a1'), asking());
  await shown(1);
  session().decide({ id: 'a1', askDigest: asked[0]?.digest ?? '', decision: 'allow-once' });
  await first;
  rotate();
  expect(await approver.ask(draft('a2'), asking())).toMatchObject({ kind: 'lost' });
  expect(asked).toHaveLength(1);
  expect(attempts()).toBe(2);
});

test('a secret that changes while the session is opened makes it worth nothing', async () => {
  const { approver, rotate, whileConnecting, asked, attempts } = desk();
  whileConnecting(rotate);
  expect(await approver.ask(draft('a1'), asking())).toMatchObject({ kind: 'lost' });
  expect(asked).toEqual([]);
  expect(attempts()).toBe(2);
});

test('a link that was closed reaches nobody, not even by an attempt that was under way', async () => {
  const { link, whileConnecting, attempts } = desk();
  whileConnecting(() => link.dispose());
  expect(await link.reach()).toEqual({ kind: 'unreachable' });
  expect(link.session()).toBeNull();
  expect(await link.reach()).toEqual({ kind: 'unreachable' });
  expect(attempts()).toBe(1);
});

test('after a crash the next ask finds the approver that came back', async () => {
  const { approver, shown, crash, session, asked, attempts } = desk();
  const first = approver.ask(draft('a1'), asking());
  await shown(1);
  crash();
  await first;
  const second = approver.ask(draft('a2'), asking());
  await shown(2);
  session().decide({ id: 'a2', askDigest: asked[1]?.digest ?? '', decision: 'allow-once' });
  expect(await second).toMatchObject({ kind: 'decided' });
  expect(attempts()).toBe(2);
});

test('an approver that does not know the token cannot approve, and is no reason to fall back', async () => {
  const { approver, forge } = desk();
  forge();
  expect(await approver.ask(draft('a1'), asking())).toMatchObject({ kind: 'lost' });
});

test('the deadline is the runner’s: an ask expires and the approver is told', async () => {
  const { approver, shown, clock, withdrawn, pending } = desk();
  const ending = approver.ask(draft('a1'), asking(undefined, 5_000));
  await shown(1);
  clock.advance(4_999);
  expect(pending.list()).toHaveLength(1);
  clock.advance(1);
  expect(await ending).toEqual({ kind: 'expired' });
  await expect.poll(() => withdrawn).toEqual(['a1 expired']);
});

test('an answer after the deadline counts for nothing', async () => {
  const { approver, shown, clock, session, asked, pending, link } = desk();
  const ending = approver.ask(draft('a1'), asking(undefined, 5_000));
  await shown(1);
  clock.advance(5_000);
  session().decide({ id: 'a1', askDigest: asked[0]?.digest ?? '', decision: 'allow-once' });
  expect(await ending).toEqual({ kind: 'expired' });
  await Promise.resolve();
  expect(pending.list()).toEqual([]);
  expect(link.session()).not.toBeNull();
});

test('an ask is taken back when the asker goes, and the approver is told why', async () => {
  const { approver, shown, withdrawn } = desk();
  const controller = new AbortController();
  const ending = approver.ask(draft('a1'), asking(controller.signal));
  await shown(1);
  controller.abort('lockout');
  expect(await ending).toEqual({ kind: 'stopped', reason: 'lockout' });
  await expect.poll(() => withdrawn).toEqual(['a1 lockout']);
});

test('an answer from elsewhere takes the ask off the approver’s screen', async () => {
  const { approver, shown, withdrawn, pending, asked } = desk();
  const ending = approver.ask(draft('a1'), asking());
  await shown(1);
  const askDigest = asked[0]?.digest ?? '';
  expect(pending.answer({ id: 'a1', askDigest, decision: 'deny' }, 'app')).toBe(true);
  expect(pending.answer({ id: 'a1', askDigest, decision: 'allow-once' }, 'app')).toBe(false);
  expect(await ending).toMatchObject({ decision: { decision: 'deny' } });
  await expect.poll(() => withdrawn).toEqual(['a1 answered']);
});

test('an answer that names the digest of another ask counts for nothing', async () => {
  const { approver, shown, pending, asked } = desk();
  const endings = ['a1', 'a2'].map(async (id) => approver.ask(draft(id), asking()));
  await shown(2);
  const other = asked[1]?.digest ?? '';
  expect(pending.answer({ id: 'a1', askDigest: other, decision: 'allow-once' }, 'app')).toBe(false);
  expect(pending.list()).toHaveLength(2);
  pending.endAll({ kind: 'expired' });
  await Promise.all(endings);
});

test('questions beyond the bound are refused, not queued', async () => {
  const { approver, shown, pending } = desk({ mostPending: 1 });
  const first = approver.ask(draft('a1'), asking());
  await shown(1);
  await expect(approver.ask(draft('a2'), asking())).rejects.toMatchObject({
    refusal: { code: 'concurrency-busy' },
  });
  pending.endAll({ kind: 'expired' });
  await first;
});

test('a request too large to be shown is refused, and nothing stays pending', async () => {
  const { approver, pending } = desk();
  const large = { ...draft('a1'), command: 'x'.repeat(300_000) };
  await expect(approver.ask(large, asking())).rejects.toMatchObject({
    refusal: { code: 'invalid-request' },
  });
  expect(pending.list()).toEqual([]);
});

test('what is covered by now is taken back, and what is not goes on waiting', async () => {
  const { approver, shown, clock, rulesChanged, withdrawn, pending } = desk();
  let covers = false;
  const ending = approver.ask(draft('a1'), { ...asking(), covered: () => covers });
  const other = approver.ask(draft('a2'), {
    ...asking(),
    covered: () => {
      throw new Error('everything is locked');
    },
  });
  await shown(2);
  rulesChanged();
  clock.advance(100);
  expect(pending.list()).toHaveLength(2);
  covers = true;
  rulesChanged();
  clock.advance(100);
  expect(await ending).toEqual({ kind: 'covered' });
  expect(pending.list().map(({ ask }) => ask.id)).toEqual(['a2']);
  await expect.poll(() => withdrawn).toEqual(['a1 covered']);
  pending.end('a2', { kind: 'expired' });
  await other;
});

test('rules that changed while the question was put together count as well', async () => {
  const { approver, clock, shown } = desk();
  const ending = approver.ask(draft('a1'), { ...asking(), covered: () => true });
  await shown(1);
  clock.advance(100);
  expect(await ending).toEqual({ kind: 'covered' });
});
