import type { Config } from '../../../config/types.ts';
import { refusalOf } from '../../../refusal/refusal.ts';
import { readPrincipalFile } from '../../agent-keys/principal-file.ts';
import { agentIndex } from '../../agent-keys/revoke.ts';
import { hasPassphrase } from '../../presence/passphrase.ts';
import { probeLogind } from '../logind.ts';
import { socketState } from '../socket-state.ts';
import type { HealthOptions } from '../types.ts';
import { findService } from './find.ts';
import type { ServiceFacts } from './types.ts';

/** Looks at what is around the runner. `config` is null while it is not valid. */
export async function gatherService(
  options: HealthOptions,
  config: Config | null,
): Promise<ServiceFacts> {
  const { paths, uid, env, platform } = options;
  const wanted = config?.lockout;
  const wantsLogind =
    platform === 'linux' && (wanted?.onScreenLock === true || wanted?.onSleep === true);
  return {
    service: findService(options),
    door: await doorFacts(config),
    wantsLogind,
    logindProblem: wantsLogind ? await probeLogind(env) : null,
    keys: keyFacts(paths.keysDirectory, uid),
    hasPassphrase: hasPassphrase({ path: paths.passphrase, uid }),
  };
}

async function doorFacts(config: Config | null): Promise<ServiceFacts['door']> {
  if (config === null || config.service.sharedSocket === null) return null;
  const { path } = config.service.sharedSocket;
  const uids = [
    ...config.users.filter(({ agents }) => agents.length > 0).map((user) => user.uid),
    ...Object.values(config.agents).flatMap((agent) => agent.uids ?? []),
  ];
  return { path, state: await socketState(path), users: new Set(uids).size };
}

function keyFacts(directory: string, uid: number): ServiceFacts['keys'] {
  try {
    const agents = Object.entries(readPrincipalFile(agentIndex(directory), uid).agents);
    const revoked = agents.filter(([, { keyedAt }]) => keyedAt === null).map(([name]) => name);
    return { problem: null, keyed: agents.length - revoked.length, revoked };
  } catch (error) {
    const refusal = refusalOf(error);
    if (refusal === undefined) throw error;
    return { problem: `${refusal.message} ${refusal.hint}`, keyed: 0, revoked: [] };
  }
}
