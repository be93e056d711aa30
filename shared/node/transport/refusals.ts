import type { RefusalError } from '../../refusal/refusal.ts';
import { refuse } from '../../refusal/refusal.ts';

/** Somebody answers at the path: a second approver must not take its place. */
export function alreadyServed(path: string): RefusalError {
  return refuse(
    'concurrency-busy',
    `Another program already answers at ${path}.`,
    'Use the approver that runs, or stop it first.',
  );
}

export function nobodyThere(path: string): RefusalError {
  return refuse(
    'approver-unavailable',
    `Nobody answers at ${path}.`,
    'Start the approver with "interlock ui".',
  );
}

export function noPlatform(): RefusalError {
  return refuse(
    'host-unavailable',
    'Windows has no way to tell which user is at the other end of the approvals socket.',
    'Run the runner and the approver under WSL, Linux or macOS.',
  );
}
