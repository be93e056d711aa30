import { chmodSync, existsSync, lstatSync, mkdirSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { ConfigStore } from '../../../runner/service/policy-store.ts';
import { createSharedAccess } from '../../../runner/service/shared-access.ts';
import { completed } from '../../../shared/engine/config-schema.ts';
import type { ConfigFile } from '../../../shared/engine/config.ts';
import { refuse } from '../../../shared/base/refusal.ts';
import { temporaryFolder } from '../hosts/support.ts';
import { call } from '../ingress/support.ts';
import { fakeClock } from '../../support/fake-clock.ts';

const gid = process.getegid?.() ?? -1;
const me = process.geteuid?.() ?? -1;

/** The door of a runner whose user is somebody else, so that this process is the guest. */
function setUp() {
  const folder = temporaryFolder();
  const at = (name: string): string => {
    mkdirSync(join(folder, name), { mode: 0o700, recursive: true });
    return join(folder, name, 's');
  };
  let file: ConfigFile | null = { version: 1 };
  const problem = refuse('config-invalid', 'It is broken.', 'Mend it.').refusal;
  const config: ConfigStore = {
    current: () => {
      if (file === null) throw new Error('It is broken.');
      return completed(file);
    },
    problem: () => (file === null ? problem : null),
  };
  const server = createServer((_request, response) => response.end('{"in":true}'));
  const notes: string[] = [];
  const log: string[] = [];
  const clock = fakeClock();
  const access = createSharedAccess({
    config,
    server,
    uid: me,
    clock,
    log: {
      info: () => {},
      warn: (text) => log.push(text),
      error: (text) => log.push(text),
    },
    note: (code) => notes.push(code),
    credentials: () => ({ uid: guest, pid: null }),
  });
  onTestFinished(async () => {
    server.closeAllConnections();
    await access.dispose();
  });
  return { at, access, notes, log, clock, say: (next: ConfigFile | null) => (file = next) };
}

const guest = 4_000_001;
const users = [{ uid: guest, agents: ['*'] }];
const statusAt = async (path: string): Promise<number> => (await call(path, '/')).status;
const open = (path: string) =>
  ({ version: 1, users, service: { sharedSocket: { path, gid } } }) as const;

test('there is no door where the settings have none, and it moves when they say so', async () => {
  const { at, access, say } = setUp();
  const [first, second] = [at('a'), at('b')];
  await access.apply();
  expect(existsSync(first)).toBe(false);
  say(open(first));
  await access.apply();
  expect(await statusAt(first)).toBe(200);
  say(open(second));
  await access.apply();
  expect(existsSync(first)).toBe(false);
  expect(await statusAt(second)).toBe(200);
});

test('a reload gives the door back to its group after systemd took it, and makes a lost one anew', async () => {
  const { at, access, say } = setUp();
  const path = at('a');
  say(open(path));
  await access.apply();
  const modes = (): readonly number[] =>
    [join(path, '..'), path].map((each) => lstatSync(each).mode & 0o777);
  chmodSync(path, 0o600);
  chmodSync(join(path, '..'), 0o700);
  await access.apply();
  expect(modes()).toEqual([0o750, 0o660]);
  rmSync(path);
  await access.apply();
  expect(modes()).toEqual([0o750, 0o660]);
  expect(await statusAt(path)).toBe(200);
});

test('who may come is looked up at each knock, and nobody may while the settings are broken', async () => {
  const { at, access, say } = setUp();
  const path = at('a');
  say(open(path));
  await access.apply();
  expect(await statusAt(path)).toBe(200);
  say({ ...open(path), users: [] });
  expect(await statusAt(path)).toBe(403);
  say(null);
  expect(await statusAt(path)).toBe(403);
  say(open(path));
  expect(await statusAt(path)).toBe(200);
});

test('a stranger is told of once a minute, in the log and in the record', async () => {
  const { at, access, say, notes, clock } = setUp();
  const path = at('a');
  say({ ...open(path), users: [] });
  await access.apply();
  for (let knock = 0; knock < 5; knock += 1) await statusAt(path);
  expect(notes).toEqual(['stranger-refused']);
  clock.advance(60_000);
  await statusAt(path);
  expect(notes).toHaveLength(2);
});

test('a door that cannot be opened stays shut, is told, and takes nothing else along', async () => {
  const { access, say, log } = setUp();
  say(open('/nonexistent/folder/s'));
  await access.apply();
  expect(log).toEqual(['The door for other users could not be opened']);
});
