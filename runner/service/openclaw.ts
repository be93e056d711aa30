import { messageOf } from '../../shared/base/index.ts';
import type { Clock } from '../../shared/base/index.ts';
import type { Config } from '../../shared/engine/index.ts';
import type { HomePaths } from '../../shared/home/index.ts';
import { runnerClient } from '../../shared/ipc/index.ts';
import type { Log } from './log.ts';
import { readVersion } from '../version.ts';

export interface OpenClawParts {
  readonly settings: Config['openclaw'];
  readonly paths: Pick<HomePaths, 'runnerSocket' | 'openclawDevice'>;
  readonly uid: number;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * Keeps the runner at OpenClaw's Gateway where `config.json` names a token file. It asks over the
 * runner's own socket, as anybody would. Answers how to leave: open asks are then taken back.
 */
export function joinOpenClaw(parts: OpenClawParts): () => Promise<void> {
  if (parts.settings.tokenFile === null) return async () => Promise.resolve();
  const stop = new AbortController();
  const done = stay(parts.settings.tokenFile, parts, stop.signal).catch((error: unknown) => {
    const text = messageOf(error);
    parts.log.error(`OpenClaw's Gateway was given up until the runner starts again: ${text}`);
  });
  return async () => {
    stop.abort();
    await done;
  };
}

async function stay(tokenFile: string, parts: OpenClawParts, signal: AbortSignal): Promise<void> {
  // Read here, so that a runner without OpenClaw does without all of it.
  const { gatewayAddress } = await import('../ingress/openclaw/access.ts');
  const { openDevice } = await import('../ingress/openclaw/access.ts');
  const { stayAtGateway } = await import('../ingress/openclaw/stay.ts');
  const { readGatewayToken } = await import('../ingress/openclaw/access.ts');
  const { settings, paths, uid, clock, log } = parts;
  const device = openDevice(paths.openclawDevice, uid);
  await stayAtGateway({
    ...gatewayAddress(settings.url),
    client: runnerClient({ socketPath: paths.runnerSocket }),
    agent: null,
    clock,
    signal,
    say: (line) => log.info(line),
    version: readVersion(),
    platform: process.platform,
    credentials: () => ({ token: readGatewayToken(tokenFile, uid), device }),
  });
}
