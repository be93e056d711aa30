import { watch } from 'node:fs';
import type { FSWatcher } from 'node:fs';
import { basename, dirname } from 'node:path';
import type { Clock } from '../../clock/types.ts';
import { systemClock } from '../clock/system.ts';
import { readPolicyFile } from './read.ts';
import type { PolicyFile } from './types.ts';

export interface WatchOptions {
  readonly uid: number;
  /** Called with the first state before `watchPolicyFile` returns, then at each change. */
  readonly onChange: (file: PolicyFile) => void;
  readonly clock?: Clock;
  /** Time between looks that need no event, in milliseconds; 5,000 when absent. */
  readonly pollMs?: number;
}

/** Watches the policy file until the returned function is called. */
export function watchPolicyFile(path: string, options: WatchOptions): () => void {
  let last: string | null = null;
  return watchFile(path, {
    ...options,
    look() {
      const file = readPolicyFile(path, { uid: options.uid });
      const state = JSON.stringify(file.ok ? file.hash : [file.hash, file.problem.message]);
      if (state === last) return;
      last = state;
      options.onChange(file);
    },
  });
}

export interface LookOptions {
  /** Called at once, at each event and at each poll; it finds out by itself whether anything changed. */
  readonly look: () => void;
  readonly clock?: Clock;
  readonly pollMs?: number;
}

/**
 * Calls `look` whenever something may have happened to `path`. The watch is on the directory, since a
 * rename replaces the file; the slow poll covers file systems that tell nothing, and makes the watch
 * anew when the directory itself was replaced.
 */
export function watchFile(path: string, options: LookOptions): () => void {
  const clock = options.clock ?? systemClock;
  const pollMs = options.pollMs ?? 5_000;
  const name = basename(path);
  let watcher: FSWatcher | null = null;
  let cancelPoll = poll();

  function onEvent(_: string, changed: string | null): void {
    if (changed === null || changed === name) options.look();
  }

  function drop(): void {
    watcher?.close();
    watcher = null;
  }

  function start(): void {
    try {
      watcher ??= watch(dirname(path), { persistent: false }, onEvent).on('error', drop);
    } catch {
      // The directory is not there yet; the next poll tries again.
    }
  }

  function poll(): () => void {
    return clock.after(pollMs, () => {
      cancelPoll = poll();
      start();
      options.look();
    });
  }

  start();
  options.look();
  return () => {
    cancelPoll();
    drop();
  };
}
