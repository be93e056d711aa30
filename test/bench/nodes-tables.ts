import { measureFleet, needsOf } from './fleet.bench.ts';
import { measureNodes } from './nodes.bench.ts';
import type { Figures, Measured } from './report.ts';

/** Runs on other machines, in one fan and one at a time. A sentence where nats-server or sshd is missing. */
export async function nodeFigures(dist: string): Promise<readonly Figures[] | string> {
  const measured = await measureNodes(dist, { runs: 1_000, atOnce: 32, rounds: 40 });
  if (measured === null) return 'runs on nodes, because there is no nats-server or no sshd here.';
  const { fanOut, latency } = measured;
  const here = fanOut[0]?.perSecond ?? NaN;
  const ssh = latency.find(({ way }) => way.startsWith('ssh, a connection'))?.addedMs ?? NaN;
  return [
    {
      id: 'fan-out',
      columns: [
        '1,000 runs of true, 32 at once',
        'a second',
        'against this machine',
        'median',
        'p99',
        'gateway, each',
      ],
      rows: fanOut.map(({ where, perSecond, medianMs, p99Ms, gatewayMicros }): Measured => {
        const rate = [perSecond.toFixed(0), times(perSecond / here)];
        const waited = [millis(medianMs), millis(p99Ms)];
        const cells = [...rate, ...waited, `${gatewayMicros.toFixed(0)} µs`];
        return { name: where, cells, bar: perSecond };
      }),
      unit: 'a second',
      note: 'Gateway and nodes share the processors of one machine here, so that five nodes can be no faster than one.',
    },
    {
      id: 'node-latency',
      columns: ['one run of true', 'median', 'added', 'against what SSH adds'],
      rows: latency.map(({ way, ms, addedMs }): Measured => {
        const added = addedMs > 0 ? [`+${millis(addedMs)}`, times(addedMs / ssh)] : ['', ''];
        return { name: way, cells: [millis(ms), ...added], bar: ms };
      }),
      unit: 'ms',
      note: 'What a node adds is beyond a run through the gate of this machine; what SSH adds is beyond the program by itself.',
    },
  ];
}

/** What 500 nodes at one nats-server cost, and 100,000 would. */
export async function fleetFigures(dist: string): Promise<readonly Figures[] | string> {
  const measured = await measureFleet(dist, 500);
  if (measured === null) return 'fleets, because there is no nats-server here.';
  const { nodes, fleet, gateway, connectedMs, connecting, idle, hour } = measured;
  const count = nodes.toLocaleString('en');
  const lockout = (name: string, ms: number): Measured => ({ name, cells: [millis(ms)], bar: ms });
  const spent = (name: string, gatewayCell: string, nats: string): Measured => ({
    name,
    cells: [gatewayCell, nats],
  });
  const micros = (value: number): string => `${value.toFixed(0)} µs`;
  const kiB = (value: number): string => `${value.toFixed(0)} KiB`;
  return [
    {
      id: 'fleet-lockout',
      columns: [`lockout of ${count} nodes, from the call`, 'after'],
      rows: [
        lockout('interlock fleet lockout: the last node locks', fleet.lockedMs),
        lockout('interlock fleet lockout: its tick is back', fleet.knownMs),
        lockout('interlock lockout: the last node locks', gateway.lockedMs),
        lockout('interlock lockout: the gateway knows of all', gateway.knownMs),
      ],
      unit: 'ms',
    },
    {
      id: 'fleet',
      columns: [`one of ${count} nodes at one nats-server`, 'the gateway', 'nats-server'],
      rows: [
        spent('memory', kiB(measured.gatewayKiB), kiB(measured.natsKiB)),
        spent('processor, to come', micros(connecting.gateway), micros(connecting.nats)),
        spent('processor, a second of standing', micros(idle.gateway), micros(idle.nats)),
        spent(
          'processor, an hour with a run each five minutes',
          millis(hour.spent.gateway / 1_000),
          millis(hour.spent.nats / 1_000),
        ),
      ],
      note: `The hour of all of them, ${hour.signs.toLocaleString('en')} signs of life and ${hour.runs.toLocaleString('en')} runs, each begun once and ended, took ${(hour.elapsedMs / 1000).toFixed(0)} s as fast as it went. All of them came within ${(connectedMs / 1000).toFixed(1)} s, sixteen at a time, with their own part of the handshakes on the same processors.`,
    },
    {
      id: 'fleet-on-paper',
      columns: ['100,000 nodes, on paper', 'needed'],
      rows: needsOf(100_000, measured).map(({ what, amount }) => ({ name: what, cells: [amount] })),
    },
  ];
}

function times(ratio: number): string {
  return `${ratio.toFixed(2)} ×`;
}

function millis(value: number): string {
  return `${value.toFixed(2)} ms`;
}
