import { readFileSync, readdirSync } from 'node:fs';
import type { SessionBox } from '../../../shared/engine/index.ts';
import { listeningPorts } from '../../../shared/home/index.ts';

/**
 * What goes on in the box of a keeper. All that is in it descends from the keeper: what has lost its
 * parent comes to the box's first process. Where something cannot be read, nothing is there.
 *
 * @param keeper the keeper's number; it is in the network of its box
 * @param proxyPort where our own proxy listens in it; null for nowhere
 */
export function lookIntoBox(keeper: number, proxyPort: number | null): SessionBox {
  return {
    ports: () => new Set([...(listeningPorts(keeper) ?? [])].filter((port) => port !== proxyPort)),
    has: (pid) => numbersBelow(keeper).has(pid),
  };
}

/** The numbers that descendants of a process have in the box, without that of its first process. */
function numbersBelow(root: number): ReadonlySet<number> {
  const found = new Map<number, Member>();
  for (const name of namesIn('/proc')) {
    const member = /^\d+$/.test(name) ? memberOf(Number(name)) : null;
    if (member !== null) found.set(Number(name), member);
  }
  const isBelow = (pid: number): boolean => {
    const seen = new Set<number>();
    for (let at = found.get(pid)?.parent; at !== undefined && !seen.has(at);) {
      if (at === root) return true;
      seen.add(at);
      at = found.get(at)?.parent;
    }
    return false;
  };
  return new Set(
    [...found].flatMap(([pid, { inside }]) =>
      inside !== null && inside !== 1 && isBelow(pid) ? [inside] : [],
    ),
  );
}

interface Member {
  readonly parent: number;
  /** Its number in a namespace below ours; null where it is in ours. */
  readonly inside: number | null;
}

function memberOf(pid: number): Member | null {
  try {
    const text = readFileSync(`/proc/${pid}/status`, 'latin1');
    const numbers = /^NSpid:\t(.*)$/m.exec(text)?.[1]?.split('\t') ?? [];
    return {
      parent: Number(/^PPid:\t(\d+)$/m.exec(text)?.[1]),
      inside: numbers.length > 1 ? Number(numbers.at(-1)) : null,
    };
  } catch {
    // It has ended in the meantime.
    return null;
  }
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
