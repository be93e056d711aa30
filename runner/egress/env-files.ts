import { randomBytes } from 'node:crypto';
import { readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { withoutTokens } from '../../shared/engine/index.ts';
import { ensurePrivateDirectory, pathText, withPlainFile } from '../../shared/home/index.ts';
import type { FolderTrees } from '../../shared/home/index.ts';
import type { Entry } from '../hosts/sandbox/message.ts';

/** Files of variables, as programs read them by their names. */
const named = /^(?:\.env(?:rc|\..*)?|.+\.env)$/u;
const mostText = 1 << 20;
/** What may hold anything is empty in the sandbox. */
const tooLong: unique symbol = Symbol('too long');

/** Copies for one sandbox. */
export interface MaskedFiles {
  /** Each in the place of the file itself, read-only. */
  readonly entries: readonly Entry[];
  readonly dispose: () => void;
}

/**
 * Files of variables in a workspace that hold tokens for GitHub, without these. Fetched trees are not
 * looked into.
 *
 * @param workspace absolute real path
 * @param directory a folder of ours, for copies while they last
 */
export function maskEnvFiles(
  workspace: string,
  {
    trees,
    directory,
    uid,
  }: { readonly trees: FolderTrees; readonly directory: string; readonly uid: number },
): MaskedFiles {
  const made: string[] = [];
  const entries: Entry[] = [];
  for (const path of envFilesIn(workspace, trees)) {
    const text = textOf(path);
    const without = text === null ? null : text === tooLong ? '' : withoutTokens(text);
    if (without === null) continue;
    ensurePrivateDirectory(directory, { uid });
    const source = join(directory, randomBytes(8).toString('hex'));
    // Whoever the command is has to read it; the folder is ours alone.
    writeFileSync(source, without, { mode: 0o644, flag: 'wx' });
    made.push(source);
    entries.push({ kind: 'bind', target: path, source, ours: true, ifPresent: true });
  }
  return {
    entries,
    dispose: () => {
      for (const path of made) rmSync(path, { force: true });
    },
  };
}

/** By their real paths, each once: what a link leads to is masked where it lies. */
function envFilesIn(workspace: string, trees: FolderTrees): ReadonlySet<string> {
  const found = new Set<string>();
  for (const [folder, { files }] of trees.of(workspace).folders()) {
    if (/\/(?:node_modules|\.venv|venv|site-packages)(?:\/|$)/u.test(folder)) continue;
    for (const name of files) {
      if (!named.test(basename(name))) continue;
      const real = realOf(pathText(`${folder}/${name}`));
      if (real?.startsWith(`${workspace}/`) === true) found.add(real);
    }
  }
  return found;
}

function realOf(path: string): string | null {
  try {
    return realpathSync(path);
  } catch {
    return null;
  }
}

/** Of a plain file and no other: an agent may have put a pipe there, on which we would wait. */
function textOf(path: string): string | typeof tooLong | null {
  return withPlainFile(path, (file, { size }) =>
    size <= mostText ? readFileSync(file, 'utf8') : tooLong,
  );
}
