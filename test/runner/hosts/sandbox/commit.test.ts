import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { box, inside, isRoot, whyNot } from './support.ts';

const someone = 1234;
const ident = ['-c', 'user.name=n', '-c', 'user.email=e@x'];
/** Git as the person uses it. */
const git = (cwd: string, ...args: readonly string[]): string =>
  execFileSync('git', [...ident, ...args], {
    cwd,
    stdio: ['ignore', 'pipe', 'pipe'],
    encoding: 'utf8',
    env: { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' },
  }).trim();
/** For commands inside, where there are no settings. */
const as = 'export GIT_AUTHOR_NAME=n GIT_AUTHOR_EMAIL=e GIT_COMMITTER_NAME=n GIT_COMMITTER_EMAIL=e;';

function begun(folder: string): void {
  mkdirSync(folder, { recursive: true });
  git(folder, 'init', '-q', '-b', 'main');
  writeFileSync(join(folder, 'a'), 'one\n');
  git(folder, 'add', '.');
  git(folder, 'commit', '-q', '-m', 'first');
}

describe.skipIf(whyNot !== null)('Git in a sandbox', () => {
  test('a commit in a plain repository is there outside, and nothing is left to commit', async () => {
    const { workspace, host } = box();
    begun(workspace);
    const { stdout, stderr, exitCode } = await inside(
      host,
      `${as} echo two > b && git add b && git commit -q -m second && git log --format=%s`,
      workspace,
    );
    expect({ stdout, stderr, exitCode }).toEqual({ stdout: 'second\nfirst\n', stderr: '', exitCode: 0 });
    expect(git(workspace, 'log', '--format=%s')).toBe('second\nfirst');
    expect(git(workspace, 'status', '--porcelain')).toBe('');
    expect(git(workspace, 'fsck', '--strict')).toBe('');
  });
});
