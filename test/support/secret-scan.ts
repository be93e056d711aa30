import { lstatSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
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
  const files = folders.flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .map((name) => join(folder, name))
      .filter((path) => lstatSync(path, { throwIfNoEntry: false })?.isFile() === true),
  );
  const ofProcesses = pids.flatMap((pid) =>
    ['environ', 'cmdline'].map((name) => `/proc/${String(pid)}/${name}`),
  );
  return [
    ...[...files, ...ofProcesses].filter((path) => holds(read(path))),
    ...Object.keys(texts).filter((name) => holds(texts[name] ?? '')),
  ];
}
