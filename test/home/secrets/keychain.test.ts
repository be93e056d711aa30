import { execFile } from 'node:child_process';
import { accessSync, constants, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadKeytar } from '../../../shared/home/keytar.ts';

const run = promisify(execFile);

function has(program: string): boolean {
  return (process.env['PATH'] ?? '').split(delimiter).some((directory) => {
    try {
      accessSync(join(directory, program), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

const missing = [
  ...['dbus-run-session', 'gnome-keyring-daemon'].filter((program) => !has(program)),
  ...((await loadKeytar()) === null ? ['keytar'] : []),
];
if (missing.length > 0)
  console.warn(`NOT TESTED: the real keychain, because of: ${missing.join(', ')}`);

/** Opens the store in a process of its own and says what it is and what it kept. */
const program = fileURLToPath(
  new URL('../../../dist/test/fixtures/home/keychain.js', import.meta.url),
);

let home: string;
beforeEach(() => (home = mkdtempSync(join(tmpdir(), 'interlock-keychain-'))));
afterEach(() => rmSync(home, { recursive: true, force: true }));

describe('the real keychain', () => {
  it.skipIf(missing.length > 0)(
    'keeps a secret in a private session',
    { timeout: 60_000 },
    async () => {
      const runtime = join(home, 'runtime');
      mkdirSync(runtime, { mode: 0o700 });
      mkdirSync(join(home, 'data'));
      const script = join(home, 'session.sh');
      writeFileSync(
        script,
        `printf 'x' | gnome-keyring-daemon --unlock --components=secrets >/dev/null 2>&1
exec "$1" "$2" "$3"
`,
      );
      const { stdout } = await run(
        'dbus-run-session',
        ['--', 'sh', script, process.execPath, program, home],
        {
          env: { PATH: process.env['PATH'], HOME: home, XDG_RUNTIME_DIR: runtime },
          timeout: 50_000,
        },
      );
      expect(JSON.parse(stdout)).toEqual({
        kind: 'keychain',
        before: null,
        after: 'kept in the keychain',
      });
    },
  );

  it('is passed over without a session bus', { timeout: 60_000 }, async () => {
    const { stdout } = await run(process.execPath, [program, home], {
      env: { PATH: '/nonexistent', HOME: home },
      timeout: 50_000,
    });
    expect(JSON.parse(stdout)).toMatchObject({ kind: 'file', after: 'kept in the keychain' });
  });
});
