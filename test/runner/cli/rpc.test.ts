import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { readKeyFile } from '../../../shared/ipc/signed-request.ts';
import type { HomePaths } from '../../../shared/home/paths.ts';
import {
  drainPlistText,
  drainUnitText,
  pathUnitText,
} from '../../../runner/cli/service/rpc-units.ts';
import {
  answerTo,
  configure,
  fresh,
  put,
  responseFile,
  signed,
  uid,
  wordOf,
} from '../ingress/files/support.ts';
import { auditRows, makeHome, root, startRunnerProcess } from '../service/support.ts';

const free = { security: 'full', ask: 'off' } as const;

interface Said {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** `interlock …` as a process of its own, in a home folder without a service manager. */
async function interlock(paths: HomePaths, ...words: readonly string[]): Promise<Said> {
  const home = dirname(paths.home);
  const child = spawn(process.execPath, [join(root, 'dist/runner/cli/main.js'), ...words], {
    env: { PATH: process.env['PATH'] ?? '', HOME: home, INTERLOCK_HOME: paths.home },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const said = { out: '', err: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => (said.out += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (said.err += text));
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, ...said })));
}

test('a folder is shared, an agent gets its key there, and a drain carries out what lies in it', async () => {
  const paths = await makeHome(free);
  configure(paths, { limits: { burst: 40 } });
  const folder = join(dirname(paths.home), 'shared');
  const box = join(dirname(paths.home), 'box');
  for (const one of [folder, box]) mkdirSync(one);

  const installed = await interlock(paths, 'rpc', 'install', folder, '--agent', 'box');
  expect(installed).toMatchObject({ code: 0, err: '' });
  expect(JSON.parse(readFileSync(paths.config, 'utf8'))).toEqual({
    version: 1,
    limits: { burst: 40 },
    rpc: { folders: [{ path: folder, agents: ['box'] }] },
  });
  const added = await interlock(
    paths,
    'agents',
    'add',
    'box',
    '--deliver',
    box,
    '--mounted-at',
    '/work',
  );
  expect(added).toMatchObject({ code: 0, err: '' });
  const file = join(box, '.interlock', 'rpc', 'box.key');
  expect(added.out).toContain(file);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(statSync(dirname(file)).mode & 0o777).toBe(0o700);
  const key = readKeyFile(file, uid) ?? new Uint8Array();
  expect(added.out + added.err).not.toContain(readFileSync(file, 'utf8').trim());
  expect(JSON.parse(readFileSync(join(dirname(file), 'box.json'), 'utf8'))).toEqual({
    version: 1,
    folder: '/work',
    pauseAfterRefusals: 5,
    waitSec: 300,
  });

  const shared = { folder, keys: { box: key } };
  const marker = join(folder, 'order');
  const ids = [1, 2, 3].map((n) => {
    const at = new Date(Date.now() + n).toISOString();
    const fields = fresh({ command: `echo ${String(n)} >> order`, created_at: at });
    return put(shared, fields['id'], signed(shared, fields));
  });
  const status = await interlock(paths, 'rpc', 'status', '--json');
  expect(JSON.parse(status.out)).toMatchObject({
    by: null,
    folders: [{ path: folder, waiting: 3 }],
  });
  expect(await interlock(paths, 'rpc', 'drain', '--quiet-for', '100ms')).toMatchObject({ code: 0 });
  for (const id of ids) expect(wordOf(await answerTo(shared, id))).toBe('exit 0');
  expect(readFileSync(marker, 'utf8')).toBe('1\n2\n3\n');
  expect(existsSync(paths.runnerSocket)).toBe(false);

  // A new key makes the old one worthless, and is delivered to the same place.
  expect(await interlock(paths, 'agents', 'rekey', 'box', '--deliver', box)).toMatchObject({
    code: 0,
  });
  const stale = fresh({ argv: ['true'] });
  put(shared, stale['id'], signed(shared, stale));
  const renewed = { folder, keys: { box: readKeyFile(file, uid) ?? new Uint8Array() } };
  const next = fresh({ argv: ['true'] });
  put(renewed, next['id'], signed(renewed, next));
  await interlock(paths, 'rpc', 'drain', '--quiet-for', '100ms');
  expect(wordOf(await answerTo(shared, stale['id']))).toBe('hmac-fail');
  expect(wordOf(await answerTo(shared, next['id']))).toBe('exit 0');

  // Beside a runner a drain leaves all to it.
  await startRunnerProcess(paths);
  expect(await interlock(paths, 'rpc', 'drain')).toEqual({ code: 0, out: '', err: '' });
  expect(JSON.parse((await interlock(paths, 'rpc', 'status', '--json')).out)).toMatchObject({
    by: 'runner',
  });

  expect(await interlock(paths, 'rpc', 'uninstall', folder)).toMatchObject({ code: 0 });
  const late = fresh({ argv: ['true'] });
  await expect
    .poll(() => JSON.parse(readFileSync(paths.config, 'utf8')) as object)
    .toMatchObject({ rpc: { folders: [] } });
  expect((await interlock(paths, 'rpc', 'status')).out).toContain('No folder is shared');
  expect((await interlock(paths, 'rpc', 'status', folder)).err).toContain('is not shared');
  expect(existsSync(responseFile(shared, late['id']))).toBe(false);
  expect(
    auditRows(paths).some((row) =>
      JSON.stringify(row).includes(Buffer.from(key).toString('base64url')),
    ),
  ).toBe(false);
});

test('a key is not put where an agent reads, and no link leads it elsewhere', async () => {
  const paths = await makeHome();
  configure(paths, {});
  const beside = (name: string): string => join(dirname(paths.home), name);
  for (const one of ['shared', 'box', 'elsewhere', 'loose']) mkdirSync(beside(one));
  mkdirSync(join(beside('shared'), 'home'));
  mkdirSync(join(beside('loose'), '.interlock'), { mode: 0o755 });
  symlinkSync(beside('elsewhere'), join(beside('box'), '.interlock'));
  await interlock(paths, 'rpc', 'install', beside('shared'));
  const delivered = async (home: string): Promise<Said> =>
    interlock(paths, 'agents', 'add', 'box', '--deliver', home);

  expect((await delivered(join(beside('shared'), 'home'))).err).toContain('shared folder');
  expect((await delivered(beside('nowhere'))).code).not.toBe(0);
  expect((await delivered(beside('box'))).err).toContain('config-invalid');
  expect(existsSync(join(beside('elsewhere'), 'rpc'))).toBe(false);
  expect((await delivered(beside('loose'))).err).toContain('config-invalid');
  expect((await interlock(paths, 'agents', 'list')).out).toContain('No agent');

  const whole = await interlock(paths, 'rpc', 'install', dirname(paths.home));
  expect(whole.err).toContain('holds the home of Interlock');
  const inside = await interlock(paths, 'rpc', 'install', paths.home);
  expect(inside.err).toContain('lies in it');
});

test('units name each folder, with what systemd and launchd would take for theirs doubled', () => {
  const facts = { node: '/n/no de', cli: '/c/main.js', home: '/h/100%', path: '/usr/bin:/bin' };
  const template = (name: string): string =>
    readFileSync(join(root, 'assets', 'service', name), 'utf8');
  const folders = ['/srv/a b', '/srv/50%'];
  expect(
    pathUnitText(template('interlock-rpc.path'), folders).match(/^PathChanged=.*$/gmu),
  ).toEqual([
    'PathChanged=/srv/a b/.interlock/requests',
    'PathChanged=/srv/a b/.interlock/teardowns',
    'PathChanged=/srv/50%%/.interlock/requests',
    'PathChanged=/srv/50%%/.interlock/teardowns',
  ]);
  const service = drainUnitText(template('interlock-rpc.service'), facts);
  expect(service).toContain('ExecStart="/n/no de" "/c/main.js" "rpc" "drain"\n');
  expect(service).toContain('Environment="INTERLOCK_HOME=/h/100%%" "PATH=/usr/bin:/bin"\n');
  const plist = drainPlistText(template('app.interlock.rpc.plist'), facts, ['/srv/a&b']);
  expect(plist).toContain('<string>/srv/a&amp;b/.interlock/requests</string>');
  expect(plist).toContain('<key>INTERLOCK_HOME</key>\n    <string>/h/100%</string>');
  expect(plist).not.toContain('/path/to/shared');
});
