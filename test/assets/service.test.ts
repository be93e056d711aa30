import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';

const assets = fileURLToPath(new URL('../../assets/', import.meta.url));
const read = (path: string): string => readFileSync(join(assets, path), 'utf8');
const has = (tool: string): boolean => spawnSync(tool, ['--version']).error === undefined;

/** The values of a file of sections and keys, by `Section.Key`; comments left out. */
function iniOf(text: string): ReadonlyMap<string, string> {
  let section = '';
  const values = new Map<string, string>();
  for (const line of text.split('\n')) {
    const header = /^\[(.+)\]$/u.exec(line);
    if (header !== null) section = header[1] ?? '';
    const at = line.indexOf('=');
    if (header === null && at > 0 && !line.startsWith('#'))
      values.set(`${section}.${line.slice(0, at)}`, line.slice(at + 1));
  }
  return values;
}

describe('the systemd unit', () => {
  const text = read('service/interlock-runner.service');
  const unit = iniOf(text);
  const home = mkdtempSync(join(tmpdir(), 'interlock-unit-'));
  afterAll(() => rmSync(home, { recursive: true, force: true }));

  it.each([
    ['Service.Type', 'notify'],
    ['Service.WatchdogSec', '60'],
    ['Service.ExecReload', '/bin/kill -HUP $MAINPID'],
    ['Service.ExecStart', '/usr/bin/env interlock runner'],
    ['Service.Restart', 'on-failure'],
    ['Service.KillMode', 'mixed'],
    ['Service.OOMPolicy', 'continue'],
    ['Service.MemoryMax', '90%'],
    ['Service.LimitCORE', '0'],
    ['Install.WantedBy', 'default.target'],
  ])('has %s=%s', (key, value) => {
    expect(unit.get(key)).toBe(value);
  });

  it.each(['NODE_OPTIONS', 'LD_PRELOAD', 'BASH_ENV'])('takes no %s from the session', (name) => {
    expect(unit.get('Service.UnsetEnvironment')?.split(' ')).toContain(name);
  });

  it('gives the runner longer to stop than the runner gives a command', () => {
    expect(Number(unit.get('Service.TimeoutStopSec'))).toBeGreaterThan(5);
  });

  it('confines no approved command by the way, but for the memory of the whole machine', () => {
    const inherited =
      /^(?:NoNewPrivileges|Protect\w+|Private\w+|Restrict\w+|SystemCall\w+|LockPersonality|MemoryDenyWriteExecute|UMask|Memory(?!Max=90%)\w+|TasksMax|LimitAS)=/mu;
    expect(text).not.toMatch(inherited);
  });

  it.runIf(has('systemd-analyze'))('is valid to systemd', () => {
    const file = join(assets, 'service', 'interlock-runner.service');
    const verify = spawnSync(
      'systemd-analyze',
      ['--user', '--man=no', '--recursive-errors=no', 'verify', file],
      {
        encoding: 'utf8',
        env: { ...process.env, HOME: home, XDG_RUNTIME_DIR: home },
      },
    );
    const said = `${verify.stdout}${verify.stderr}`.split('\n');
    expect(said.filter((line) => line.includes('interlock-runner'))).toEqual([]);
    expect(verify.status).toBe(0);
  });
});

describe('the systemd unit of the machine', () => {
  const text = read('service/system/interlock-runner.service');
  const unit = iniOf(text);

  it.each([
    ['Service.Type', 'notify'],
    ['Service.User', 'interlock'],
    ['Service.RuntimeDirectory', 'interlock'],
    ['Service.RuntimeDirectoryMode', '0750'],
    ['Service.NoNewPrivileges', 'yes'],
    ['Service.CapabilityBoundingSet', ''],
    ['Service.LimitCORE', '0'],
    ['Install.WantedBy', 'multi-user.target'],
  ])('has %s=%s', (key, value) => {
    expect(unit.get(key)).toBe(value);
  });

  it('takes neither files, nor /proc, nor namespaces from approved commands', () => {
    const inherited =
      /^(?:Protect\w+|Private\w+|RestrictNamespaces|SystemCallFilter|MemoryDenyWriteExecute|UMask|Memory(?!Max=90%)\w+|TasksMax|LimitAS)=/mu;
    expect(text).not.toMatch(inherited);
  });

  it('says in a page of the docs why each directive is set or not', () => {
    const page = readFileSync(new URL('../../docs/service.md', import.meta.url), 'utf8');
    for (const [key] of unit)
      if (key.startsWith('Service.')) expect(page).toContain(key.slice('Service.'.length));
  });

  it.runIf(has('systemd-analyze'))('is valid to systemd', () => {
    const file = join(assets, 'service', 'system', 'interlock-runner.service');
    const args = ['--man=no', '--recursive-errors=no', 'verify', file];
    const verify = spawnSync('systemd-analyze', args, { encoding: 'utf8' });
    const said = `${verify.stdout}${verify.stderr}`.split('\n');
    expect(said.filter((line) => line.includes('interlock-runner'))).toEqual([]);
  });
});

describe('the launchd agent', () => {
  const text = read('service/app.interlock.runner.plist');
  const page = text.replaceAll(/\s+/gu, ' ');

  it.each([
    ['starts the runner', '<string>interlock</string> <string>runner</string>'],
    ['starts at login', '<key>RunAtLoad</key> <true/>'],
    ['comes back after a crash only', '<key>SuccessfulExit</key> <false/>'],
    ['leaves no core file', '<key>Core</key> <integer>0</integer>'],
    ['is named as its file', '<string>app.interlock.runner</string>'],
  ])('%s', (_what, part) => {
    expect(page).toContain(part);
  });

  it('is well-formed', () => {
    const open: string[] = [];
    for (const [tag, close, name, self] of text.matchAll(/<(\/?)([a-z]+)[^>]*?(\/?)>/gu)) {
      if (self === '/') continue;
      if (close === '/') expect(open.pop(), tag).toBe(name);
      else if (name !== undefined) open.push(name);
    }
    expect(open).toEqual([]);
  });
});

describe('the desktop entry', () => {
  const entry = iniOf(read('linux/interlock.desktop'));

  it.each([
    ['Desktop Entry.Type', 'Application'],
    ['Desktop Entry.Exec', 'interlock ui --electron'],
    ['Desktop Entry.Terminal', 'false'],
    ['Desktop Entry.Icon', 'interlock'],
  ])('has %s=%s', (key, value) => {
    expect(entry.get(key)).toBe(value);
  });

  it('offers the lockout without a window, and nothing that allows', () => {
    expect(entry.get('Desktop Entry.Actions')).toBe('lockout;');
    expect(entry.get('Desktop Action lockout.Exec')).toMatch(/^interlock lockout /u);
  });

  it.runIf(has('desktop-file-validate'))('is valid to the desktop', () => {
    const file = join(assets, 'linux', 'interlock.desktop');
    expect(spawnSync('desktop-file-validate', [file], { encoding: 'utf8' })).toMatchObject({
      status: 0,
      stdout: '',
    });
  });
});

describe('the icons', () => {
  const size = (file: string) => {
    const bytes = readFileSync(file);
    return [bytes.readUInt32BE(16), bytes.readUInt32BE(20)];
  };

  it('of the app have the sizes that their names say', () => {
    const files = readdirSync(join(assets, 'icons')).filter((name) => name.endsWith('.png'));
    expect(files.length).toBe(8);
    for (const file of files) {
      const edge = Number(file.split('x')[0]);
      expect(size(join(assets, 'icons', file)), file).toEqual([edge, edge]);
    }
  });

  it('of the tray are 16 pixels, and 32 for dense displays', () => {
    for (const theme of ['light', 'dark', 'template']) {
      for (const file of readdirSync(join(assets, 'tray', theme))) {
        const edge = file.includes('@2x') ? 32 : 16;
        expect(size(join(assets, 'tray', theme, file)), file).toEqual([edge, edge]);
      }
    }
  });

  it('for Windows and macOS hold every size up to 256 and 1024', () => {
    const ico = readFileSync(join(assets, 'icons', 'icon.ico'));
    const edges = Array.from({ length: ico.readUInt16LE(4) }, (_, n) => ico.readUInt8(6 + 16 * n));
    expect(edges).toEqual([16, 24, 32, 48, 64, 128, 0]);
    const icns = readFileSync(join(assets, 'icons', 'icon.icns'));
    expect(icns.subarray(0, 4).toString()).toBe('icns');
    expect(icns.readUInt32BE(4)).toBe(icns.length);
    expect(icns.includes('ic10')).toBe(true);
  });
});
