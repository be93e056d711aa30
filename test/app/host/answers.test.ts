import { describe, expect, it } from 'vitest';
import { offers } from '../../../app/bridge/answering.ts';
import { withoutSocketToken } from '../../../shared/engine/index.ts';
import type { Answer } from '../../../app/bridge/types.ts';
import type { Ask } from '../../../shared/engine/ask.ts';
import { queuedAsk } from '../../support/queued-ask.ts';

const base = { id: 'ask-1', askDigest: 'a'.repeat(64) };
const always: Answer = {
  ...base,
  decision: 'allow-always',
  remember: { duration: 'always', proposalId: 'p1' },
};

const cases: readonly (readonly [string, Answer, Partial<Ask>, boolean])[] = [
  ['deny', { ...base, decision: 'deny' }, {}, true],
  ['allow once', { ...base, decision: 'allow-once' }, {}, true],
  ['remember as offered', always, {}, true],
  [
    'remember for a time that was not offered',
    { ...always, remember: { duration: '15-minutes', proposalId: 'p1' } },
    {},
    false,
  ],
  [
    'remember a proposal that was not made',
    { ...always, remember: { duration: 'always', proposalId: 'p9' } },
    {},
    false,
  ],
  ['remember without saying what', { ...base, decision: 'allow-always' }, {}, false],
  ['deny, and remember', { ...always, decision: 'deny' }, {}, false],
  ['remember a high risk', always, { risk: { level: 'high', findings: [] } }, false],
];

describe('an answer', () => {
  it.each(cases)('fits what is offered: %s', (_name, answer, ask, fits) => {
    expect(offers(queuedAsk(ask), answer)).toBe(fits);
  });
});

describe('the socket token', () => {
  const file = { version: 1, socket: { path: '/s', token: 'secret' }, agents: {} } as const;

  it('is in nothing that a page sees', () => {
    expect(withoutSocketToken(file)).toEqual({ version: 1, socket: { path: '/s' }, agents: {} });
  });
});
