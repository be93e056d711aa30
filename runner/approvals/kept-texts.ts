import { readFileSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { sha256 } from '../../shared/base/index.ts';
import { redact } from '../../shared/engine/index.ts';
import {
  ensurePrivateDirectory,
  readPrivateFile,
  withPlainFile,
  writeFileAtomic,
} from '../../shared/home/index.ts';

/** The longest script whose text is kept, in bytes, and how many are: the oldest goes first. */
const longestText = 65_536;
const mostTexts = 128;

interface KeptTextsOptions {
  /** A folder of our own; made when the first text is kept. */
  readonly directory: string;
  readonly uid: number;
  /** Told where a text cannot be kept; nothing but the comparison is lost. */
  readonly problem: (sentence: string) => void;
}

/**
 * What scripts held when a person allowed them, so that a person who is asked again sees what is new.
 * It decides nothing: rules hold a script to its digest.
 */
export interface KeptTexts {
  /** Keeps what a file holds, if that is what has this sha256 (hex). Never throws. */
  keep(path: string, digest: string): void;
  /** What was kept and what is there now, both without secrets; null where either is not known. */
  compare(path: string, digest: string): { readonly before: string; readonly now: string } | null;
}

export function keptTexts({ directory, uid, problem }: KeptTextsOptions): KeptTexts {
  const fileOf = (digest: string): string => join(directory, `${digest}.txt`);
  return {
    keep: (path, digest) => {
      const text = textAt(path);
      if (text === null || sha256(text) !== digest) return;
      try {
        ensurePrivateDirectory(directory, { uid });
        writeFileAtomic(fileOf(digest), redact(text));
        dropOldest(directory);
      } catch (error) {
        problem(`What ${path} held is not kept for comparison: ${(error as Error).message}`);
      }
    },
    compare: (path, digest) => {
      if (!/^[0-9a-f]{64}$/.test(digest)) return null;
      // A text without secrets may be longer than the file was: each is replaced by a word.
      const kept = readPrivateFile(fileOf(digest), { uid, maxBytes: 4 * longestText });
      const now = textAt(path);
      return kept.kind === 'text' && now !== null ? { before: kept.text, now: redact(now) } : null;
    },
  };
}

/** The text of a plain, short file in UTF-8; null for anything else. */
function textAt(path: string): string | null {
  try {
    return withPlainFile(path, (file, { size }) =>
      size > longestText
        ? null
        : new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(readFileSync(file)),
    );
  } catch {
    return null;
  }
}

function dropOldest(directory: string): void {
  const files = readdirSync(directory).map((name) => {
    const path = join(directory, name);
    return { path, changed: statSync(path).mtimeMs };
  });
  const old = files.toSorted((one, other) => other.changed - one.changed).slice(mostTexts);
  for (const { path } of old) rmSync(path, { force: true });
}
