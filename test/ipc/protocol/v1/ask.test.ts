import { describe, expect, it } from 'vitest';
import { askFrame, responder } from './support.ts';

const decision = (word: string): object => ({ type: 'decision', id: 'r1', decision: word });

describe('a version-1 request', () => {
  it.each(['allow-once', 'allow-always', 'deny'] as const)('gets a person’s %s', async (word) => {
    const { answer, violations } = responder({ decide: () => Promise.resolve(word) });
    expect(await answer(askFrame())).toEqual(decision(word));
    expect(violations).toEqual([]);
  });

  it('reaches the handler with what it said, and what the client takes', async () => {
    const seen: unknown[] = [];
    const { answer } = responder({
      decide: (request, offered, { id, peer }) => {
        seen.push([request.command, request.agentId, offered, id, peer?.pid]);
        return Promise.resolve('deny');
      },
    });
    await answer(askFrame({}, { agentId: 'main', cwd: null, later: 'field' }));
    await answer(askFrame({}, { ask: 'always' }));
    await answer(askFrame({}, { allowedDecisions: ['deny', 'allow-once', 'allow-for-a-day'] }));
    expect(seen).toEqual([
      ['ls', 'main', ['allow-once', 'allow-always', 'deny'], 'r1', 7],
      ['ls', undefined, ['allow-once', 'deny'], 'r1', 7],
      ['ls', undefined, ['allow-once', 'deny'], 'r1', 7],
    ]);
  });

  it.each(['', 'tok2', 'to', 'TOK'])('with the wrong token %j is denied unseen', async (wrong) => {
    const { answer, violations } = responder({ decide: () => Promise.reject(new Error('asked')) });
    expect(await answer(askFrame({ token: wrong }))).toEqual(decision('deny'));
    expect(violations).toEqual(['bad-mac']);
  });

  it.each<[string, object]>([
    ['a word that was not offered', { allowedDecisions: ['allow-once', 'deny'] }],
    ['always, where each is to be asked', { ask: 'always' }],
  ])('is denied when the answer is %s', async (_what, request) => {
    const { answer } = responder({ decide: () => Promise.resolve('allow-always') });
    expect(await answer(askFrame({}, request))).toEqual(decision('deny'));
  });

  it('is denied when nobody decides, or the handler fails', async () => {
    const dismissed = responder({ decide: () => Promise.resolve(null) });
    expect(await dismissed.answer(askFrame())).toEqual(decision('deny'));
    const failed = responder({ decide: () => Promise.reject(new Error('bug')) });
    expect(await failed.answer(askFrame())).toEqual(decision('deny'));
  });

  it('gets no answer where it takes no deny and nobody allows', async () => {
    const { answer } = responder({ decide: () => Promise.resolve(null) });
    expect(await answer(askFrame({}, { allowedDecisions: ['allow-once'] }))).toBeNull();
  });

  it.each<[string, object]>([
    ['no command', askFrame({ request: {} })],
    ['an empty command', askFrame({}, { command: '' })],
    ['a command that is not text', askFrame({}, { command: ['ls'] })],
    ['no id', askFrame({ id: undefined })],
    ['no token', askFrame({ token: undefined })],
    ['another type', { type: 'hello' }],
    ['no type', {}],
  ])('with %s gets no answer', async (_what, frame) => {
    const { answer } = responder({ decide: () => Promise.reject(new Error('asked')) });
    expect(await answer(frame)).toBeNull();
  });
});
