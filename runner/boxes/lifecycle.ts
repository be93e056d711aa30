/** What is done with boxes, as data: which steps an operation has, and what a crash in the middle leaves to do. */

/** Each can be begun again after a crash, and undone whether it was begun, half done or done. */
export const boxSteps = ['workspace', 'key', 'keeper', 'windows'] as const;
export type BoxStep = (typeof boxSteps)[number];

export const operations = ['up', 'start', 'stop', 'down'] as const;
export type Operation = (typeof operations)[number];

export interface Journal {
  readonly operation: Operation;
  /** In the order in which they were begun. */
  readonly begun: readonly BoxStep[];
}

/** The steps of an operation, in their order; of `stop` and `down` those that are taken back. */
export function stepsOf(operation: Operation): readonly BoxStep[] {
  return {
    up: ['workspace', 'key', 'keeper', 'windows'],
    start: ['keeper', 'windows'],
    stop: ['windows', 'keeper'],
    down: ['windows', 'keeper', 'key', 'workspace'],
  }[operation] as readonly BoxStep[];
}

/** Whether an operation makes things, so that a failure takes them back. */
export function makes(operation: Operation): boolean {
  return operation === 'up' || operation === 'start';
}

/** The journal once a step is about to begin. Throws where it is not that step's turn. */
export function begin(journal: Journal, step: BoxStep): Journal {
  const next = stepsOf(journal.operation)[journal.begun.length];
  if (next !== step)
    throw new Error(`The step "${step}" is not the next one of "${journal.operation}".`);
  return { ...journal, begun: [...journal.begun, step] };
}

/** What brings a box that an operation was left in the middle of to where it can stay. */
interface Recovery {
  /** Steps to undo, in this order; undoing what was never done does nothing. */
  readonly undo: readonly BoxStep[];
  /** What is left then: nothing, or a box that does not run. */
  readonly leaves: 'nothing' | 'stopped';
}

/**
 * What a crash leaves to do. A box that was being made goes, since nobody has heard that it is there;
 * one that was being started stands still; what was being ended is ended.
 */
export function recover({ operation, begun }: Journal): Recovery {
  if (makes(operation))
    return { undo: begun.toReversed(), leaves: operation === 'up' ? 'nothing' : 'stopped' };
  // All of it again: the step that was begun may be half done, and those after it are still to do.
  return { undo: stepsOf(operation), leaves: operation === 'down' ? 'nothing' : 'stopped' };
}

/** What the kernel and the disk say of one name. */
interface Found {
  readonly record: 'none' | 'damaged' | { readonly journal: Journal | null };
  /** A keeper answers, or the recorded one is there. */
  readonly runs: boolean;
  /** Files of it lie about: socket, log. */
  readonly hasFiles: boolean;
}

/** What `gc` does about one name; null for nothing. */
type Mend =
  | { readonly kind: 'recover'; readonly recovery: Recovery }
  /** Something runs, or lies about, that no record knows. */
  | { readonly kind: 'end' }
  /** The record says more than is there. */
  | { readonly kind: 'settle' };

export function mendOf({ record, runs, hasFiles }: Found): Mend | null {
  if (record === 'none') return runs || hasFiles ? { kind: 'end' } : null;
  // What a damaged record was about cannot be told, but what runs under its name is ended.
  if (record === 'damaged') return { kind: 'end' };
  if (record.journal !== null) return { kind: 'recover', recovery: recover(record.journal) };
  return runs || !hasFiles ? null : { kind: 'settle' };
}

/** Steps as they are told: what is made, and what is ended. */
export const words: Readonly<Record<BoxStep, string>> = {
  workspace: 'its workspace',
  key: 'a key for its agent',
  keeper: 'the box',
  windows: 'tmux and its windows',
};
export const endWords: Readonly<Record<BoxStep, string>> = {
  workspace: 'giving its workspace back',
  key: 'taking its key away',
  keeper: 'ending the box',
  windows: 'closing its windows',
};

/** What is being done with a box. Throws where nothing is. */
export function journalOf({ journal }: { readonly journal: Journal | null }): Journal {
  if (journal === null) throw new Error('Nothing is being done with this box.');
  return journal;
}
