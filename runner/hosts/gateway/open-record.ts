import type { RunningRecords } from '../../../shared/node/running-record/types.ts';
import { refuse } from '../../../shared/refusal/refusal.ts';

export interface OpenRecord {
  readonly started: (pid: number) => void;
  readonly ended: () => void;
}

/** The record of one command. No record, no start: after a crash nobody would find its processes. */
export function openRecord({
  records,
  task: { id },
}: {
  readonly records?: RunningRecords;
  readonly task: { readonly id: string };
}): OpenRecord {
  if (records === undefined) return { started: () => {}, ended: () => {} };
  quietly(
    () => records.begin(id),
    (cause) => {
      throw refuse(
        'host-unavailable',
        'It could not be written down what is about to run, so nothing was run.',
        'Have a person look at the disk that holds INTERLOCK_HOME.',
        { cause },
      );
    },
  );
  return {
    // The first record holds good without the number: the processes carry the id as their mark.
    started: (pid) => quietly(() => records.started(id, pid)),
    ended: () => quietly(() => records.ended(id)),
  };
}

function quietly(run: () => void, onError: (error: unknown) => void = () => {}): void {
  try {
    run();
  } catch (error) {
    onError(error);
  }
}
