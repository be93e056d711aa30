import { spawn, spawnSync } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { makeSharedFolder } from '../../../../shared/home/shared-folder.ts';
import { readDescriptorText } from '../../../../shared/ipc/descriptors.ts';
import type { AnswerFile } from '../../../../shared/wire/descriptors.ts';
import { boundedSlice } from '../../../support/bounded-slice.ts';
import { makeHome, root, startRunnerProcess } from '../../service/support.ts';
import {
  answerTo,
  ask,
  configure,
  free,
  limits,
  responseFile,
  share,
  uid,
  wordOf,
} from './support.ts';
import type { Shared } from './support.ts';

/** All answers that are there, by id, as their text. */
function answersIn({ folder }: Pick<Shared, 'folder'>): ReadonlyMap<string, string> {
  const responses = join(folder, '.interlock', 'responses');
  return new Map(
    readdirSync(responses)
      .filter((name) => !name.startsWith('.'))
      .map((name) => [name.slice(0, -5), readFileSync(join(responses, name), 'utf8')]),
  );
}

const random = (seed: number): (() => number) => {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return state / 2 ** 32;
  };
};

test('requests of four agents, with the host killed again and again: each is answered once, and none runs twice', async () => {
  const all = boundedSlice(60, 10_000);
  const kills = boundedSlice(6, 200);
  const seed = Number(process.env['INTERLOCK_SEED'] ?? Date.now() % 100_000);
  const next = random(seed);
  const paths = await makeHome(free);
  const agents = ['one', 'two', 'three', 'four'];
  const rpc = { waiting: 10_000, staleMs: 3_600_000, keepMs: 86_400_000, concurrent: 4 };
  const shared = await share(paths, { agents, config: { limits } });
  configure(paths, { limits, rpc: { ...rpc, folders: [{ path: shared.folder }] } });
  const log = join(shared.folder, 'log');
  writeFileSync(log, '');
  const ids = Array.from({ length: all }, (_, at) => {
    const id = `00000000-0000-4000-8000-${String(at).padStart(12, '0')}`;
    ask(shared, { id, principal: agents[at % 4] ?? 'one', command: `echo ${id} >> ${log}` });
    return id;
  });
  const seen = new Map<string, string>();
  const look = (): number => {
    for (const [id, text] of answersIn(shared)) {
      const before = seen.get(id);
      if (before !== undefined && before !== text)
        throw new Error(`${id} was answered twice (seed ${String(seed)})`);
      seen.set(id, text);
    }
    return seen.size;
  };
  for (let kill = 0; kill < kills; kill += 1) {
    const runner = await startRunnerProcess(paths);
    const until = Math.min(all, seen.size + Math.floor((next() * all * 1.5) / kills));
    await expect
      .poll(look, { interval: 1 + Math.floor(next() * 20), timeout: 80_000 })
      .toBeGreaterThanOrEqual(until);
    await runner.kill('SIGKILL');
  }
  await startRunnerProcess(paths);
  await expect.poll(look, { timeout: 600_000 }).toBe(all);
  const runs = new Map<string, number>();
  for (const id of readFileSync(log, 'utf8').trimEnd().split('\n'))
    runs.set(id, (runs.get(id) ?? 0) + 1);
  const wrong = ids.filter((id) => {
    const word = wordOf(readDescriptorText(seen.get(id) ?? '') as unknown as AnswerFile);
    const times = runs.get(id) ?? 0;
    return word === 'exit 0' ? times !== 1 : word !== 'stale-on-recovery' || times > 1;
  });
  expect({ seed, wrong }).toEqual({ seed, wrong: [] });
  const journal = readFileSync(paths.rpcJournal, 'utf8');
  expect(ids.every((id) => journal.includes(id))).toBe(true);
  // Taken up and cut off are few: those that were under way when the host was killed.
  const stale = [...seen.values()].filter((text) => text.includes('stale-on-recovery')).length;
  expect(stale).toBeLessThanOrEqual(kills * rpc.concurrent);
}, 1_200_000);

// As who we are: root of a namespace would meet what root itself has left in /tmp.
const apart = uid === 0 ? ['-m'] : ['-Ucm', '--keep-caps'];
const noNamespaces = spawnSync('unshare', [...apart, 'true']).status !== 0;
if (noNamespaces)
  process.stderr.write('NOT TESTED: a full shared disk, because there are no namespaces\n');

test.skipIf(noNamespaces)(
  'a full shared disk delays an answer, and nothing runs twice for it',
  async () => {
    const paths = await makeHome(free);
    const disk = join(dirname(paths.home), 'disk');
    mkdirSync(disk);
    const shared = await share(paths);
    configure(paths, { limits, rpc: { folders: [{ path: disk }], pollMs: 100 } });
    const line = 'mount -t tmpfs -o size=128k,mode=700 tmpfs "$0" && exec "$@"';
    const child: ChildProcess = spawn(
      'unshare',
      [...apart, 'sh', '-c', line, disk, process.execPath, join(root, 'dist/runner/main.js')],
      { env: { PATH: process.env['PATH'] ?? '', INTERLOCK_HOME: paths.home }, stdio: 'ignore' },
    );
    const ended = new Promise((resolve) => child.once('close', resolve));
    onTestFinished(async () => {
      child.kill('SIGTERM');
      await ended;
    });
    // What the sandbox sees is what the runner sees, by the way of the kernel.
    const inside = `/proc/${String(child.pid)}/root${disk}`;
    await expect.poll(() => existsSync(paths.runnerSocket)).toBe(true);
    makeSharedFolder(inside, { owners: [uid], open: false });
    const there: Shared = { ...shared, folder: inside };
    const log = join(dirname(paths.home), 'log');
    const first = ask(there, { command: `echo x >> ${log}` });
    expect(wordOf(await answerTo(there, first['id']))).toBe('exit 0');
    // The disk fills up between the request and its answer.
    const go = join(dirname(paths.home), 'go');
    const second = ask(there, {
      command: `echo y >> ${log}; while [ ! -e ${go} ]; do sleep 0.02; done; head -c 20000 /dev/zero | tr '\\0' z`,
    });
    await expect.poll(() => readFileSync(log, 'utf8')).toBe('x\ny\n');
    const filler = join(inside, 'filler');
    try {
      for (;;) writeFileSync(filler, Buffer.alloc(4_096), { flag: 'a' });
    } catch (error) {
      expect((error as NodeJS.ErrnoException).code).toBe('ENOSPC');
    }
    writeFileSync(go, '');
    expect(() => ask(there, { command: 'true' })).toThrow(/ENOSPC/u);
    const warned = async (): Promise<boolean> => !existsSync(responseFile(there, second['id']));
    expect(await warned()).toBe(true);
    writeFileSync(filler, '');
    const answer = await answerTo(there, second['id']);
    expect([wordOf(answer), answer.stdout.length]).toEqual(['exit 0', 20_000]);
    expect(readFileSync(log, 'utf8')).toBe('x\ny\n');
    renameSync(filler, `${filler}-done`);
  },
);

/** A machine with nothing but its programs, and a home that another kind of sandbox has. */
const bare =
  '--unshare-all --die-with-parent --clearenv --proc /proc --dev /dev --ro-bind /usr /usr' +
  ' --symlink usr/bin /bin --symlink usr/lib /lib --symlink usr/lib64 /lib64' +
  ' --setenv HOME /sessions/box --setenv PATH /usr/bin';

const noBubblewrap =
  spawnSync('bwrap', ['--ro-bind', '/', '/', '--unshare-all', 'true']).status !== 0;
if (noBubblewrap)
  process.stderr.write(
    'NOT TESTED: a client in namespaces of its own, because bwrap does not run\n',
  );

test.skipIf(noBubblewrap)(
  'a client in namespaces of its own has a folder, a key, one file, and nothing else',
  async () => {
    const { issuePlace } = await import('./support.ts');
    const paths = await makeHome(free);
    const shared = await share(paths);
    const home = join(dirname(paths.home), 'box');
    mkdirSync(home);
    await issuePlace(shared, home);
    await startRunnerProcess(paths);
    const inside = async (
      ...words: readonly string[]
    ): Promise<{ code: number | null; out: string }> => {
      const child = spawn(
        'bwrap',
        [
          ...bare.split(' '),
          '--ro-bind',
          process.execPath,
          '/opt/node',
          '--ro-bind',
          join(root, 'dist/rpc/interlock.cjs'),
          '/opt/interlock',
          '--bind',
          home,
          '/sessions/box',
          '--bind',
          shared.folder,
          '/work',
          '--chdir',
          '/work',
          '/opt/node',
          '/opt/interlock',
          ...words,
        ],
        { stdio: ['ignore', 'pipe', 'pipe'] },
      );
      let out = '';
      for (const stream of [child.stdout, child.stderr])
        stream.setEncoding('utf8').on('data', (text: string) => (out += text));
      return new Promise((resolve) => child.once('close', (code) => resolve({ code, out })));
    };
    expect(await inside('rpc', 'detect')).toEqual({
      code: 0,
      out: 'a sandbox: HOME is below /sessions/\n',
    });
    expect(await inside('run', '--', 'pwd')).toEqual({ code: 0, out: `${shared.folder}\n` });
    expect((await inside('run', '-c', 'hostname > host; exit 4')).code).toBe(4);
    expect(existsSync(join(shared.folder, 'host'))).toBe(true);
  },
);
