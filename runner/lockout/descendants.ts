import { closeSync, openSync, readSync, readdirSync, statSync } from 'node:fs';

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

/** Each thread has children of its own; few programs have more than one. */
function childrenOf(pid: number, proc: string): readonly number[] {
  const tasks = `${proc}/${pid}/task`;
  try {
    const threads = hasOneThread(tasks) ? [String(pid)] : readdirSync(tasks);
    return threads.flatMap((thread) => numbersIn(`${tasks}/${thread}/children`));
  } catch {
    return [];
  }
}

/** A folder has a link from each folder in it, besides its own two. */
function hasOneThread(tasks: string): boolean {
  return statSync(tasks).nlink === 3;
}

const buffer = Buffer.alloc(64 * 1024);

/** The whole of a small file of the kernel, with as few calls as it takes: a lockout waits for it. */
function numbersIn(path: string): readonly number[] {
  const file = openSync(path, 'r');
  try {
    let text = '';
    for (let size = readSync(file, buffer); size > 0; size = readSync(file, buffer))
      text += buffer.toString('latin1', 0, size);
    return text.split(' ').filter(Boolean).map(Number);
  } finally {
    closeSync(file);
  }
}
