import { readFileSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { spellingsOf } from '../../shared/engine/redact/known.ts';

export interface Scanned {
  /** Looked into to the last file. */
  readonly folders?: readonly string[];
  /** Processes of which the environment and the command line are looked at. */
  readonly pids?: readonly number[];
  /** Anything else, by what it is called. */
  readonly texts?: Readonly<Record<string, string>>;
}

/** Where one of these secrets stands, in any spelling of it; empty where nowhere. */
export function findSecrets(
  secrets: readonly string[],
  { folders = [], pids = [], texts = {} }: Scanned,
): readonly string[] {
  const spellings = secrets.flatMap(spellingsOf);
  const holds = (text: string): boolean => spellings.some((one) => text.includes(one));
  const read = (path: string): string => {
    try {
      return readFileSync(path, 'latin1');
    } catch {
      return '';
    }
  };
  const files = folders.flatMap(filesBelow);
  const ofProcesses = pids.flatMap((pid) =>
    ['environ', 'cmdline'].map((name) => `/proc/${String(pid)}/${name}`),
  );
  return [
    ...[...files, ...ofProcesses].filter((path) => holds(read(path))),
    ...Object.keys(texts).filter((name) => holds(texts[name] ?? '')),
  ];
}

/** What the kernel keeps for itself (the work folder of an overlay) nobody but root can look into. */
function filesBelow(folder: string): readonly string[] {
  let entries;
  try {
    entries = readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EACCES' && basename(folder) === 'work')
      return [];
    throw error;
  }
  return entries.flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return filesBelow(path);
    return entry.isFile() ? [path] : [];
  });
}
