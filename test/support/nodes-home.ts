import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { compile, s } from '../../shared/base/index.ts';
import type { Clock } from '../../shared/base/index.ts';
import { defaultConfig } from '../../shared/engine/index.ts';
import { homePaths, ownUid, systemClock } from '../../shared/home/index.ts';
import type { HomePaths } from '../../shared/home/index.ts';
import type { FleetAccess } from '../../runner/fleet/files.ts';
import { parseAddress } from '../../runner/nodes/address.ts';
import { newDevice } from '../../runner/nodes/device.ts';
import { dial } from '../../runner/nodes/dial.ts';
import type { Dialled } from '../../runner/nodes/dial.ts';
import { pairWithGateway } from '../../runner/nodes/handshake.ts';
import { writeNodeFile } from '../../runner/nodes/node-file.ts';
import { joinNodes } from '../../runner/service/nodes.ts';
import type { NodeTraffic } from '../../runner/service/nodes.ts';
import { until } from './servers.ts';

const uid = ownUid();
const check = compile(s.string());

/** What a home is given in the place of what others have: frames of its own, and its time. */
interface OwnWays<ToGateway, ToNode> {
  readonly traffic?: (paths: HomePaths) => NodeTraffic<ToGateway, ToNode>;
  readonly clock?: Clock;
}

/** The other machines of one home, with settings that a test changes. */
export function nodesHome<ToGateway = string, ToNode = string>(
  listen: string | null,
  { traffic: own, clock = systemClock }: OwnWays<ToGateway, ToNode> = {},
) {
  const folder = mkdtempSync(join(tmpdir(), 'interlock-nodes-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const paths = homePaths({ INTERLOCK_HOME: folder });
  for (const each of [paths.stateDirectory, paths.keysDirectory]) mkdirSync(each, { mode: 0o700 });
  const settings = {
    listen,
    ssh: [] as string[],
    problem: null as { readonly message: string } | null,
  };
  const heard: string[] = [];
  const rows: unknown[] = [];
  const locked: (string | null)[] = [];
  const changed: (() => void)[] = [];
  const texts: NodeTraffic<string, string> = {
    checkAtGateway: check,
    checkAtNode: check,
    onNode: (link) => link.onFrame((frame) => heard.push(frame)),
    onRemoved: () => undefined,
    onGateways: () => undefined,
    onGateway: (link) => void link.send('hello'),
    onGatewayState: () => undefined,
  };
  const traffic = own?.(paths) ?? (texts as unknown as NodeTraffic<ToGateway, ToNode>);
  const parts = {
    config: {
      problem: () => settings.problem,
      current: () => ({ ...defaultConfig, nodes: { listen: settings.listen, ssh: settings.ssh } }),
    },
    policy: { current: () => ({ hash: 'f'.repeat(64) }) },
    stops: {
      lockout: async (reason: string | null) => {
        locked.push(reason);
        for (const tell of changed) tell();
      },
      state: () => ({ mode: locked.length > 0 ? 'locked' : 'running' }),
      onChange: (tell: () => void) => void changed.push(tell),
    },
  } as unknown as Parameters<typeof joinNodes>[0];
  const log = { info: () => undefined, warn: () => undefined, error: () => undefined };
  const audit = { append: async (row: unknown) => void rows.push(row) } as never;
  const base = { paths, uid, clock, log, audit };
  const nodes = joinNodes(parts, base, async () => traffic);
  onTestFinished(async () => nodes.dispose());
  return { nodes, paths, settings, heard, rows, locked };
}

/** Pairs two homes over a connection, and has a person on both sides say yes. */
export async function pairHomes(
  { talk, channel }: Dialled,
  desk: { readonly nodes: Pick<ReturnType<typeof nodesHome>['nodes'], 'body' | 'approve'> },
  build: { readonly paths: HomePaths },
  where:
    | { readonly host: string; readonly port: number }
    | { readonly via: 'ssh' }
    | { readonly via: 'nats'; readonly access: FleetAccess },
): Promise<void> {
  const { device, pem } = newDevice();
  await pairWithGateway(talk, {
    device,
    channel,
    nonce: () => 'n'.repeat(43),
    state: { version: '1', policyHash: null },
    displayName: 'build',
    confirm: async ({ code }) => {
      await until(() => desk.nodes.body().waiting.length === 1);
      desk.nodes.approve(code);
      return true;
    },
    keep: ({ key, displayName, token }) =>
      writeNodeFile(build.paths.nodeFile, {
        version: 1,
        id: device.id,
        displayName: 'build',
        key: pem,
        token,
        gateway: {
          ...where,
          key,
          displayName,
          certificate: Buffer.from(channel.certificate).toString('hex'),
        },
        pairedAt: 0,
      }),
  });
  // The gateway ends it, and by then knows that the node has kept its pairing.
  if (!talk.gone.aborted) await once(talk.gone, 'abort');
}

/** A gateway that listens, and a node that was paired with it and has not connected yet. */
export async function pairedHomes() {
  const desk = nodesHome('127.0.0.1:0');
  await desk.nodes.apply();
  const address = parseAddress(desk.nodes.body().listening ?? '');
  const build = nodesHome(null);
  const signal = new AbortController().signal;
  const dialled = await dial({ ...address, certificate: null, clock: systemClock, signal });
  await pairHomes(dialled, desk, build, address);
  return { desk, build };
}
