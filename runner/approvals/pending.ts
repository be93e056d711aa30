import type { PendingAsk } from '../../shared/api/types.ts';
import type { Ask, Decision } from '../../shared/ask/types.ts';
import type { AskEnding } from '../gate/ports.ts';

/** The asks that are in front of a person. Each ends exactly once; whoever comes later is told so. */
export interface PendingAsks {
  /** Settles with the first ending. */
  add(ask: Ask, askDigest: string): Promise<AskEnding>;
  list(): readonly PendingAsk[];
  find(id: string): PendingAsk | undefined;
  /** Ends one ask; false when it is not open (any more). */
  end(id: string, ending: AskEnding): boolean;
  /** An answer. False when no such ask is open, or it names the digest of another one. */
  answer(decision: Decision): boolean;
  endAll(ending: AskEnding): void;
  onChange(listener: () => void): void;
}

export function createPendingAsks(): PendingAsks {
  const open = new Map<string, PendingAsk & { readonly settle: (ending: AskEnding) => void }>();
  const listeners: (() => void)[] = [];
  const changed = (): void => {
    for (const listener of listeners) listener();
  };
  const end = (id: string, ending: AskEnding): boolean => {
    const entry = open.get(id);
    if (entry === undefined) return false;
    open.delete(id);
    entry.settle(ending);
    changed();
    return true;
  };
  return {
    add: async (ask, askDigest) =>
      new Promise((settle) => {
        open.set(ask.id, { ask, askDigest, settle });
        changed();
      }),
    list: () => [...open.values()].map(({ ask, askDigest }) => ({ ask, askDigest })),
    find: (id) => open.get(id),
    end,
    answer: (decision) => {
      const entry = open.get(decision.id);
      if (entry === undefined || entry.askDigest !== decision.askDigest) return false;
      return end(decision.id, { kind: 'decided', ask: entry.ask, decision });
    },
    endAll: (ending) => {
      for (const id of open.keys()) end(id, ending);
    },
    onChange: (listener) => void listeners.push(listener),
  };
}
