import { writeFileSync } from 'node:fs';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { AppState, BridgeCall } from '../../../app/bridge/types.ts';
import { createDispatcher } from '../../../app/host/dispatch.ts';
import type { CallHandlers } from '../../../app/host/dispatch.ts';
import { PolicyConflictError } from '../../../app/host/refusals.ts';
import { createSecretGuard } from '../../../app/host/secret-guard.ts';
import { bridgeCalls } from '../../../app/bridge/calls.ts';
import { refuse } from '../../../shared/base/index.ts';
import { spellingsOf } from '../../../shared/engine/index.ts';
import { openHome } from '../../../shared/home/index.ts';
import { sampleAsk } from '../../support/sample-ask.ts';
import { findSecrets } from '../../support/secret-scan.ts';
import { digest, taken } from '../bridge/samples.ts';
import { testHome } from './support.ts';

const secret = 'hunter2/"of\nmany lines+that nobody may see';
const spellings = spellingsOf(secret);

/** Data with the value in every spelling, as a text, within one, and as the name of a field. */
const planted = {
  list: [...spellings, spellings.map((one) => `before ${one} behind`)],
  map: Object.fromEntries(spellings.map((one) => [one, { deep: one }])),
  date: { toJSON: () => secret },
  number: 7,
};

function guardOf(values: readonly string[] = [secret]) {
  const told: string[] = [];
  const state = { revision: 1, values, fails: false, opened: 0 };
  const guard = createSecretGuard({
    revision: () => state.revision,
    values: async () => {
      state.opened += 1;
      if (state.fails) throw new Error('the keychain is locked');
      return Promise.resolve(state.values.map((one) => Buffer.from(one)));
    },
    beforeValues: () => told.push('no core'),
    log: (line) => told.push(line),
  });
  return { guard, state, told };
}

const nobody = { subscribe: () => () => undefined };

/** A host all of whose calls answer in this way. */
function answering(handler: () => unknown) {
  const handlers = new Proxy({}, { get: () => handler }) as CallHandlers;
  return { ...nobody, handle: createDispatcher(handlers) };
}

describe('what goes to a page', () => {
  it('has a sample of every call', () => {
    expect(new Set(taken.map(([call]) => call))).toEqual(new Set(bridgeCalls));
  });

  const failure = refuse('invalid-request', `about ${secret}`, spellings.join(' '));
  const ways: readonly (readonly [string, () => unknown])[] = [
    ['an answer', () => planted],
    [
      'a refusal',
      () => {
        throw failure;
      },
    ],
    [
      'a conflict',
      () => {
        throw new PolicyConflictError(planted as never);
      },
    ],
  ];
  it.each(ways)('holds no value of a secret in %s of any call, in any spelling', async (_, way) => {
    const open = answering(way);
    const { handle } = guardOf().guard.around(open);
    for (const [call, args] of taken) {
      const texts = { [call]: JSON.stringify(await handle(call, args)) };
      expect(findSecrets([secret], { texts })).toEqual([]);
      const bare = { [call]: JSON.stringify(await open.handle(call, args)) };
      expect(findSecrets([secret], { texts: bare })).toEqual([call]);
    }
  });

  it('leaves everything else as it is', async () => {
    const answer = { list: ['a', { b: null, c: 1.5, d: true }], e: 'hunter' };
    const { handle } = guardOf().guard.around(answering(() => answer));
    expect(await handle('guide', {})).toEqual({ ok: true, result: answer });
  });

  it('takes out a secret that is kept while the page is open, and one that is gone no more', async () => {
    const { guard, state } = guardOf([]);
    const { handle } = guard.around(answering(() => ({ told: secret })));
    expect(await handle('guide', {})).toEqual({ ok: true, result: { told: secret } });
    Object.assign(state, { values: [secret], revision: 2 });
    expect(await handle('guide', {})).toEqual({ ok: true, result: { told: '[redacted]' } });
    Object.assign(state, { values: [], revision: 3 });
    expect(await handle('guide', {})).toEqual({ ok: true, result: { told: secret } });
  });

  it('holds a state back until it knows what is kept by then, and hands on only the newest', async () => {
    const { guard, state, told } = guardOf();
    const pushes: ((state: AppState) => void)[] = [];
    const { subscribe } = guard.around({
      ...answering(() => null),
      subscribe: (listener) => {
        pushes.push(listener);
        return () => undefined;
      },
    });
    const seen: unknown[] = [];
    subscribe((one) => seen.push(one));
    const push = (revision: number): void =>
      pushes[0]?.({ revision, queue: [{ ask: { id: secret } }], missed: [] } as never);
    push(1);
    push(2);
    expect(seen).toEqual([]);
    await expect.poll(() => seen.length).toBe(1);
    expect(seen).toEqual([{ revision: 2, queue: [{ ask: { id: '[redacted]' } }], missed: [] }]);
    push(3);
    expect(seen).toHaveLength(2);
    expect(findSecrets([secret], { texts: { seen: JSON.stringify(seen) } })).toEqual([]);
    expect(state.opened).toBe(1);
    expect(told).toEqual(['no core']);
  });

  it('takes out on what it knew where the secrets cannot be read any more, and says so once', async () => {
    const { guard, state, told } = guardOf();
    const { handle } = guard.around(answering(() => ({ told: secret })));
    await handle('guide', {});
    Object.assign(state, { fails: true, revision: 2 });
    expect(await handle('guide', {})).toEqual({ ok: true, result: { told: '[redacted]' } });
    expect(await handle('guide', {})).toEqual({ ok: true, result: { told: '[redacted]' } });
    expect(told.filter((one) => one.includes('cannot be read'))).toHaveLength(1);
  });

  it.each([
    ['a pattern', { pattern: 'ls', args: ['[redacted]'] }, false],
    ['a name of a field', { pattern: 'ls', env: { '[redacted]': 'x' } }, false],
    ['what was run last', { pattern: 'ls', lastUsedCommand: 'x [redacted]' }, true],
  ])('saves no rule with the mark in %s', async (_name, rule, isSaved) => {
    const { handle } = guardOf().guard.around(answering(() => ({})));
    const insert = [{ at: 0, items: [{ id: 'r', ...rule }] }];
    const args = { baseHash: digest, patch: { agents: { a: { rules: { insert } } } } };
    expect((await handle('savePolicy', args)).ok).toBe(isSaved);
  });
});

it('of a real home with a secret planted in its files and asks, no call and no state tells it', async () => {
  const home = await testHome();
  onTestFinished(() => home.close());
  const { env } = home.optionsFor();
  const word = 'planted-8f3b1c77d2';
  await (await openHome(env).openNamedSecrets()).set('planted', Buffer.from(word));
  const rule = { id: 'r', pattern: 'curl', args: [word], cwd: `/${word}/**` };
  const document = { ...home.policy(), agents: { claude: { allowlist: [rule] } } };
  writeFileSync(home.paths.policy, JSON.stringify(document), { mode: 0o600 });
  const { host, until } = await home.start();
  const session = await home.connectRunner();
  session.onDecision(() => undefined);
  const createdAt = Date.now();
  session.ask(
    sampleAsk({ id: 'a1', command: `curl ${word}`, createdAt, expiresAt: createdAt + 60_000 }),
  );
  const state = await until(({ queue }) => queue.length === 1);
  const texts: Record<string, string> = { state: JSON.stringify(state) };
  // What takes a second each, or ends the ask; the sweep above has them all.
  const skipped: readonly BridgeCall[] = ['lockout', 'answer', 'answerMany', 'health', 'mend'];
  const slow: readonly BridgeCall[] = [
    'setPassphrase',
    'unlock',
    'addPasskey',
    'handOver',
    'inviteDevice',
  ];
  for (const [call, args] of taken) {
    if (texts[call] !== undefined || [...skipped, ...slow].includes(call)) continue;
    const asked = JSON.parse(JSON.stringify(args).replaceAll('"ls"', `"ls ${word}"`)) as unknown;
    texts[call] = JSON.stringify(await host.handle(call, asked));
  }
  expect(texts['state']).toContain('curl [redacted]');
  expect(texts['policy']).toContain('[redacted]');
  expect(texts['simulate']).toContain('[redacted]');
  expect(findSecrets([word], { texts })).toEqual([]);
});
