import { execFileSync } from 'node:child_process';
import { chownSync, mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { box, machine } from './support.ts';
import type { BoxOptions } from './support.ts';

/** A sandbox whose machine was looked at before. */
export const historyBox = (options: BoxOptions = {}) =>
  box({}, { lookAround: async () => machine, ...options });

/** Git as that person uses it, outside, with no settings but a project's own. */
export function person(uid = process.geteuid?.() ?? 0) {
  const isOther = uid !== process.geteuid?.();
  const git = (cwd: string, ...args: readonly string[]): string =>
    execFileSync('git', ['-c', 'user.name=n', '-c', 'user.email=e@x', ...args], {
      cwd,
      stdio: ['ignore', 'pipe', 'pipe'],
      encoding: 'utf8',
      env: {
        PATH: process.env['PATH'],
        GIT_CONFIG_GLOBAL: '/dev/null',
        GIT_CONFIG_NOSYSTEM: '1',
        GIT_EDITOR: 'true',
      },
      ...(isOther && { uid, gid: uid }),
    }).trim();
  return { git };
}

/** For commands inside, where there are no settings. */
export const as =
  'export GIT_AUTHOR_NAME=n GIT_AUTHOR_EMAIL=e GIT_COMMITTER_NAME=n GIT_COMMITTER_EMAIL=e;';

/** A repository with one commit of one file. */
export function begun(folder: string, uid = process.geteuid?.() ?? 0): void {
  mkdirSync(folder, { recursive: true });
  const { git } = person(uid);
  git(folder, 'init', '-q', '-b', 'main');
  writeFileSync(join(folder, 'a'), 'one\n');
  chownSync(join(folder, 'a'), uid, uid);
  git(folder, 'add', '.');
  git(folder, 'commit', '-q', '-m', 'first');
  // Made long before: what is of the same moment as a command counts as changed meanwhile.
  utimesSync(join(folder, '.git/refs/heads/main'), 1, 1);
}
