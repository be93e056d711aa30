// @ts-check
import { accessSync, constants, lstatSync, mkdirSync, realpathSync, symlinkSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { root } from './root.mjs';

const program = join(root, 'dist', 'runner', 'cli', 'main.js');

/** What stands on PATH under the name `interlock`: ours, a stranger's, or nothing. */
export function commandOnPath(path = process.env['PATH'] ?? '') {
  for (const folder of path.split(delimiter)) {
    const file = join(folder, 'interlock');
    try {
      accessSync(file, constants.X_OK);
    } catch {
      continue;
    }
    return { file, isOurs: realpathSync(file) === realpathSync(program) };
  }
  return null;
}

/**
 * The folder of PATH where a link may go: a person's own before the system's, and only one that
 * this user may write. Null where there is none.
 *
 * @param {string} [path]
 * @param {string} [home]
 */
export function folderForLink(path = process.env['PATH'] ?? '', home = homedir()) {
  const onPath = new Set(path.split(delimiter));
  const own = [join(home, '.local', 'bin'), join(home, 'bin')];
  for (const folder of [...own, '/usr/local/bin', '/opt/homebrew/bin']) {
    if (!onPath.has(folder)) continue;
    try {
      if (own.includes(folder)) mkdirSync(folder, { recursive: true });
      accessSync(folder, constants.W_OK);
      return folder;
    } catch {
      // Not ours to write: the next one.
    }
  }
  return null;
}

/**
 * Puts a link called `interlock` into a folder. Never replaces anything.
 *
 * @param {string} folder
 */
export function linkCommand(folder) {
  const file = join(folder, 'interlock');
  if (lstatSync(file, { throwIfNoEntry: false }) !== undefined)
    throw new Error(`${file} is there already. Move it away, then try again.`);
  symlinkSync(program, file);
  return file;
}

/** Asks a person at a terminal, once for each start without the command; anybody else is not asked. */
export async function offerLink() {
  if (!process.stdin.isTTY || !process.stdout.isTTY) return;
  if (process.env['CI'] !== undefined || commandOnPath() !== null) return;
  const folder = folderForLink();
  if (folder === null) return;
  const asked = createInterface({ input: process.stdin, output: process.stdout });
  const answer = await asked.question(`Put the command "interlock" into ${folder}? [y/N] `);
  asked.close();
  if (/^y(?:es)?$/iu.test(answer.trim())) console.log(`Linked: ${linkCommand(folder)}`);
  else console.log('Not linked. Later: npm run link-command');
}
