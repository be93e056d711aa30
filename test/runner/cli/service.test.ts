import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { launchdPlist } from '../../../runner/cli/service/launchd.ts';
import { launchdManager } from '../../../runner/cli/service/launchd.ts';
import { systemdUnit } from '../../../runner/cli/service/systemd.ts';
import { readVersion } from '../../../runner/version.ts';
import type { StatusBody } from '../../../shared/wire/api.ts';
import { fakeRunner, json } from './fake-runner.ts';
import { cli, packageRoot, temporaryHome } from './support.ts';

const template = (name: string): string =>
  readFileSync(join(packageRoot, 'assets', 'service', name), 'utf8');
const odd = {
  node: '/opt/my node/100%/node',
  cli: '/opt/a"b\\c/$HOME/main.js',
  home: '/home/me/<inter> & lock',
  path: '/usr/bin:/bin',
};

const standing: StatusBody = {
  ok: true,
  version: readVersion(),
  pid: 1,
  startedAt: 0,
  mode: 'armed',
  reason: null,
  approver: { connected: false, socket: '/nowhere' },
  policy: { valid: true, problem: null, hash: null },
  running: [],
  pending: [],
};

let place: ReturnType<typeof temporaryHome>;
beforeEach(() => {
  place = temporaryHome();
});
afterEach(() => place.remove());

describe('the filled systemd unit', () => {
  const unit = systemdUnit(template('interlock-runner.service'), odd);

  it('quotes what systemd would split or expand', () => {
    expect(unit).toContain(
      String.raw`ExecStart="/opt/my node/100%%/node" "--max-semi-space-size=2" "/opt/a\"b\\c/$$HOME/main.js" "runner"`,
    );
    expect(unit).toContain(
      'Environment="INTERLOCK_HOME=/home/me/<inter> & lock" "PATH=/usr/bin:/bin"',
    );
  });

  it('keeps all else of the template', () => {
    for (const line of template('interlock-runner.service').split('\n'))
      if (!line.startsWith('ExecStart=')) expect(unit).toContain(line);
  });

  it.each(['\n', '\r', '\0'])('refuses a path with %j', (character) => {
    expect(() => systemdUnit('ExecStart=x', { ...odd, node: `/a${character}b` })).toThrow(
      'control',
    );
  });

  it.runIf(spawnSync('systemd-analyze', ['--version']).error === undefined)(
    'is valid to systemd',
    () => {
      const file = join(place.folder, 'interlock-runner.service');
      const facts = { ...odd, node: process.execPath, cli: '/opt/a b/$x/100%/main.js' };
      writeFileSync(file, systemdUnit(template('interlock-runner.service'), facts));
      const verify = spawnSync(
        'systemd-analyze',
        ['--user', '--man=no', '--recursive-errors=no', 'verify', file],
        {
          encoding: 'utf8',
          env: { ...process.env, HOME: place.folder, XDG_RUNTIME_DIR: place.folder },
        },
      );
      const said = `${verify.stdout}${verify.stderr}`.split('\n');
      expect(said.filter((line) => line.includes('interlock-runner'))).toEqual([]);
    },
  );
});

describe('the filled launchd agent', () => {
  it('escapes what XML would read', () => {
    const plist = launchdPlist(template('app.interlock.runner.plist'), odd);
    expect(plist).toContain('<string>/opt/a&quot;b\\c/$HOME/main.js</string>');
    expect(plist).toContain('<string>/home/me/&lt;inter&gt; &amp; lock</string>');
    expect(plist).not.toContain('/usr/bin/env');
    expect(plist).toContain('<key>KeepAlive</key>');
  });

  it('is loaded anew when it has changed, and left alone when not', async () => {
    const calls: string[] = [];
    const file = join(place.folder, 'LaunchAgents', 'a.plist');
    const run = async (_tool: string, args: readonly string[]) => {
      calls.push(args[0] ?? '');
      return { ok: true, missing: false, said: '' };
    };
    let outdated = false;
    const isOutdated = async () => outdated;
    const manager = launchdManager({ run, packageRoot, facts: odd, file, isOutdated }, 501);
    await manager.install();
    expect(calls).toContain('bootstrap');
    calls.length = 0;
    expect(await manager.install()).toEqual([expect.stringContaining('as it should be')]);
    expect(calls).toEqual(['print']);
    outdated = true;
    await manager.install();
    expect(calls).toContain('bootout');
    await manager.uninstall();
    expect(existsSync(file)).toBe(false);
  });
});

describe.runIf(process.platform === 'linux')('interlock service', () => {
  /** A systemctl that writes down how it was called, and remembers whether it is active. */
  function withSystemctl(): Readonly<Record<string, string>> {
    const bin = join(place.folder, 'bin');
    mkdirSync(bin);
    writeFileSync(
      join(bin, 'systemctl'),
      `#!/bin/sh
echo "$*" >> ${place.folder}/calls
case "$*" in
  *"enable --now"*) : > ${place.folder}/active ;;
  *"disable --now"*) rm -f ${place.folder}/active ;;
  *is-active*) [ -e ${place.folder}/active ] && echo active || { echo inactive; exit 3; } ;;
  *is-enabled*) echo enabled ;;
esac
`,
    );
    chmodSync(join(bin, 'systemctl'), 0o755);
    return { HOME: place.folder, PATH: `${bin}:/usr/bin:/bin` };
  }
  const calls = (): string => readFileSync(join(place.folder, 'calls'), 'utf8');
  const unit = (): string =>
    join(place.folder, '.config', 'systemd', 'user', 'interlock-runner.service');

  it('installs, and changes nothing the second time', async () => {
    const env = withSystemctl();
    await cli({ home: place.home }, 'init');
    const first = await cli({ home: place.home, env }, 'service', 'install');
    expect(first).toMatchObject({ exitCode: 0, err: '' });
    expect(first.out).toContain(`Wrote ${unit()}`);
    expect(calls()).toContain('--user enable --now interlock-runner.service');
    const second = await cli({ home: place.home, env }, 'service', 'install');
    expect(second.out).toContain('was as it should be');
    expect(calls()).not.toContain('restart');
    expect((await cli({ home: place.home, env }, 'service', 'status')).out).toContain('active');
  });

  it('starts a changed one again, and removes it cleanly', async () => {
    const env = withSystemctl();
    await cli({ home: place.home }, 'init');
    await cli({ home: place.home, env }, 'service', 'install');
    writeFileSync(unit(), 'old');
    await cli({ home: place.home, env }, 'service', 'install');
    expect(calls()).toContain('--user restart interlock-runner.service');
    await cli({ home: place.home, env }, 'service', 'uninstall');
    expect(existsSync(unit())).toBe(false);
    expect((await cli({ home: place.home, env }, 'service', 'uninstall')).out).toContain(
      'nothing was changed',
    );
  });

  it('forgets a crash loop before it starts, so that systemd does not refuse', async () => {
    const env = withSystemctl();
    await cli({ home: place.home }, 'init');
    await cli({ home: place.home, env }, 'service', 'install');
    const inOrder = calls().split('\n');
    const at = (call: string): number => inOrder.findIndex((line) => line.includes(call));
    expect(at('reset-failed')).toBeGreaterThanOrEqual(0);
    expect(at('reset-failed')).toBeLessThan(at('enable --now'));
  });

  it.each([
    ['another version', { version: '0.0.1', startedAt: Number.MAX_SAFE_INTEGER }, true],
    ['files that came after its start', { startedAt: 0 }, true],
    ['just these files', { startedAt: Number.MAX_SAFE_INTEGER }, false],
  ])('starts a runner with %s again: %o, %s', async (_what, about, isAgain) => {
    const env = withSystemctl();
    await cli({ home: place.home }, 'init');
    await cli({ home: place.home, env }, 'service', 'install');
    const runner = await fakeRunner(join(place.home, 'runner.sock'), (_seen, response) =>
      json(response, 200, { ...standing, ...about }),
    );
    try {
      const { out } = await cli({ home: place.home, env }, 'service', 'install');
      expect(out.includes('started again')).toBe(isAgain);
      expect(calls().includes('--user restart')).toBe(isAgain);
    } finally {
      await runner.close();
    }
  });

  it('says politely where there is no systemd, and writes nothing', async () => {
    await cli({ home: place.home }, 'init');
    const env = { HOME: place.folder, PATH: join(place.folder, 'empty') };
    const { exitCode, err } = await cli({ home: place.home, env }, 'service', 'install');
    expect(exitCode).toBe(125);
    expect(err).toContain('There is no systemd here.');
    expect(err).toContain('interlock runner');
    expect(existsSync(unit())).toBe(false);
  });
});
