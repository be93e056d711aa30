import { describe, expect, it, vi } from 'vitest';
import { createDoor } from '../../../app/host/dispatch.ts';
import type { CallHandlers } from '../../../app/host/dispatch.ts';
import { PolicyConflictError } from '../../../app/host/refusals.ts';
import { RunnerUnreachableError } from '../../../shared/ipc/runner-call.ts';
import { refuse } from '../../../shared/base/refusal.ts';

function doorWith(handlers: Partial<CallHandlers>) {
  return createDoor(handlers as CallHandlers);
}

describe('the door for calls', () => {
  it('hands checked arguments on and gives the result back', async () => {
    const pause = vi.fn<CallHandlers['pause']>(() => ({}));
    await expect(doorWith({ pause })('pause', { reason: 'lunch' })).resolves.toEqual({
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
    const answer = await doorWith({ pause })(call, args);
    expect(answer).toMatchObject({ ok: false, refusal: { code: 'invalid-request' } });
    expect(pause).not.toHaveBeenCalled();
  });

  const failures: readonly (readonly [string, Error, string])[] = [
    ['a refusal', refuse('lockout-active', 'Locked.', 'Unlock.'), 'lockout-active'],
    ['no runner', new RunnerUnreachableError('None.', '/s'), 'host-unavailable'],
    ['a bug', new Error('secret in a message'), 'invalid-request'],
  ];
  it.each(failures)('turns %s into a refusal', async (_name, error, code) => {
    const door = doorWith({ resume: () => Promise.reject(error) });
    const answer = await door('resume', {});
    expect(answer).toMatchObject({ ok: false, refusal: { code } });
    expect(JSON.stringify(answer)).not.toContain('secret');
  });

  it('gives the newer policy along with a conflict', async () => {
    const current = { hash: 'new', document: { version: 1 }, problem: null } as const;
    const door = doorWith({
      savePolicy: () => {
        throw new PolicyConflictError(current);
      },
    });
    const answer = await door('savePolicy', { document: { version: 1 }, baseHash: 'old' });
    expect(answer).toMatchObject({ ok: false, conflict: current });
  });
});
