import type { Refusal } from '../../shared/refusal/refusal.ts';
import { RefusalError, refuse } from '../../shared/refusal/refusal.ts';
import type { StopReason } from './types.ts';

const refusals: Readonly<Record<StopReason, Refusal>> = {
  lockout: {
    code: 'lockout-active',
    message: 'A person has locked Interlock; everything was stopped.',
    hint: 'Stop and wait: only a person can unlock it.',
  },
  pause: {
    code: 'pause-active',
    message: 'Interlock was paused before this command started.',
    hint: 'Wait for "interlock resume", then ask again.',
  },
  'runner-stopping': {
    code: 'host-unavailable',
    message: 'The runner is stopping.',
    hint: 'Ask again once it has been started again.',
  },
  'requester-gone': {
    code: 'approval-timeout',
    message: 'Whoever asked went away before the end.',
    hint: 'Ask again if it is still needed.',
  },
};

/** What a request that was stopped from outside is told. */
export function stoppedRefusal(reason: StopReason): RefusalError {
  return new RefusalError(refusals[reason]);
}

/** The same for a command that a host was not to start any more; an unknown reason is the host's. */
export function stoppedBeforeStart({ reason }: AbortSignal): RefusalError {
  const known = Object.entries(refusals).find(([name]) => name === reason);
  if (known !== undefined) return new RefusalError(known[1]);
  return refuse(
    'host-unavailable',
    'The command was stopped before it was started.',
    'Ask again if it is still needed.',
  );
}
