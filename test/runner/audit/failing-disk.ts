import type { LogFile, OpenLogFile } from '../../../runner/audit/log-files.ts';
import { openLogFile } from '../../../runner/audit/log-files.ts';

type Step = 'open' | 'write' | 'cut' | 'sync';

export interface FailingDisk {
  readonly open: OpenLogFile;
  /** Makes every such step fail until it is healed; a failing write takes `takes` bytes before. */
  fail(step: Step, takes?: number): void;
  heal(): void;
  /** Lets every sync wait until the answer is called. */
  holdSync(): () => void;
  /** How often something was synced. */
  syncs(): number;
}

/** A real disk that refuses what it is told to refuse, as a full or a broken one does. */
export function failingDisk(): FailingDisk {
  const failing = new Map<Step, number>();
  let syncs = 0;
  let held = Promise.resolve();
  const check = (step: Step): void => {
    if (failing.has(step)) throw full();
  };
  return {
    open: (path) => {
      check('open');
      const file: LogFile = openLogFile(path);
      return {
        write: (bytes) => {
          const takes = failing.get('write');
          if (takes === undefined) return file.write(bytes);
          if (takes === 0) throw full();
          return file.write(bytes.subarray(0, takes));
        },
        cut: (size) => {
          check('cut');
          file.cut(size);
        },
        sync: async () => {
          await held;
          check('sync');
          syncs += 1;
          await file.sync();
        },
        syncNow: () => {
          check('sync');
          file.syncNow();
        },
        close: () => file.close(),
      };
    },
    fail: (step, takes = 0) => void failing.set(step, takes),
    heal: () => failing.clear(),
    holdSync: () => {
      let release = (): void => {};
      held = new Promise((resolve) => (release = resolve));
      return release;
    },
    syncs: () => syncs,
  };
}

function full(): Error {
  return Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' });
}
