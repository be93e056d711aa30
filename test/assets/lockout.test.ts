import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  watch,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const run = promisify(execFile);
const assets = fileURLToPath(new URL('../../assets/lockout/', import.meta.url));

let directory: string;
beforeEach(() => (directory = mkdtempSync(join(tmpdir(), 'interlock-assets-'))));
afterEach(() => rmSync(directory, { recursive: true, force: true }));

/** A program on the PATH that writes its arguments, one a line, to `NAME.log`. */
function stub(name: string, exitCode = 0): string {
  const log = join(directory, `${name}.log`);
  const path = join(directory, name);
  writeFileSync(path, `#!/bin/sh\nprintf '%s\\n' "$@" >>'${log}'\nexit ${exitCode}\n`);
  chmodSync(path, 0o755);
  return log;
}

async function appears(path: string): Promise<void> {
  await new Promise<void>((resolve) => {
    const watcher = watch(directory, () => done());
    const done = (): void => {
      if (!existsSync(path)) return;
      watcher.close();
      resolve();
    };
    done();
  });
}

describe('the phone widget', () => {
  it('locks with one SSH command, and never asks anything', async () => {
    const log = stub('ssh');
    await run('sh', [join(assets, 'termux-widget.sh')], {
      env: { PATH: `${directory}:/usr/bin:/bin`, INTERLOCK_HOST: 'me@box' },
    });
    const words = readFileSync(log, 'utf8').trim().split('\n');
    expect(words).toContain('BatchMode=yes');
    expect(words.slice(words.indexOf('me@box'))).toEqual([
      'me@box',
      'interlock',
      'lockout',
      '--reason',
      'phone',
    ]);
  });

  it('says no with its exit status when the machine cannot be reached', async () => {
    stub('ssh', 255);
    await expect(
      run('sh', [join(assets, 'termux-widget.sh')], {
        env: { PATH: `${directory}:/usr/bin:/bin` },
      }),
    ).rejects.toMatchObject({ code: 1 });
  });
});

describe('the flag watcher', () => {
  it.each([
    [0, true],
    [1, false],
  ])('of launchd takes the flag away once it has locked: exit %i', async (exitCode, isGone) => {
    const log = stub('interlock', exitCode);
    const flag = join(directory, "a flag's");
    writeFileSync(flag, '');
    const plist = readFileSync(join(assets, 'app.interlock.flag.plist'), 'utf8');
    const [, words = ''] =
      /<key>ProgramArguments<\/key>\s*<array>([^]*?)<\/array>/u.exec(plist) ?? [];
    const [program = '', ...args] = [...words.matchAll(/<string>([^<]*)<\/string>/gu)].map(
      ([, text = '']) =>
        text
          .replaceAll('&amp;', '&')
          .replace('/usr/local/bin/interlock', join(directory, 'interlock'))
          .replace('/Users/me/Sync/interlock-lock', flag),
    );
    await run(program, args).catch(() => undefined);
    expect(readFileSync(log, 'utf8')).toBe('lockout\n--reason\nflag file\n');
    expect([existsSync(flag), existsSync(`${flag}.done`)]).toEqual([!isGone, isGone]);
  });

  it('locks when the flag appears, and takes it away so that the next one counts', async () => {
    const log = stub('interlock');
    const flag = join(directory, 'flag');
    const watcher = spawn('sh', [join(assets, 'lock-on-flag.sh'), flag, '0.01'], {
      env: { PATH: `${directory}:/usr/bin:/bin` },
      stdio: 'ignore',
    });
    try {
      writeFileSync(flag, '');
      await appears(`${flag}.done`);
      expect(readFileSync(log, 'utf8')).toBe('lockout\n--reason\nflag file\n');
      expect(existsSync(flag)).toBe(false);
    } finally {
      watcher.kill('SIGKILL');
      await once(watcher, 'exit');
    }
  });
});

describe('the unit of the flag', () => {
  const unit = readFileSync(join(assets, 'interlock-flag.service'), 'utf8');
  const valueOf = (key: string): string =>
    new RegExp(`^${key}=(.*)$`, 'mu').exec(unit)?.[1] ?? 'missing';
  const wordsOf = (line: string): readonly string[] =>
    [...line.replaceAll('%h', directory).matchAll(/"([^"]*)"|(\S+)/gu)].map(
      ([, quoted, plain]) => quoted ?? plain ?? '',
    );

  it('finds interlock below the home, whatever PATH the manager has', async () => {
    const log = stub('interlock');
    mkdirSync(join(directory, '.local', 'bin'), { recursive: true });
    renameSync(join(directory, 'interlock'), join(directory, '.local', 'bin', 'interlock'));
    const [program = '', ...args] = wordsOf(valueOf('ExecStart'));
    await run(program, args, { env: { PATH: '/nowhere' } });
    expect(readFileSync(log, 'utf8')).toBe('lockout\n--reason\nflag file\n');
  });

  it('is tried again until it locked, without a limit, and then puts the flag away', () => {
    expect(valueOf('Restart')).toBe('on-failure');
    expect(valueOf('StartLimitIntervalSec')).toBe('0');
    expect(wordsOf(valueOf('ExecStartPost'))).toEqual([
      '/usr/bin/mv',
      '-f',
      `${directory}/Sync/interlock-lock`,
      `${directory}/Sync/interlock-lock.done`,
    ]);
  });
});

describe('the shortcut of GNOME', () => {
  const place = '/org/gnome/settings-daemon/plugins/media-keys/custom-keybindings/interlock/';

  it.each([
    ['@as []', `['${place}']`],
    ["['/custom/a/']", `['/custom/a/', '${place}']`],
  ])('is added to those that there are: %s', async (bound, wanted) => {
    stub('interlock');
    const log = join(directory, 'gsettings.log');
    const program = join(directory, 'gsettings');
    const lines = [
      '#!/bin/sh',
      `[ "$1" = get ] && { echo "${bound}"; exit; }`,
      `printf '%s|' "$@" >>'${log}'`,
      `echo >>'${log}'`,
    ];
    writeFileSync(program, `${lines.join('\n')}\n`);
    chmodSync(program, 0o755);
    const env = { PATH: `${directory}:/usr/bin:/bin` };
    await run('sh', [join(assets, 'gnome-shortcut.sh'), '<Super>Escape'], { env });
    const media = 'org.gnome.settings-daemon.plugins.media-keys';
    const own = `${media}.custom-keybinding:${place}`;
    expect(readFileSync(log, 'utf8').trimEnd().split('\n')).toEqual([
      `set|${media}|custom-keybindings|${wanted}|`,
      `set|${own}|name|Interlock: lock out now|`,
      `set|${own}|command|${join(directory, 'interlock')} lockout --reason hotkey|`,
      `set|${own}|binding|<Super>Escape|`,
    ]);
  });
});

describe('the rule of Karabiner', () => {
  it('locks after two seconds of ctrl, option and P, and says where that failed', async () => {
    const file = JSON.parse(readFileSync(join(assets, 'karabiner.json'), 'utf8')) as {
      readonly rules: readonly [
        {
          readonly manipulators: readonly [
            {
              readonly from: object;
              readonly parameters: object;
              readonly to_if_held_down: readonly [{ readonly shell_command: string }];
            },
          ];
        },
      ];
    };
    const [{ manipulators }] = file.rules;
    const [{ from, parameters, to_if_held_down: held }] = manipulators;
    expect(from).toMatchObject({ key_code: 'p', modifiers: { mandatory: ['control', 'option'] } });
    expect(parameters).toEqual({ 'basic.to_if_held_down_threshold_milliseconds': 2_000 });
    const log = stub('interlock', 1);
    const told = stub('osascript');
    mkdirSync(join(directory, '.local', 'bin'), { recursive: true });
    for (const name of ['interlock', 'osascript'])
      renameSync(join(directory, name), join(directory, '.local', 'bin', name));
    await run('sh', ['-c', held[0].shell_command], {
      env: { HOME: directory, PATH: `${join(directory, '.local', 'bin')}:/usr/bin:/bin` },
    });
    expect(readFileSync(log, 'utf8')).toBe('lockout\n--reason\nhotkey\n');
    expect(readFileSync(told, 'utf8')).toContain('NOT locked');
  });
});

describe('the hotkey files', () => {
  it('all call the same command', () => {
    for (const name of ['interlock-lockout.desktop', 'interlock-flag.service'])
      expect(readFileSync(join(assets, name), 'utf8')).toMatch(/interlock lockout --reason \S/);
    const hammerspoon = readFileSync(join(assets, 'hammerspoon.lua'), 'utf8');
    expect(hammerspoon).toContain('{ "lockout", "--reason", "hotkey" }');
  });

  it('lets the scripts be run', () => {
    for (const name of ['termux-widget.sh', 'lock-on-flag.sh'])
      expect(statSync(join(assets, name)).mode & 0o111).toBe(0o111);
  });
});
