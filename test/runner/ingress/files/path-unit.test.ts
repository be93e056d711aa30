import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { HomePaths } from '../../../../shared/home/paths.ts';
import { auditRows, makeHome, root } from '../../service/support.ts';
import { answerTo, ask, configure, free, share, uid, wordOf } from './support.ts';

const systemd = '/usr/lib/systemd/systemd';
const words = ['-m', '-p', '-f', '--mount-proc', '--kill-child'];

/** Starts a systemd of a person in namespaces of its own, then does what it is told by files. */
const script = `
mount -t tmpfs tmpfs /run
mkdir -p /run/systemd/system /run/user/0
chmod 700 /run/user/0
export XDG_RUNTIME_DIR=/run/user/0
${systemd} --user --log-target=null &
until systemctl --user is-system-running >/dev/null 2>&1; do
  [ -d /proc/$! ] || { : >"$SAID/none"; exit; }
  sleep 0.1
done
interlock() { "$NODE" "$PROGRAM" "$@"; }
interlock rpc install "$SHARED" --daemonless >"$SAID/installed" 2>&1
mv "$SAID/installed" "$SAID/installed.done"
until [ -e "$SAID/first" ]; do sleep 0.1; done
until [ "$(systemctl --user is-active interlock-rpc.service)" = inactive ]; do sleep 0.1; done
: >"$SAID/idle"
until [ -e "$SAID/over" ]; do sleep 0.1; done
systemctl --user is-active interlock-rpc.path >"$SAID/active" 2>&1
interlock rpc uninstall "$SHARED" >"$SAID/uninstalled" 2>&1
systemctl --user is-active interlock-rpc.path >>"$SAID/active" 2>&1
mv "$SAID/uninstalled" "$SAID/uninstalled.done"
`;

const starts = (paths: HomePaths): number =>
  auditRows(paths).filter((row) => row.type === 'note' && row.code === 'runner-started').length;

const isThere =
  uid === 0 &&
  existsSync(systemd) &&
  spawnSync('unshare', [...words, 'mount', '-t', 'tmpfs', 'tmpfs', '/run']).status === 0;
const notTested = 'NOT TESTED: a real path unit, because no systemd runs in namespaces here\n';
if (!isThere) process.stderr.write(notTested);

test.skipIf(!isThere)(
  'a path unit of a real systemd starts a drain for what comes, and nothing runs in between',
  async () => {
    const paths = await makeHome(free);
    configure(paths, {});
    const person = join(dirname(paths.home), 'person');
    const said = join(dirname(paths.home), 'said');
    for (const one of [person, said]) mkdirSync(one);
    const shared = await share(paths);
    const child = spawn('unshare', [...words, 'sh', '-c', script], {
      env: {
        PATH: process.env['PATH'] ?? '',
        HOME: person,
        INTERLOCK_HOME: paths.home,
        NODE: process.execPath,
        PROGRAM: join(root, 'dist/runner/cli/main.js'),
        SHARED: shared.folder,
        SAID: said,
      },
      stdio: 'ignore',
    });
    const ended = new Promise((resolve) => child.once('close', resolve));
    onTestFinished(async () => {
      child.kill('SIGKILL');
      await ended;
      rmSync(person, { recursive: true, force: true });
    });
    const file = (name: string): string => join(said, name);
    const begun = (): boolean => ['none', 'installed.done'].some((name) => existsSync(file(name)));
    await expect.poll(begun).toBe(true);
    // A systemd that ends at once cannot run here; one that runs has to do what is said.
    if (existsSync(file('none'))) {
      process.stderr.write(notTested);
      return;
    }
    const installed = readFileSync(file('installed.done'), 'utf8');
    expect(installed).toContain('interlock-rpc.path starts "interlock rpc drain"');
    expect(existsSync(join(paths.stateDirectory, 'rpc.journal'))).toBe(false);

    const many = [1, 2, 3].map((n) => ask(shared, { command: `echo ${String(n)} >> log` }));
    for (const { id } of many) expect(wordOf(await answerTo(shared, id))).toBe('exit 0');
    expect(readFileSync(join(shared.folder, 'log'), 'utf8').length).toBe(6);
    // The drain ends, and the next request starts another one.
    writeFileSync(file('first'), '');
    await expect.poll(() => existsSync(file('idle'))).toBe(true);
    const before = starts(paths);
    const later = ask(shared, { command: 'echo later' });
    expect(await answerTo(shared, later['id'])).toMatchObject({ ok: true, stdout: 'later\n' });
    expect(starts(paths)).toBe(before + 1);
    writeFileSync(file('over'), '');
    await expect.poll(() => existsSync(file('uninstalled.done'))).toBe(true);
    expect(readFileSync(file('active'), 'utf8').split('\n').slice(0, 2)).toEqual([
      'active',
      'inactive',
    ]);
  },
);
