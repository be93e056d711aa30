import { existsSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { hookProgramPath } from '../../../adapters/hook-command.ts';
import type { HookCommand } from '../../../adapters/hook-command.ts';
import { hosts } from '../../../adapters/types.ts';
import type { AgentHost } from '../../../adapters/types.ts';
import { refusalOf } from '../../../refusal/refusal.ts';
import { readPrincipalFile } from '../../agent-keys/principal-file.ts';
import { agentIndex, agentKeyFile } from '../../agent-keys/revoke.ts';
import { askSeconds } from '../../agent-hooks/patience.ts';
import { askedTwice } from '../../../agent-hooks/twice.ts';
import { hookFile } from '../../agent-hooks/places.ts';
import { readSettings } from '../../agent-hooks/settings-file.ts';
import type { HealthOptions } from '../types.ts';
import { lookAtHooks } from './look.ts';
import type { AgentFacts, HookFacts } from './types.ts';

/** Every host that has a hook of ours, for the person and for the folder that is looked at. */
export function gatherAgents(options: HealthOptions): readonly AgentFacts[] {
  const { env, folder = null } = options;
  const places = hosts.flatMap((host) => {
    const personal = hookFile(host, { env, project: null });
    const here = folder === null ? personal : hookFile(host, { env, project: folder });
    return [
      { host, path: personal, isProject: false },
      ...(here === personal ? [] : [{ host, path: here, isProject: true }]),
    ];
  });
  const agents = places.flatMap((place) => agentAt(place, options) ?? []);
  return agents.map((agent) => {
    const isTwice =
      agent.isProject && agents.some((one) => one !== agent && one.host === agent.host);
    return isTwice ? { ...agent, remarks: [...agent.remarks, askedTwice(agent.host)] } : agent;
  });
}

interface Place {
  readonly host: AgentHost;
  readonly path: string;
  readonly isProject: boolean;
}

function agentAt(place: Place, options: HealthOptions): AgentFacts | null {
  const { path } = place;
  const looked = lookAtHooks(place.host, textAt(place, options), { ...options, path });
  if (looked === null) return null;
  const { command, broken, remarks } = looked;
  return { ...place, hook: command === null ? null : hookFacts(command, options), broken, remarks };
}

function hookFacts(command: HookCommand, options: HealthOptions): HookFacts {
  const { node, program, agent, wait } = command;
  const ours = join(options.packageRoot, hookProgramPath);
  return {
    agent,
    missing: [node, program].filter((path) => !existsSync(path)),
    isOurs: realOf(program) === realOf(ours),
    key: keyState(command, options),
    wait,
    asking: askSeconds(options.paths, agent),
  };
}

/** Settings that may not be touched cannot be judged either; then nothing is said about them. */
function textAt({ path, isProject }: Place, { uid, folder }: HealthOptions): string | null {
  try {
    return readSettings(path, { uid, project: isProject ? (folder ?? null) : null }).text;
  } catch (error) {
    if (refusalOf(error) === undefined) throw error;
    return null;
  }
}

function keyState({ agent }: HookCommand, { paths, uid }: HealthOptions): HookFacts['key'] {
  try {
    const { agents } = readPrincipalFile(agentIndex(paths.keysDirectory), uid);
    const known = Object.hasOwn(agents, agent) ? agents[agent] : undefined;
    if (known === undefined) return 'none';
    const hasFile = existsSync(agentKeyFile(paths.keysDirectory, agent));
    return known.keyedAt !== null && hasFile ? 'there' : 'taken-away';
  } catch {
    return 'none';
  }
}

function realOf(path: string): string {
  return existsSync(path) ? realpathSync(path) : path;
}
