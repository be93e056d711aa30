import { hostNames } from '../../../adapters/names.ts';
import { danger, ok, warning } from '../judge.ts';
import type { HealthCheck, SocketState } from '../types.ts';
import type { AgentFacts, HookFacts } from './types.ts';

/** One line for each agent that is behind the gate, or says that none is. */
export function agentChecks(
  agents: readonly AgentFacts[],
  runnerSocket: SocketState,
): readonly HealthCheck[] {
  if (agents.length > 0) return agents.map((agent) => agentCheck(agent, runnerSocket));
  return [ok('agents', 'No agent is behind the gate', 'Put one there: interlock install claude')];
}

function agentCheck(facts: AgentFacts, runnerSocket: SocketState): HealthCheck {
  const { host, isProject, path, hook } = facts;
  const id = isProject ? `agent-${host}-here` : `agent-${host}`;
  const name = isProject ? `${hostNames[host]}, in this folder,` : hostNames[host];
  const again = `Mend it: interlock install ${host}${isProject ? ' --project' : ''}`;
  const broken = [...facts.broken, ...(hook === null ? [] : missingPrograms(hook))];
  if (broken.length > 0)
    return danger(
      id,
      `${name} is not held by the gate as it should be`,
      [...broken, again].join(' '),
    );
  const notes = [
    ...(hook === null ? [] : noted(hook, again)),
    ...facts.remarks,
    ...unreachable(runnerSocket),
  ];
  if (notes.length > 0)
    return warning(id, `${name} is behind the gate, with something to see to`, notes.join(' '));
  return ok(id, `${name} is behind the gate`, path);
}

function missingPrograms({ missing }: HookFacts): readonly string[] {
  return missing.length === 0
    ? []
    : [`Its hook cannot start: ${missing.join(' and ')} is missing.`];
}

function noted({ agent, key, isOurs, wait, asking }: HookFacts, again: string): readonly string[] {
  return [
    ...(key === 'none'
      ? [`"${agent}" has no key, so that others can ask in its name. ${again}`]
      : []),
    ...(key === 'taken-away'
      ? [`The key of "${agent}" was taken away. Issue a new one: interlock agents rekey ${agent}`]
      : []),
    ...(isOurs ? [] : [`Its hook belongs to another installation of Interlock. ${again}`]),
    ...(asking <= wait
      ? []
      : [
          `The policy gives a person ${String(asking)} seconds, and its hook gives up after ${String(wait)}. ${again}`,
        ]),
  ];
}

function unreachable(runnerSocket: SocketState): readonly string[] {
  return runnerSocket === 'live'
    ? []
    : ['The runner is not running, so everything it asks for is refused.'];
}
