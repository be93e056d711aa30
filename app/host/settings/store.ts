import { refuse } from '../../../shared/refusal/refusal.ts';
import { writeFileAtomic } from '../../../shared/node/files/atomic-write.ts';
import { readPrivateFile } from '../../../shared/node/files/private-file.ts';
import type { ShellSettings } from '../../bridge/settings.ts';
import { writeTrouble } from '../write-trouble.ts';
import { effectiveSettings } from './effective.ts';
import type { ShellConfig } from './effective.ts';
import { checkSettingsFile } from './schema.ts';
import type { SettingsFile } from './schema.ts';

export interface SettingsStore {
  readonly current: () => ShellSettings;
  /** What is wrong with the file, or null. While it is wrong, nothing is written over it. */
  readonly problem: () => string | null;
  /** Reads the file again, which others write too; true when something is different now. */
  readonly look: () => boolean;
  /** Saves a choice of the person. Throws a `config-invalid` refusal and changes nothing when it cannot. */
  readonly change: (choice: Partial<ShellSettings>) => void;
}

export interface SettingsStoreOptions {
  /** `ui.json` in INTERLOCK_HOME. */
  readonly file: string;
  readonly uid: number;
  readonly config: ShellConfig | null;
}

const sizeLimit = 64 * 1024;

/** Reads the settings file; a missing one means that nothing was chosen yet. */
export function openSettings(options: SettingsStoreOptions): SettingsStore {
  const { file } = options;
  let read = readSettings(options);
  const look = (): boolean => {
    const before = JSON.stringify(read);
    read = readSettings(options);
    return JSON.stringify(read) !== before;
  };
  return {
    current: () => effectiveSettings(read.chosen, options.config),
    problem: () => read.problem,
    look,
    change: (choice) => {
      // The menu, the page and a person with an editor all write this file.
      look();
      if (read.problem !== null) throw unreadable(file, read.problem);
      const next = checkSettingsFile({ version: 1, ...read.chosen, ...choice });
      if (!next.ok) throw unreadable(file, next.error);
      try {
        writeFileAtomic(file, `${JSON.stringify(next.value, null, 2)}\n`);
      } catch (error) {
        const hint = 'The setting was not saved; the old one holds.';
        throw writeTrouble(error, { path: file, hint }) ?? error;
      }
      read = { chosen: next.value, problem: null };
    },
  };
}

function readSettings({ file, uid }: SettingsStoreOptions): {
  readonly chosen: SettingsFile | null;
  readonly problem: string | null;
} {
  const found = readPrivateFile(file, { uid, maxBytes: sizeLimit });
  if (found.kind === 'missing') return { chosen: null, problem: null };
  if (found.kind === 'unsafe') return { chosen: null, problem: `${file} ${found.why}.` };
  let value: unknown;
  try {
    value = JSON.parse(found.text);
  } catch {
    return { chosen: null, problem: `${file} is not JSON.` };
  }
  const checked = checkSettingsFile(value);
  return checked.ok
    ? { chosen: checked.value, problem: null }
    : { chosen: null, problem: checked.error };
}

function unreadable(file: string, problem: string): Error {
  return refuse(
    'config-invalid',
    `The setting was not saved: ${problem}`,
    `Mend ${file}, or move it away, and start Interlock again.`,
  );
}
