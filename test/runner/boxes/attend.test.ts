import { openSync } from 'node:fs';
import { createServer } from 'node:net';
import type { Server } from 'node:net';
import { tmpdir } from 'node:os';
import { expect, onTestFinished, test } from 'vitest';
import { attendBoxes } from '../../../runner/boxes/attend.ts';
import type { BoxNetwork } from '../../../runner/hosts/sandbox/launch.ts';
import type { BoxRecord } from '../../../runner/boxes/record.ts';
import { agentOfBox, defaultConfig, egressFor } from '../../../shared/engine/index.ts';
import { fakeClock } from '../../support/fake-clock.ts';
import { rig, serving, talk, tunnelled } from '../egress/harness.ts';

function record(name: string, more: Partial<BoxRecord> = {}): BoxRecord {
  return {
    version: 1,
    name,
    templateName: 'mine',
    template: { description: 'x', agents: [], egress: { allow: ['a.example'] } },
    network: 'restricted',
    workspace: { kind: 'directory', path: '/w' },
    createdAt: 0,
    startedAt: 0,
    keeper: { pid: 2, startTicks: '1', bootId: '00000000-0000-0000-0000-000000000000' },
    groups: [],
    nested: null,
    journal: null,
    ...more,
  };
}

/** An attendant over records in memory; listeners are not used, so any descriptor will do. */
function attend(
  begin: readonly BoxRecord[],
  doorFolder = '/nowhere',
  way: Partial<Pick<BoxNetwork, 'listens' | 'close'>> = {},
) {
  let all = begin;
  const opened: string[] = [];
  const closed: string[] = [];
  const doors: string[] = [];
  const fresh: (readonly [string, number | null])[] = [];
  const locked = new Set<string>();
  let recheck = 0;
  const attendant = attendBoxes({
    directory: '/nowhere',
    uid: 0,
    clock: fakeClock(),
    open: async ({ agent, session }) => {
      opened.push(`${agent} ${String(session)}`);
      return Promise.resolve({
        port: 3128,
        variables: {},
        entries: [],
        listens: (server: Server) => {
          // What it would listen on is not there.
          server.listen = () => server;
        },
        close: () => void closed.push(agent),
        ...way,
      });
    },
    door: async ({ name, keeper }) => {
      doors.push(`${name} ${String(keeper)} opened`);
      return Promise.resolve(() => void doors.push(`${name} ${String(keeper)} closed`));
    },
    warn: (text) => {
      throw new Error(text);
    },
    changed: () => (recheck += 1),
    looked: () => undefined,
    fresh: (name, since) => void fresh.push([name, since]),
    records: {
      names: () => all.map(({ name }) => name),
      read: (name) => all.find((one) => one.name === name) ?? null,
      doorOf: () => doorFolder,
    },
    runtime: {
      listener: () => openSync('/dev/null', 'r'),
      runs: (_name, keeper) => keeper !== null,
    },
    locks: { of: (name) => (locked.has(name) ? { reason: null } : null) },
  });
  onTestFinished(() => attendant.dispose());
  const now = async (records: readonly BoxRecord[]): Promise<void> => {
    all = records;
    attendant.look();
    await new Promise(setImmediate);
  };
  return { attendant, opened, closed, doors, fresh, locked, now, rechecks: () => recheck };
}

test('each box that runs has its way out once, as an agent of its own', async () => {
  const { opened, now } = attend([
    record('a'),
    record('b', { keeper: null }),
    record('c', { network: 'full' }),
  ]);
  await now([record('a')]);
  expect(opened).toEqual(['box-a a']);
});

test('a box that began anew has a new way out, and one that ended has none', async () => {
  const { opened, closed, now } = attend([record('a')]);
  await now([record('a')]);
  await now([
    record('a', {
      keeper: { pid: 3, startTicks: '2', bootId: '00000000-0000-0000-0000-000000000000' },
    }),
  ]);
  expect([opened.length, closed]).toEqual([2, ['box-a']]);
  await now([]);
  expect(closed).toEqual(['box-a', 'box-a']);
});

test('what was granted to a box ends with it, whatever the clock says, and with no look of one that stays', async () => {
  const { fresh, now } = attend([record('a', { createdAt: 7 }), record('b', { createdAt: 8 })]);
  // A runner that starts has grants of the last one, perhaps to these very boxes.
  expect(fresh.splice(0)).toEqual([
    ['a', 7],
    ['b', 8],
  ]);
  await now([record('a', { createdAt: 7, keeper: null }), record('b', { createdAt: 8 })]);
  expect(fresh).toEqual([]);
  // Ended and made anew between two looks, and the clock was set back.
  await now([record('a', { createdAt: 3 })]);
  expect(fresh.splice(0)).toEqual([
    ['a', null],
    ['b', null],
  ]);
  await now([record('a', { createdAt: 3 }), record('b', { createdAt: 9 })]);
  expect(fresh).toEqual([['b', null]]);
});

test('a box with a step in the middle has none', () => {
  const { opened } = attend([record('a', { journal: { operation: 'down', begun: [] } })]);
  expect(opened).toEqual([]);
});

test('its policy is that of its template from the moment that it is there, and no longer', async () => {
  const { attendant, now, rechecks } = attend([record('a')]);
  const hosts = (): readonly unknown[] =>
    egressFor(attendant.withBoxes(defaultConfig), agentOfBox('a')).allow;
  expect(hosts()).toEqual(['a.example']);
  expect(attendant.withBoxes(defaultConfig)).toBe(attendant.withBoxes(defaultConfig));
  await now([]);
  expect(hosts()).toEqual(defaultConfig.egress.allow);
  expect(rechecks()).toBe(2);
});

test('the door of a box is open while it runs, whatever its network is, and is another at its next start', async () => {
  const { doors, now } = attend([record('a', { network: 'full' })], tmpdir());
  await now([record('a', { network: 'none' })]);
  expect(doors).toEqual(['a 2 opened']);
  const bootId = '00000000-0000-0000-0000-000000000000';
  await now([record('a', { keeper: { pid: 3, startTicks: '2', bootId } })]);
  expect(doors.slice(1).toSorted()).toEqual(['a 2 closed', 'a 3 opened']);
  await now([]);
  expect(doors[3]).toBe('a 3 closed');
});

test('a box that a person has locked has no way out, from that moment on', async () => {
  const { opened, closed, locked, now } = attend([record('a'), record('b')]);
  locked.add('a');
  await now([record('a'), record('b')]);
  expect([opened, closed]).toEqual([['box-a a', 'box-b b'], ['box-a']]);
  locked.delete('a');
  await now([record('a'), record('b')]);
  expect(opened).toEqual(['box-a a', 'box-b b', 'box-a a']);
});

test('a tunnel that is open is closed when the network of its box is tightened, and one opens again when it is not', async () => {
  const one = await rig({ allow: ['up.example'] });
  one.servers.set('8.8.8.8:443', await serving(createServer((socket) => socket.pipe(socket))));
  let current: Server | null = null;
  const { now } = attend([record('a')], '/nowhere', {
    listens: (server) => {
      server.listen = () => server;
      const who = { agent: 'box-a', session: 'a', box: 'box-a', cwd: '/w' };
      server.on('connection', (socket) => one.proxy.serve(socket, who));
      current = server;
    },
    close: () => {
      current = null;
      one.proxy.endBox('box-a');
    },
  });
  const inside = createServer({ allowHalfOpen: true }, (socket) => {
    if (current === null) socket.destroy();
    else current.emit('connection', socket);
  });
  const port = await serving(inside);
  await now([record('a')]);
  const tunnel = await tunnelled(port, 'up.example:443');
  tunnel.socket.write('still here');
  await tunnel.until('still here');
  await now([record('a', { network: 'none' })]);
  await tunnel.all;
  expect(one.proxy.open()).toBe(0);
  await talk(port, 'CONNECT up.example:443 HTTP/1.1\r\n\r\n').all;
  expect(one.dialled).toHaveLength(1);
  await now([record('a')]);
  expect((await tunnelled(port, 'up.example:443')).said).toMatch(/^HTTP\/1\.1 200 /u);
});
