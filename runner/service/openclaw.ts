import { messageOf } from '../../shared/base/index.ts';
import type { Clock } from '../../shared/base/index.ts';
import type { Config } from '../../shared/engine/index.ts';
import type { HomePaths, SecretStore } from '../../shared/home/index.ts';
import { runnerClient } from '../../shared/ipc/index.ts';
import type { Log } from './log.ts';
import { readVersion } from '../version.ts';

interface OpenClawParts {
  readonly settings: Config['openclaw'];
  readonly paths: Pick<HomePaths, 'runnerSocket' | 'openclawDevice'>;
  readonly uid: number;
  readonly secrets: SecretStore;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * Keeps the runner at OpenClaw's Gateway where this home is paired with it, or `config.json` names a
 * token file. It asks over the runner's own socket, as anybody would. Returns how to leave: open asks
 * are then taken back.
 */
export function joinOpenClaw(parts: OpenClawParts): () => Promise<void> {
  const stop = new AbortController();
  const done = stay(parts, stop.signal).catch((error: unknown) => {
    const text = messageOf(error);
    parts.log.error(`OpenClaw's Gateway was given up until the runner starts again: ${text}`);
  });
  return async () => {
    stop.abort();
    await done;
  };
}

async function stay(parts: OpenClawParts, signal: AbortSignal): Promise<void> {
  const { settings, paths, uid, clock, log, secrets } = parts;
  const { tokenFile } = settings;
  // Read here, so that a runner without OpenClaw does without all of it.
  const { readPairing } = await import('../ingress/openclaw/pairing.ts');
  const { gatewayAddress, readGatewayToken } = await import('../ingress/openclaw/access.ts');
  const { openDevice } = await import('../nodes/device.ts');
  const address = gatewayAddress(settings.url);
  if (tokenFile === null && (await readPairing(secrets, address.url)) === null) return;
  const { stayAtGateway } = await import('../ingress/openclaw/stay.ts');
  const device = openDevice(paths.openclawDevice, uid);
  await stayAtGateway({
    ...address,
    client: runnerClient({ socketPath: paths.runnerSocket }),
    agent: null,
    clock,
    signal,
    say: (line) => log.info(line),
    version: readVersion(),
    platform: process.platform,
    credentials: async () => {
      const kept = await readPairing(secrets, address.url);
      if (kept !== null) {
        const { deviceToken, runtimeToken } = kept;
        return { kind: 'paired', deviceToken, runtimeToken, device };
      }
      if (tokenFile === null) throw new Error('the pairing was taken away');
      return { kind: 'shared', token: readGatewayToken(tokenFile, uid), device };
    },
  });
}
