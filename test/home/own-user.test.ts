import { spawnSync } from 'node:child_process';
import { accessSync, chownSync, constants, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { packageRoot } from '../../runner/version.ts';

const program = join(packageRoot(), 'dist/runner/cli/main.js');
const nobody = 61_234;

/** Whether everybody gets to a file. */
const isOpen = (path: string): boolean => {
  try {
    accessSync(path, constants.R_OK);
    const { status } = spawnSync('cat', [path], { uid: nobody, gid: nobody, stdio: 'ignore' });
    return status === 0;
  } catch {
    return false;
  }
};

describe.skipIf(process.geteuid?.() !== 0 || !isOpen(program))(
  'a user that no list of users knows, as in a container',
  () => {
    it('has a home, a name and a verdict', () => {
      const home = mkdtempSync(join(tmpdir(), 'il-nobody-'));
      onTestFinished(() => rmSync(home, { recursive: true, force: true }));
      chownSync(home, nobody, nobody);
      const interlock = (...words: readonly string[]) =>
        spawnSync(process.execPath, [program, ...words], {
          cwd: home,
          uid: nobody,
          gid: nobody,
          encoding: 'utf8',
          env: { PATH: '/usr/bin:/bin', HOME: home, INTERLOCK_HOME: join(home, 'own') },
        });
      expect(interlock('init', '--host', 'gateway')).toMatchObject({ status: 0, stderr: '' });
      const { stdout, stderr } = interlock('check', '--', 'ls');
      expect(stderr).toBe('');
      expect(stdout).toContain('no-rule');
    });
  },
);
