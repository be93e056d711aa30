import { resolve } from 'node:path';
import { RefusalError, refuse } from '../../shared/base/index.ts';
import { abilitiesOf } from '../../shared/engine/index.ts';
import type { Verdict } from '../../shared/engine/index.ts';
import type { HostTask } from '../hosts/host.ts';
import { nodeHostName } from '../hosts/node.ts';
import { brokerHost } from '../tools/broker.ts';
import { overrideFor } from './overrides.ts';
import type { GatePorts } from './ports.ts';
import type { Identified, Target, Understood } from './request-context.ts';

/** Who carries a permitted request out: this runner, or the program that the agent lives in. */
export type CarriedOut = 'here' | 'ticket' | 'elsewhere';

/**
 * Finds the host. A request may name the one that is configured, and what `exec.hosts` lets it; with
 * `auto` also the sandbox, which gives less, and this machine, which then is asked about. A command that the agent's
 * host runs is in no sandbox of ours, so it is decided as one for this machine.
 */
export async function route(
  { incoming: { request, kind, from }, identity }: Identified,
  { engine, hosts, overrides, nodes }: Pick<GatePorts, 'engine' | 'hosts' | 'overrides' | 'nodes'>,
  by: CarriedOut = 'here',
): Promise<Target> {
  if (request.host === brokerHost) {
    if (kind === 'exec' && by !== 'elsewhere') return { host: hosts.find(brokerHost), node: null };
    throw refuse(
      'host-unavailable',
      'A brokered tool is run by the runner alone, which has its credentials.',
      'Send it as a command of its own: interlock run --host tools -- PROGRAM …',
    );
  }
  const { agent, claimed, session, trust } = identity;
  const routed = engine.route({
    agent,
    claimed,
    level: trust.level,
    asked: request,
    cwd: request.cwd,
    override: overrideFor(identity, overrides),
    elsewhere: by === 'elsewhere',
    ...(nodes !== undefined && { isSameNode: nodes.isSame }),
  });
  if (!routed.ok) throw new RefusalError(routed.problem);
  const { host, wanted, node } = routed.route;
  const isNotHere = host.value === 'node' || (host.value === 'sandbox' && kind === 'exec');
  if (by === 'elsewhere' && isNotHere)
    throw refuse(
      'host-unavailable',
      `Commands of "${agent}" run ${host.value === 'node' ? 'on a node' : 'in the sandbox'}, and this agent's host would run it on this machine.`,
      'Send it as a command of its own: interlock run -- PROGRAM …',
    );
  if (host.value === nodeHostName) {
    if (from !== undefined) throw notPassedOn();
    if (nodes === undefined) hosts.find(nodeHostName);
    const meant = nodes?.find(node.value);
    if (meant !== undefined)
      return { host: hosts.find(nodeHostName), node: meant.name, nodeId: meant.id };
  }
  if (wanted === null) return { host: hosts.find(host.value), node: node.value };
  const gateway = { host: hosts.find('gateway'), node: null };
  if (wanted === 'gateway' || (kind === 'exec' && by === 'elsewhere')) return gateway;
  // Looked at anew for each: what was amiss may be mended, and what worked may be gone.
  const sandbox = hosts.find('sandbox');
  await sandbox.probe();
  const box = session === null ? null : (sandbox.boxOf?.(agent, session) ?? null);
  return { ...gateway, unsettled: wanted, ...(box !== null && { box }) };
}

/** From machine to machine a run could go round in a circle, and nobody would know who decided. */
function notPassedOn(): Error {
  return refuse(
    'host-unavailable',
    'A command that came from another machine is not passed on to a third.',
    'Have a person set exec.host to something else than "node" on the machine that is to run it.',
  );
}

/** Whether all that the command would start is one program that is not there. */
export function isMissing({ analysis }: Understood): boolean {
  if (!analysis.ok || analysis.plan.stages.length !== 1) return false;
  return analysis.plan.stages[0]?.executable.kind === 'missing';
}

/** The target once the decision has said on which host it runs. */
export function settled(
  target: Target,
  verdict: Verdict,
  { hosts }: Pick<GatePorts, 'hosts'>,
): Target {
  if (target.unsettled === undefined || verdict.host === target.host.name) return target;
  return { ...target, host: hosts.find(verdict.host) };
}

/**
 * What the agent's host runs itself is in no sandbox of ours, so that nobody may have it done who is
 * held to one. Throws `policy-deny`.
 */
export function requireMayRunElsewhere({ incoming, identity: { trust } }: Identified): void {
  if (incoming.kind !== 'exec' || abilitiesOf(trust.level).shell === 'as-configured') return;
  throw refuse(
    'policy-deny',
    `Who asks counts as "${trust.level}" here, and its commands run in the sandbox alone; this agent's host would run it itself.`,
    'Use an agent whose commands Interlock runs, or ask somebody who is trusted with it.',
  );
}

/**
 * What exactly is handed to the host: the plan where there is one, else what was shown to the
 * person, byte for byte.
 */
export function executionOf(understood: Understood): HostTask['execution'] {
  const { analysis, command, text } = understood;
  if (isMissing(understood)) return { kind: 'missing', name: command.argv?.[0] ?? text };
  if (analysis.ok) {
    if (analysis.plan.execution !== null) return analysis.plan.execution;
    throw new Error('what the host of an agent carries out is not run here');
  }
  if (command.command !== undefined) return { kind: 'shell', text: command.command };
  const argv = command.argv ?? [];
  const executable = analysis.stages[0]?.executable;
  const name = argv[0] ?? '';
  if (executable?.kind === 'file') return { kind: 'argv', file: executable.path, argv };
  if (name.includes('/')) return { kind: 'argv', file: resolve(command.cwd, name), argv };
  return { kind: 'missing', name };
}

/** What runs, as text for the log and for the caller. */
export function canonicalOf({ analysis, text }: Understood): string {
  return analysis.ok ? analysis.plan.canonical : text;
}
