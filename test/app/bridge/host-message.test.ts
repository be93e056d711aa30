import { describe, expect, it } from 'vitest';
import { checkHostMessage } from './host-message-schema.ts';
import { pushBetween } from '../../../app/bridge/state-push.ts';
import type { AppState } from '../../../app/bridge/types.ts';
import { queuedAsk } from '../../support/queued-ask.ts';

const refusal = { code: 'policy-deny', message: 'No.', hint: '' };
const state: AppState = {
  revision: 1,
  now: 5,
  runner: { mode: 'armed', reason: null, running: 0, pending: 1, policyProblem: null },
  queue: [queuedAsk()],
  missed: [{ ask: queuedAsk().ask, reason: 'expired', at: 4 }],
  policy: { hash: 'h', problem: null },
  stop: { mode: 'armed', reason: null },
};

describe('a message to a page', () => {
  it.each([
    [{ type: 'connection', connected: true, version: 1 }],
    [{ type: 'connection', connected: false, reason: 'idle' }],
    [{ type: 'state', state }],
    [{ type: 'state', state: { ...state, runner: null } }],
    [{ type: 'change', change: { base: 1, revision: 2, now: 6 } }],
    [pushBetween(state, { ...state, revision: 2, queue: [], missed: [], runner: null })],
    [pushBetween({ ...state, queue: [], missed: [] }, { ...state, revision: 2 })],
    [{ type: 'result', id: 1, answer: { ok: true, result: {} } }],
    [{ type: 'result', id: 1, answer: { ok: false, refusal, conflict: state.policy } }],
  ])('has a form that is known: %o', (message) => {
    expect(checkHostMessage(message)).toEqual({ ok: true, value: message });
  });

  const withToken = { version: 1, socket: { path: '/s', token: 'secret' } };
  it.each([
    [
      'a policy with its token',
      { type: 'state', state: { ...state, policy: { ...state.policy, document: withToken } } },
    ],
    [
      'a policy with its token',
      {
        type: 'change',
        change: { base: 1, revision: 2, now: 6, set: { policy: { document: withToken } } },
      },
    ],
    ['a change of nothing in particular', { type: 'change', change: { revision: 2 } }],
    ['a half state', { type: 'state', state: { revision: 1 } }],
    [
      'a wrong digest',
      { type: 'state', state: { ...state, queue: [{ ...queuedAsk(), askDigest: 'x' }] } },
    ],
    [
      'an unknown refusal',
      { type: 'result', id: 1, answer: { ok: false, refusal: { ...refusal, code: 'x' } } },
    ],
    ['another type', { type: 'call', id: 1, name: 'health', args: {} }],
  ])('never carries %s', (_name, message) => {
    expect(checkHostMessage(message).ok).toBe(false);
  });
});
