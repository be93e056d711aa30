import { describe, expect, it, vi } from 'vitest';
import { createDispatcher } from '../../../app/host/dispatch.ts';
import type { CallHandlers } from '../../../app/host/dispatch.ts';
import { PolicyConflictError } from '../../../app/host/refusals.ts';
import { RunnerUnreachableError } from '../../../shared/ipc/runner-call.ts';
import { refuse } from '../../../shared/base/refusal.ts';

function dispatcherWith(handlers: Partial<CallHandlers>) {
  return createDispatcher(handlers as CallHandlers);
}

describe('the dispatcher of calls', () => {
  it('hands checked arguments on and gives the result back', async () => {
    const pause = vi.fn<CallHandlers['pause']>(() => ({}));
    await expect(dispatcherWith({ pause })('pause', { reason: 'lunch' })).resolves.toEqual({
      ok: true,
      result: {},
    });
    expect(pause).toHaveBeenCalledWith({ reason: 'lunch' });
  });

  it.each([
    ['an unknown call', 'shutdown', {}],
    ['a name that every object has', 'constructor', {}],
    ['wrong arguments', 'pause', { reason: 7 }],
    ['missing arguments', 'pause', undefined],
    ['further arguments', 'pause', { reason: '', force: true }],
  ])('refuses %s without doing anything', async (_name, call, args) => {
    const pause = vi.fn<CallHandlers['pause']>(() => ({}));
    const answer = await dispatcherWith({ pause })(call, args);
    expect(answer).toMatchObject({ ok: false, refusal: { code: 'invalid-request' } });
    expect(pause).not.toHaveBeenCalled();
  });

  const failures: readonly (readonly [string, Error, string])[] = [
    ['a refusal', refuse('lockout-active', 'Locked.', 'Unlock.'), 'lockout-active'],
    ['no runner', new RunnerUnreachableError('None.', '/s'), 'host-unavailable'],
    ['a bug', new Error('secret in a message'), 'invalid-request'],
  ];
  it.each(failures)('turns %s into a refusal', async (_name, error, code) => {
    const dispatch = dispatcherWith({ resume: () => Promise.reject(error) });
    const answer = await dispatch('resume', {});
    expect(answer).toMatchObject({ ok: false, refusal: { code } });
    expect(JSON.stringify(answer)).not.toContain('secret');
  });

  it('says which policy is newer when there is a conflict', async () => {
    const current = { hash: 'new', problem: null };
    const dispatch = dispatcherWith({
      savePolicy: () => {
        throw new PolicyConflictError(current);
      },
    });
    const answer = await dispatch('savePolicy', { patch: {}, baseHash: 'a'.repeat(64) });
    expect(answer).toMatchObject({ ok: false, conflict: current });
  });
});
