import { expect, test } from 'vitest';
import type { AppState } from '../../../app/bridge/types.ts';
import type { UiHost } from '../../../app/host/types.ts';
import { makeHome, startRunnerProcess } from '../../runner/service/support.ts';
import { startHost } from './support.ts';

/** A runner in a process of its own, and the host that a person would sit at. */
async function startTogether() {
  const paths = await makeHome();
  await startRunnerProcess(paths);
  return { paths, ...(await startHost(paths.home)) };
}

function untilState(host: UiHost, fits: (state: AppState) => boolean): Promise<AppState> {
  return new Promise((resolve) => {
    const stop = host.subscribe((state) => {
      if (!fits(state)) return;
      queueMicrotask(() => stop());
      resolve(state);
    });
  });
}

test('the guide ends with a real ask answered, which the history and its statistics then show', async () => {
  const { host, call } = await startTogether();
  const todo = async (): Promise<readonly string[]> =>
    (await call('guide', {})).steps.filter(({ done }) => !done).map(({ step }) => step);
  expect(await todo()).toEqual(['passphrase', 'agent', 'starter', 'first-ask']);

  const tried = await call('tryAsk', {});
  const { queue } = await untilState(host, (state) => state.queue.length === 1);
  const [queued] = queue;
  if (queued === undefined) throw new Error('nothing waits');
  expect(queued.ask).toMatchObject({ id: tried.askId, command: tried.command });
  expect(queued.ask.stages[0]).toMatchObject({ program: 'builtin', resolvedPath: null });

  const answer = { id: tried.askId, askDigest: queued.askDigest, decision: 'allow-once' } as const;
  expect(await call('answer', answer)).toEqual({ accepted: true });
  expect(await todo()).toEqual(['passphrase', 'agent', 'starter']);
  await expect
    .poll(async () => (await call('history', { offset: 0, limit: 5 })).entries[0])
    .toMatchObject({ command: tried.command, code: 'allow-once', by: 'person' });

  const { days } = await call('historyStats', { days: 2 });
  expect(days).toHaveLength(2);
  expect(days[1]).toMatchObject({ asks: 1, allowed: 1, needless: 0, unanswered: 0 });

  const suggested = await call('suggestRule', { agent: 'claude', command: 'ls -l', cwd: '/' });
  expect(suggested.why).toBeNull();
  const rules = suggested.proposals[0]?.rules ?? [];
  expect(await call('effectOf', { agent: 'claude', rules })).toMatchObject({ looked: 0 });
});

test('the simulator names the rule that decides, and what would have to be added', async () => {
  const { call } = await startTogether();
  const asked = { agent: 'claude', command: 'ls -l | head -3', cwd: '/' };
  const free = await call('simulate', asked);
  expect(free.check.verdict).toBe('ask');
  expect(free.fallback).toMatchObject({ decision: 'deny' });
  expect(free.toAllow[0]?.rules.length).toBe(2);

  const deny = { id: 'no', effect: 'deny', pattern: 'ls' } as const;
  const { hash } = await call('policy', {});
  const draft = {
    baseHash: hash,
    patch: { agents: { claude: { rules: { insert: [{ at: 0, items: [deny] }] } } } },
  };
  const held = await call('simulate', { ...asked, draft });
  expect(held).toMatchObject({ deciding: { id: 'no' }, toAllow: [] });
  expect(await call('suggestRule', { ...asked, draft })).toEqual({
    proposals: [],
    why: 'Another rule holds it back, and that one wins over any rule that allows.',
  });
});

test('a rule that cannot be understood has no effect to show', async () => {
  const { host } = await startTogether();
  const answer = await host.handle('effectOf', {
    agent: 'claude',
    rules: [{ pattern: 'ls', argPattern: '(' }],
  });
  expect(answer).toMatchObject({ ok: false, refusal: { code: 'invalid-request' } });
});
