import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { checkFleet } from '../../../runner/fleet/files.ts';
import { cli, temporaryHome } from './support.ts';

const server = ['--server', 'nats://127.0.0.1:9'];

function machine() {
  const { home, folder, remove } = temporaryHome();
  onTestFinished(remove);
  mkdirSync(join(home, 'keys'), { recursive: true, mode: 0o700 });
  const run = async (...args: readonly string[]) =>
    cli({ home, cwd: folder, now: () => 1_700_000_000_000 }, 'fleet', ...args);
  return { run, home, folder };
}

it('makes a fleet once, and prints settings without a secret', async () => {
  const { run, home } = machine();
  expect(await run('add', 'build')).toMatchObject({
    exitCode: 125,
    err: expect.stringContaining('gateway of no fleet') as string,
  });
  const { out, exitCode } = await run('init', ...server, '--name', 'home');
  expect(exitCode).toBe(0);
  expect(out).toContain('resolver { type: full');
  const kept = checkFleet(JSON.parse(readFileSync(join(home, 'keys', 'fleet.json'), 'utf8')));
  if (!kept.ok) throw new Error(kept.error);
  const { operatorSeed, accountSeed, gateway, registrar } = kept.value;
  const users = [gateway.seed, gateway.jwt, registrar.seed, registrar.jwt];
  for (const secret of [operatorSeed, accountSeed, ...users]) expect(out).not.toContain(secret);
  expect(await run('init', ...server)).toMatchObject({
    exitCode: 126,
    err: expect.stringContaining('gateway of a fleet already') as string,
  });
});

it('writes the file of a machine for its owner alone, over no other, and prints nothing of it', async () => {
  const { run, folder } = machine();
  await run('init', ...server);
  const { out } = await run('add', 'build', '--json');
  const { file, user } = JSON.parse(out) as { readonly file: string; readonly user: string };
  expect(file).toBe(join(folder, 'build.fleet.json'));
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const made = JSON.parse(readFileSync(file, 'utf8')) as Readonly<Record<string, string>>;
  expect(made).toMatchObject({ user, servers: ['nats://127.0.0.1:9'] });
  expect(out).not.toContain(made['seed']);
  const before = readFileSync(file, 'utf8');
  expect(await run('add', 'build')).toMatchObject({ exitCode: 125 });
  expect(readFileSync(file, 'utf8')).toBe(before);
  expect(await run('add', '../build')).toMatchObject({ exitCode: 125 });
});

it('takes a person to push bounds and to end a lockout, and a server for either', async () => {
  const { run, folder } = machine();
  await run('init', ...server);
  const path = join(folder, 'bounds.json');
  writeFileSync(path, '{"version":1}');
  for (const words of [
    ['policy', 'push', path],
    ['lockout', '--end'],
  ])
    expect(await run(...words)).toMatchObject({
      exitCode: 125,
      err: expect.stringContaining('Only a person at a terminal') as string,
    });
  const { exitCode, err } = await run('lockout', '--reason', 'x');
  expect([exitCode, err]).toEqual([125, expect.stringContaining('nats-server')]);
});

it('says that nats-server is not there', async () => {
  const { run } = machine();
  await run('init', ...server);
  const { out, exitCode } = await run('status', '--json');
  expect(exitCode).toBe(1);
  expect(JSON.parse(out)).toMatchObject({
    name: 'fleet',
    problem: expect.stringContaining('nats-server') as string,
  });
});
