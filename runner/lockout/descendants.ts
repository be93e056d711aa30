import { readFileSync, readdirSync } from 'node:fs';

/**
 * What these processes have started and what those have, at this moment. It asks the kernel for
 * children only, which costs by the commands and not by the size of the machine. Empty where the
 * system does not tell.
 */
export function descendantsNow(leaders: readonly number[], proc = '/proc'): ReadonlySet<number> {
  const found = new Set<number>();
  const waiting = [...leaders];
  for (let pid = waiting.pop(); pid !== undefined; pid = waiting.pop())
    for (const child of childrenOf(pid, proc)) {
      if (found.has(child)) continue;
      found.add(child);
      waiting.push(child);
    }
  return found;
}

/** Each thread has children of its own. */
function childrenOf(pid: number, proc: string): readonly number[] {
  try {
    const tasks = `${proc}/${pid}/task`;
    return readdirSync(tasks).flatMap((task) => {
      const text = readFileSync(`${tasks}/${task}/children`, 'latin1').trim();
      return text === '' ? [] : text.split(' ').map(Number);
    });
  } catch {
    return [];
  }
}
