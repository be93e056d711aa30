import { expect, it } from 'vitest';
import { needsOf } from './fleet.bench.ts';
import type { FleetFigures } from './fleet.bench.ts';

it('says what many nodes need from what one has cost, and rounds gateways up', () => {
  const lockout = { lockedMs: 1, knownMs: 2 };
  const measured: FleetFigures = {
    nodes: 500,
    connectedMs: 1,
    connecting: { gateway: 10_000, nats: 2_000 },
    gatewayKiB: 1024,
    natsKiB: 64,
    idle: { gateway: 50, nats: 20 },
    hour: { signs: 1, runs: 1, elapsedMs: 1, spent: { gateway: 7_200_000, nats: 3_600_000 } },
    fleet: lockout,
    gateway: lockout,
    lockoutNatsMicros: 100,
  };
  const amounts = needsOf(1_001, measured).map(({ amount }) => amount);
  expect(amounts).toEqual([
    '3',
    '1.0 GiB',
    '0.1 GiB',
    '0.1',
    '0.0',
    '2.0',
    '1.0',
    '10 s',
    '2 s',
    '0 s',
  ]);
});
