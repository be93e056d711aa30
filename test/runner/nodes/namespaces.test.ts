import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ownUid } from '../../../shared/home/index.ts';
import type { HomePaths } from '../../../shared/home/index.ts';
import type { NodesBody } from '../../../shared/wire/index.ts';
import { readAccess } from '../../../runner/fleet/files.ts';
import type { Fleet } from '../../../runner/fleet/files.ts';
import { createFleet, newAccess, serverConfig } from '../../../runner/fleet/keys.ts';
import { connectFleet, openNodeStream } from '../../../runner/fleet/streams.ts';
import { dial, dialThrough } from '../../../runner/nodes/dial.ts';
import { joinAs, natsServer } from '../../support/nats-server.ts';
import { hasNatsServer } from '../../support/servers.ts';
import {
  call,
  configure,
  dialling,
  interlock,
  pairBy,
  rowsOf,
  until,
} from '../../support/two-machines.ts';
import { auditRows, endOf, exec, makeHome, root, startRunnerProcess } from '../service/support.ts';
import type { Process } from '../service/support.ts';

/**
 * A gateway and five nodes on machines of their own as far as the kernel makes them. Their lines lose a
 * twentieth of what comes, delay, reorder and repeat the rest, are narrow, halved and cut; their clocks
 * are minutes apart and set meanwhile (with libfaketime); each process is killed again and again, and
 * nats-server loses its store each time. As root, and by a flag: it makes namespaces, and takes minutes.
 */
const isWanted = process.env['INTERLOCK_NAMESPACES'] === '1' && ownUid() === 0;

const count = 5;
const [net, port] = ['10.117.0', 7433];
const gatewayHost = `${net}.1`;
const hostAddress = `${net}.254`;
const tagOf = (pid: number): string => `il${String(pid)}`;
const tag = tagOf(process.pid);
const spaceOf = (at: number): string => `${tag}n${String(at)}`;
const lineOf = (at: number): string => `${tag}v${String(at)}`;
const run = (...words: readonly string[]): void =>
  void execFileSync(words[0] ?? '', words.slice(1), { stdio: 'pipe' });
const within = (at: number): readonly string[] => ['ip', 'netns', 'exec', spaceOf(at)];

/** Takes away what runs of this test have left that were killed: namespaces with what runs there, bridges. */
function sweep(): void {
  const left = (folder: string, name: RegExp): readonly string[] =>
    existsSync(folder)
      ? readdirSync(folder).filter((each) => {
          const pid = name.exec(each)?.[1];
          return pid !== undefined && !existsSync(`/proc/${pid}`);
        })
      : [];
  for (const space of left('/run/netns', /^il(\d+)n\d$/u)) {
    const pids = execFileSync('ip', ['netns', 'pids', space], { encoding: 'utf8' });
    for (const pid of pids.split('\n').filter((each) => each !== ''))
      process.kill(Number(pid), 'SIGKILL');
    run('ip', 'netns', 'del', space);
  }
  for (const link of left('/sys/class/net', /^il(\d+)(?:br|v\d)$/u)) run('ip', 'link', 'del', link);
}

/** A wire to a namespace, which treats what goes through badly as it is told. */
interface Wire {
  readonly say: (words: string) => void;
  /** Ends it. What it has done to frames. */
  readonly end: () => Promise<Readonly<Record<string, number>>>;
}

async function startWire(program: string, at: number): Promise<Wire> {
  const child = spawn(program, [lineOf(at), spaceOf(at), 'eth0', String(at)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const said: string[] = [];
  child.stdout.setEncoding('utf8').on('data', (text: string) => void said.push(text));
  await until(() => said.join('').includes('ready'), 'the wire is there');
  return {
    say: (words) => void child.stdin.write(`${words}\n`),
    end: async () => {
      const gone = once(child, 'close');
      child.stdin.end();
      await gone;
      return JSON.parse(said.join('').replace('ready', '')) as Record<string, number>;
    },
  };
}

/** Namespace 0 is the gateway's; all hang on one bridge, on which this process is, too. */
async function layWires(folder: string): Promise<readonly Wire[]> {
  sweep();
  const program = join(folder, 'bad-wire');
  run('cc', '-O2', '-o', program, join(root, 'test/support/bad-wire.c'));
  const bridge = `${tag}br`;
  run('ip', 'link', 'add', bridge, 'type', 'bridge');
  onTestFinished(() => run('ip', 'link', 'del', bridge));
  run('ip', 'addr', 'add', `${hostAddress}/24`, 'dev', bridge);
  run('ip', 'link', 'set', bridge, 'up');
  const wires: Wire[] = [];
  for (let at = 0; at <= count; at += 1) {
    run('ip', 'netns', 'add', spaceOf(at));
    onTestFinished(() => run('ip', 'netns', 'del', spaceOf(at)));
    wires.push(await startWire(program, at));
    run('ip', 'link', 'set', lineOf(at), 'master', bridge, 'up');
    run(...within(at), 'ip', 'addr', 'add', `${net}.${String(at + 1)}/24`, 'dev', 'eth0');
    for (const each of ['lo', 'eth0']) run(...within(at), 'ip', 'link', 'set', each, 'up');
  }
  return wires;
}

/** Of a line each way: late by as much as that, and so in another order; a twentieth is lost, some comes twice. */
const bad = ['delay 5 60', 'loss 50', 'twice 20', 'rate 1000'];

/** How far the clock of a machine is from this one's, as libfaketime takes it; monotonic time is left alone. */
const fakeTime = '/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1';
const hasFakeTime = existsSync(fakeTime);

/** Clocks of machines that are minutes apart, and are set while they run. Where there is no libfaketime, none. */
function clocksIn(folder: string) {
  const fileOf = (at: number): string => join(folder, `clock-${String(at)}`);
  const set = (at: number, minutes: number): void =>
    writeFileSync(fileOf(at), `${minutes < 0 ? '' : '+'}${String(minutes)}m`);
  const envOf = (at: number): Readonly<Record<string, string>> =>
    hasFakeTime
      ? {
          LD_PRELOAD: fakeTime,
          FAKETIME_TIMESTAMP_FILE: fileOf(at),
          FAKETIME_NO_CACHE: '1',
          FAKETIME_DONT_FAKE_MONOTONIC: '1',
          NO_FAKE_STAT: '1',
        }
      : {};
  return { set, envOf };
}

/** The gateway, the five nodes, and the further gateway; nats-server has the time of this machine. */
const apart = [7, -9, 0, 31, -2, -45, 12] as const;

/** What kills and starts again, and how the machines are paired. */
interface World {
  readonly desk: HomePaths;
  readonly builds: readonly HomePaths[];
  readonly killServer: () => Promise<void>;
  readonly pair: (at: number) => Promise<void>;
  /** The gateway goes for good, by that: where there is another one, that has to account for its runs. */
  readonly gone: (kill: () => unknown, env: Readonly<Record<string, string>>) => Promise<void>;
}

async function overPort(desk: HomePaths, builds: readonly HomePaths[]): Promise<World> {
  configure(desk, {
    nodes: { listen: `${gatewayHost}:${String(port)}` },
    exec: { host: 'node' },
  });
  const where = { host: gatewayHost, port };
  const pair = async (at: number): Promise<void> =>
    pairBy(await dial({ ...where, ...dialling }), {
      desk,
      build: builds[at - 1] ?? desk,
      where,
      name: `node-${String(at)}`,
    });
  const nothing = async (): Promise<void> => Promise.resolve();
  return Promise.resolve({ desk, builds, pair, killServer: nothing, gone: nothing });
}

async function overNats(desk: HomePaths, builds: readonly HomePaths[]): Promise<World> {
  configure(desk, { exec: { host: 'node' } });
  const [key, certificate] = ['key.pem', 'cert.pem'].map((each) => join(desk.home, '..', each)) as [
    string,
    string,
  ];
  const name = ['-subj', '/CN=nats', '-addext', `subjectAltName=IP:${hostAddress}`];
  const made = ['-newkey', 'rsa:2048', '-nodes', '-days', '2', '-keyout', key, '-out', certificate];
  // A certificate has dates, by which a machine whose clock is behind it would stay away.
  const yesterday = hasFakeTime ? [`LD_PRELOAD=${fakeTime}`, 'FAKETIME=-1d'] : [];
  run('env', ...yesterday, 'openssl', 'req', '-x509', ...made, ...name);
  const [uid, now] = [ownUid(), Date.now()];
  const servers = [`tls://${hostAddress}:4333`];
  const ca = readFileSync(certificate, 'utf8');
  const fleet = createFleet(desk.fleet, { uid, name: 'test', now, servers, ca });
  const config = serverConfig(fleet)
    .replace('/etc/nats/server.pem', certificate)
    .replace('/etc/nats/server-key.pem', key);
  const server = await natsServer(config);
  const pair = async (at: number): Promise<void> => {
    const build = builds[at - 1] ?? desk;
    const file = join(build.home, 'node.fleet.json');
    writeFileSync(file, newAccess(fleet, { name: `node-${String(at)}`, now }).text, {
      mode: 0o600,
    });
    const access = readAccess(file, uid);
    const stream = await openNodeStream(await connectFleet(access), access);
    const dialled = await dialThrough({ ...dialling, stream });
    const where = { via: 'nats', access } as const;
    await pairBy(dialled, { desk, build, where, name: `node-${String(at)}` });
  };
  const killServer = async (): Promise<void> => {
    await server.kill();
    server.forget();
    await server.start();
  };
  const gone: World['gone'] = async (kill, env) =>
    takeOver({ desk, fleet, build: builds[0] ?? desk, kill, env });
  return { desk, builds, pair, killServer, gone };
}

interface Losing {
  readonly desk: HomePaths;
  readonly fleet: Fleet;
  readonly build: HomePaths;
  readonly kill: () => unknown;
  readonly env: Readonly<Record<string, string>>;
}

/** A further gateway comes, the first is killed in the middle of a run, and the further one accounts for it. */
async function takeOver({ desk, fleet, build, kill, env }: Losing): Promise<void> {
  const spare = await makeHome({ security: 'full', ask: 'off' });
  configure(spare, { limits, exec: { host: 'node' } });
  await joinAs({ paths: desk }, fleet, { paths: spare }, 'spare');
  const runner = await startRunnerProcess(spare, undefined, env);
  const areThere = async (): Promise<boolean> =>
    (await bodyOf(spare)).nodes.filter(({ online }) => online).length === count;
  await until(areThere, 'all nodes are at the further gateway, too');
  const mark = join(build.home, '..', 'last');
  const request = { cwd: '/', node: 'node-1' };
  const command = `echo begun >> ${mark}; sleep 10; echo ended >> ${mark}`;
  const asked = exec(desk, { ...request, command }).done.catch(() => []);
  await until(() => existsSync(mark), 'it has begun');
  await kill();
  await asked;
  const told = (): readonly string[] =>
    auditRows(spare).flatMap((row) =>
      row.type === 'note' && row.code === 'node-run-of-other' ? row.text : [],
    );
  const accounted = async (): Promise<boolean> =>
    Promise.resolve(told().some((text) => text.includes('ran (0)')));
  await until(accounted, 'the further gateway has it in its record', 200_000);
  expect(readFileSync(mark, 'utf8')).toBe('begun\nended\n');
  // It goes on having commands run there, by itself.
  expect(endOf(await exec(spare, { ...request, command: 'true' }).done)).toBe('exit 0');
  expect(interlock(spare, 'audit', 'verify')).toMatch(/rows/u);
  process.stdout.write(`${told().at(-1) ?? ''}\n`);
  await runner.kill('SIGTERM');
}

/** So that it is the lines and the kills that hold runs back. */
const limits = {
  requestsPerMinute: 100_000,
  burst: 10_000,
  requestsPerMinuteInAll: 100_000,
  burstInAll: 10_000,
};

const bodyOf = async (desk: HomePaths): Promise<NodesBody> => call<NodesBody>(desk, '/v1/nodes');
const pause = async (ms: number): Promise<void> =>
  new Promise((resolve) => void setTimeout(resolve, ms));

describe.skipIf(!isWanted)('a gateway and five nodes in network namespaces', () => {
  it('take away what a run has left that was killed, and nothing of one that runs', async () => {
    const killed = spawn('true');
    await once(killed, 'exit');
    const [gone, there] = [tagOf(killed.pid ?? 0), tag];
    onTestFinished(() => run('ip', 'netns', 'del', `${there}n9`));
    for (const one of [gone, there]) run('ip', 'netns', 'add', `${one}n9`);
    run('ip', 'link', 'add', `${gone}br`, 'type', 'bridge');
    const left = spawn('ip', ['netns', 'exec', `${gone}n9`, 'sleep', '600'], { stdio: 'ignore' });
    const ended = once(left, 'exit');
    await until(
      () => execFileSync('ip', ['netns', 'pids', `${gone}n9`]).length > 0,
      'something runs there',
    );
    sweep();
    await ended;
    expect(readdirSync('/run/netns').filter((name) => name.endsWith('n9'))).toEqual([`${there}n9`]);
    expect(existsSync(`/sys/class/net/${gone}br`)).toBe(false);
  });

  it.each([
    ['WebSocket', overPort, true],
    ['NATS', overNats, hasNatsServer],
  ] as const)(
    'over %s run each command at most once, and account for it on both sides',
    async (_name, over, isThere) => {
      if (!isThere) return;
      const desk = await makeHome({ security: 'full', ask: 'off' });
      const builds = await Promise.all(
        Array.from({ length: count }, async () => makeHome({ security: 'full', ask: 'off' })),
      );
      const wires = await layWires(join(desk.home, '..'));
      for (const build of builds) configure(build, { limits, exec: { host: 'gateway' } });
      configure(desk, { limits });
      const world = await over(desk, builds);
      const processes: Process[] = [];
      const clocks = clocksIn(join(desk.home, '..'));
      for (const [at, minutes] of apart.entries()) clocks.set(at, minutes);
      const start = async (at: number): Promise<void> => {
        const paths = at === 0 ? desk : (builds[at - 1] ?? desk);
        processes[at] = await startRunnerProcess(paths, undefined, clocks.envOf(at), within(at));
      };
      await start(0);
      await expect.poll(async () => (await bodyOf(desk)).problem).toBeNull();
      for (let at = 1; at <= count; at += 1) {
        await world.pair(at);
        await start(at);
      }
      const allThere = async (): Promise<boolean> =>
        (await bodyOf(desk)).nodes.filter(({ online }) => online).length === count;
      await until(allThere, 'all nodes are there');
      for (const wire of wires.slice(1)) for (const words of bad) wire.say(words);

      const marks = join(desk.home, '..', 'marks');
      mkdirSync(marks);
      const mark = (at: number): string => join(marks, String(at));
      for (let at = 1; at <= count; at += 1) writeFileSync(mark(at), '');
      const ends = new Map<string, string>();
      const stop = new AbortController();
      let next = 0;
      const caller = async (): Promise<void> => {
        while (!stop.signal.aborted) {
          next += 1;
          const [id, at] = [`r${String(next)}`, (next % count) + 1];
          const command = `echo ${id} >> ${mark(at)}; sleep 0.2`;
          const request = { command, cwd: '/', node: `node-${String(at)}` };
          const events = await exec(desk, request).done.catch(() => []);
          ends.set(id, endOf(events));
          await pause(100);
        }
      };
      const callers = Array.from({ length: 4 }, caller);
      const strokes: readonly (() => Promise<void>)[] = [
        ...[1, 3].map((at) => async () => {
          wires[at]?.say('cut 1');
          await pause(4_000);
          wires[at]?.say('cut 0');
        }),
        ...[0, 2, 3].map((at) => async () => {
          // Set by its person in the middle of what runs, once this way and once that.
          clocks.set(at, -(apart[at] ?? 0) + 20 * (at - 1));
          await pause(1_000);
        }),
        async () => {
          wires[5]?.say('rate 500');
          await pause(4_000);
          wires[5]?.say('rate 1000');
        },
        ...[2, 4, 0].map((at) => async () => {
          await processes[at]?.kill('SIGKILL');
          await start(at);
        }),
        world.killServer,
      ];
      for (let round = 0; round < 3; round += 1)
        for (const stroke of strokes) {
          await pause(2_000);
          await stroke();
        }
      await until(allThere, 'all nodes are there again');
      await pause(5_000);
      stop.abort();
      await Promise.all(callers);
      const homes = [desk, ...builds];
      const unaccounted = (): readonly string[] =>
        homes.flatMap((home) => {
          const { decisions, outcomes } = rowsOf(home);
          const known = new Set(outcomes.map(({ id }) => id));
          return decisions.flatMap(({ id, decision }) =>
            decision === 'allow' && !known.has(id) ? [`${home.home} ${id}`] : [],
          );
        });
      await until(() => unaccounted().length === 0, 'all is accounted for');

      const begun = [1, 2, 3, 4, 5].flatMap((at) =>
        readFileSync(mark(at), 'utf8')
          .split('\n')
          .filter((line) => line !== ''),
      );
      expect(new Set(begun).size).toBe(begun.length);
      const done = [...ends].flatMap(([id, end]) => (end === 'exit 0' ? [id] : []));
      expect(done.filter((id) => !begun.includes(id))).toEqual([]);
      expect(done.length).toBeGreaterThan(20);
      for (const home of homes) expect(interlock(home, 'audit', 'verify')).toMatch(/rows/u);
      const counted = new Map<string, number>();
      for (const end of ends.values()) counted.set(end, (counted.get(end) ?? 0) + 1);
      const seen = [...counted].map(([end, times]) => `${end}: ${String(times)}`);
      process.stdout.write(
        `${String(begun.length)} began, asked ${String(ends.size)}; ${seen.join(', ')}\n`,
      );
      await world.gone(() => processes[0]?.kill('SIGKILL'), clocks.envOf(apart.length - 1));
      for (const each of processes) await each.kill('SIGTERM');
      const spoilt = await Promise.all(wires.slice(1).map(async (wire) => wire.end()));
      for (const fault of ['lost', 'twice', 'overtaken'])
        expect(spoilt.every((each) => (each[fault] ?? 0) > 0)).toBe(true);
      process.stdout.write(`${spoilt.map((each) => JSON.stringify(each)).join('\n')}\n`);
    },
    600_000,
  );
});
