import type { V1ExecFrame } from '../../../../shared/wire/frames-v1.ts';
import { createNonceMemory } from '../../../../shared/ipc/protocol/context.ts';
import type { V1Options } from '../../../../shared/ipc/protocol/v1.ts';
import { answerV1 } from '../../../../shared/ipc/protocol/v1.ts';
import { v1Hmac } from '../../../../shared/ipc/protocol/v1.ts';
import type { V1Handlers } from '../../../../shared/ipc/protocol/v1.ts';
import type { FakeClock } from '../../../support/fake-clock.ts';
import { fakeClock } from '../../../support/fake-clock.ts';

export const token = 'tok';

export interface Responder {
  readonly clock: FakeClock;
  readonly violations: string[];
  readonly answer: (frame: object) => Promise<unknown>;
}

/** A version-1 responder whose handlers allow everything, unless they are replaced. */
export function responder(handlers: Partial<V1Handlers> = {}): Responder {
  const clock = fakeClock();
  const violations: string[] = [];
  const options: V1Options = {
    token,
    now: () => clock.now(),
    seen: createNonceMemory(clock),
    peer: { uid: 1000, pid: 7 },
    signal: new AbortController().signal,
    onViolation: ({ code }) => violations.push(code),
    handlers: {
      decide: () => Promise.resolve('allow-once'),
      onExec: () =>
        Promise.resolve({
          ok: true,
          payload: { exitCode: 0, timedOut: false, success: true, stdout: 'hi\n', stderr: '' },
        }),
      ...handlers,
    },
  };
  return {
    clock,
    violations,
    async answer(frame) {
      const line = await answerV1(frame as Record<string, unknown>, options);
      return line === null ? null : JSON.parse(line);
    },
  };
}

export function askFrame(change: object = {}, request: object = {}): object {
  return { type: 'request', token, id: 'r1', request: { command: 'ls', ...request }, ...change };
}

/** A signed exec frame; `change` is made after it was signed. */
export function execFrame(
  signed: Partial<V1ExecFrame> & { readonly request?: unknown } = {},
  change: object = {},
): object {
  const { request = { command: ['echo', 'hi'] }, ...rest } = signed;
  const frame = {
    type: 'exec' as const,
    id: 'e1',
    nonce: '0'.repeat(32),
    ts: 1_700_000_000_000,
    requestJson: JSON.stringify(request),
    ...rest,
  };
  return { ...frame, hmac: v1Hmac(token, frame), ...change };
}
