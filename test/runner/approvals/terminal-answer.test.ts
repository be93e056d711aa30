import { expect, test } from 'vitest';
import { createPendingAsks } from '../../../runner/approvals/pending.ts';
import { createTerminalAnswers } from '../../../runner/approvals/pending.ts';
import type { AnswerRequest } from '../../../shared/wire/requests.ts';
import { signAnswer } from '../../../shared/ipc/macs.ts';
import { fakeClock } from '../../support/fake-clock.ts';
import { draft, token } from './support.ts';

const digest = 'd'.repeat(64);
const peer = { uid: 1000, pid: 77 };

function terminal(
  options: {
    readonly token?: string | null;
    readonly own?: boolean;
    readonly presence?: 'passkey' | 'hold';
  } = {},
) {
  const clock = fakeClock();
  const now = (): number => clock.now();
  const pending = createPendingAsks();
  const { presence } = options;
  const ask = { ...draft('a1'), ...(presence !== undefined && { presence }) };
  const ending = pending.add({ ...ask, createdAt: 0, expiresAt: 1 }, digest);
  const take = createTerminalAnswers({
    clock,
    pending,
    token: async () => (options.token === undefined ? token : options.token),
    isOwnDescendant: async () => options.own ?? false,
  });
  const sign = (answer: Partial<AnswerRequest> = {}, key = token): AnswerRequest =>
    signAnswer(
      { token: key, askId: 'a1', now },
      { askDigest: digest, decision: 'deny', ...answer },
    );
  return { clock, pending, ending, take, sign };
}

async function codeOf(taken: Promise<void>): Promise<string> {
  return taken.then(
    () => 'taken',
    (error: { readonly refusal: { readonly code: string } }) => error.refusal.code,
  );
}

test('a signed answer counts, with its note and its choice', async () => {
  const { take, sign, ending } = terminal();
  const remember = { duration: 'session', proposalId: 'exact' } as const;
  const answer = sign({ decision: 'allow-always', remember, note: 'fine' });
  expect(await codeOf(take('a1', answer, peer))).toBe('taken');
  expect(await ending).toMatchObject({
    decision: { decision: 'allow-always', remember, note: 'fine' },
  });
});

test('what only a passkey can allow is denied at a terminal, and not allowed', async () => {
  const { take, sign, ending } = terminal({ presence: 'passkey' });
  expect(await codeOf(take('a1', sign({ decision: 'allow-once' }), peer))).toBe('confirm-rejected');
  expect(await codeOf(take('a1', sign(), peer))).toBe('taken');
  expect(await ending).toMatchObject({ decision: { decision: 'deny' } });
  const held = terminal({ presence: 'hold' });
  expect(await codeOf(held.take('a1', held.sign({ decision: 'allow-once' }), peer))).toBe('taken');
});

test('an answer that picks what was not offered does not count, and the question stays open', async () => {
  const { take, sign, pending } = terminal();
  for (const proposalId of ['exact', 'made-up']) {
    const duration = proposalId === 'exact' ? 'nonsense' : 'session';
    const remember = { duration, proposalId } as AnswerRequest['remember'] & object;
    const answer = sign({ decision: 'allow-always', remember });
    expect(await codeOf(take('a1', answer, peer))).toBe('invalid-request');
  }
  expect(pending.list()).toHaveLength(1);
});

test.each([
  ['another decision', (answer: AnswerRequest) => ({ ...answer, decision: 'allow-once' as const })],
  ['another digest', (answer: AnswerRequest) => ({ ...answer, askDigest: 'e'.repeat(64) })],
  ['another time', (answer: AnswerRequest) => ({ ...answer, ts: answer.ts + 1 })],
  ['another nonce', (answer: AnswerRequest) => ({ ...answer, nonce: 'A'.repeat(43) })],
  ['another note', (answer: AnswerRequest) => ({ ...answer, note: 'x' })],
  [
    'an added choice',
    (answer: AnswerRequest) => ({
      ...answer,
      remember: { duration: 'always' as const, proposalId: 'exact' },
    }),
  ],
  ['no mac worth the name', (answer: AnswerRequest) => ({ ...answer, mac: '0'.repeat(64) })],
])('an answer with %s than was signed is refused', async (_name, change) => {
  const { take, sign, pending } = terminal();
  expect(await codeOf(take('a1', change(sign()), peer))).toBe('hmac-fail');
  expect(pending.list()).toHaveLength(1);
});

test('an answer signed for one ask does not fit another', async () => {
  const { take, sign, pending } = terminal();
  void pending.add({ ...draft('a2'), createdAt: 0, expiresAt: 1 }, digest);
  expect(await codeOf(take('a2', sign(), peer))).toBe('hmac-fail');
});

test('who does not know the token cannot answer, nor can anybody while there is none', async () => {
  const { take, sign } = terminal();
  expect(await codeOf(take('a1', sign({}, 'guessed'), peer))).toBe('hmac-fail');
  const without = terminal({ token: null });
  expect(await codeOf(without.take('a1', without.sign(), peer))).toBe('hmac-fail');
});

test('an answer is good for ten seconds, and once', async () => {
  const { take, sign, clock } = terminal();
  const late = sign();
  clock.jump(10_001);
  expect(await codeOf(take('a1', late, peer))).toBe('replay-detected');
  clock.jump(-20_002);
  expect(await codeOf(take('a1', late, peer))).toBe('replay-detected');
  const answer = sign();
  expect(await codeOf(take('a1', answer, peer))).toBe('taken');
  expect(await codeOf(take('a1', answer, peer))).toBe('replay-detected');
});

test('a command that the runner started cannot answer, though it may know the token', async () => {
  const { take, sign, pending } = terminal({ own: true });
  expect(await codeOf(take('a1', sign(), peer))).toBe('hmac-fail');
  expect(pending.list()).toHaveLength(1);
});

test('an answer to what is not open, or shows something else, is told so', async () => {
  const { take, sign, ending } = terminal();
  expect(await codeOf(take('a1', sign({ askDigest: 'e'.repeat(64) }), peer))).toBe(
    'invalid-request',
  );
  expect(await codeOf(take('a1', sign(), peer))).toBe('taken');
  await ending;
  expect(await codeOf(take('a1', sign(), peer))).toBe('invalid-request');
});
