import { createAnswers } from '../ingress/files/answers.ts';
import { openFolders } from '../ingress/files/folders.ts';
import type { SharedFolders } from '../ingress/files/folders.ts';
import { settingsOf } from '../ingress/files/intake.ts';
import { openJournal } from '../ingress/files/journal.ts';
import type { HomePaths } from '../../shared/home/index.ts';
import { note } from './log.ts';
import type { Parts, PartsOptions } from './parts.ts';

/** The shared folders of a runner, in the two steps in which they are left. */
export interface JoinedFolders extends SharedFolders {
  /** Resolves when nothing has come for so long, in milliseconds. */
  drained(quietMs: number): Promise<void>;
  /** Once nothing runs any more: waits for the last answers and closes the journal. */
  finish(): Promise<void>;
}

const lookAgainMs = 100;
const defaultKeepMs = 600_000;

/**
 * Opens the shared folders of `config.json` as a door of this gate. Throws `config-invalid` where the
 * journal cannot be believed: without it nothing may be taken up.
 */
export function joinFolders(
  parts: Pick<Parts, 'gate' | 'stops' | 'principals' | 'config'>,
  base: Pick<PartsOptions, 'uid' | 'clock' | 'log' | 'audit'> & {
    readonly paths: Pick<HomePaths, 'rpcJournal'>;
  },
): JoinedFolders {
  const { paths, uid, clock, log } = base;
  const config = (): ReturnType<Parts['config']['current']> => parts.config.current();
  const journal = openJournal({ path: paths.rpcJournal, uid, now: () => clock.now() });
  const keepMs = (): number => settingsOf(config)?.keepMs ?? defaultKeepMs;
  const answers = createAnswers({ clock, log, keepMs });
  const { gate, stops, principals } = parts;
  const folders = openFolders({
    clock,
    uid,
    log,
    gate,
    stops,
    principals,
    config,
    journal,
    answers,
    note: note.bind(null, base),
  });
  return {
    ...folders,
    drained: async (quietMs) => {
      for (let since = clock.elapsed(); clock.elapsed() - since < quietMs;) {
        const before = folders.taken();
        await folders.look();
        await folders.idle();
        if (folders.taken() !== before) since = clock.elapsed();
        await new Promise<void>((resolve) => void clock.after(lookAgainMs, resolve));
      }
    },
    finish: async () => {
      folders.stop();
      // From here on a disk that is full is not waited for: the next runner says what became of it.
      answers.dispose();
      await folders.idle();
      journal.dispose();
    },
  };
}
