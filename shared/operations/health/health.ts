import { armingChecks } from './arming.ts';
import { chmodSync, existsSync, rmSync } from 'node:fs';
import { gatherAgents } from '../../agents/index.ts';
import { RefusalError, refuse } from '../../base/index.ts';
import {
  clientSocket,
  openSecretStore,
  readConfigFile,
  settleToken,
  systemClock,
} from '../../home/index.ts';
import { exportChecks } from './audit-export.ts';
import { brokerChecks } from './brokering.ts';
import { agentChecks, checks, isLoose, notSetUp } from './checks.ts';
import { gatherFacts } from './facts.ts';
import { filesBelow, foundFile, socketState } from './probes.ts';
import { projectChecks } from './projects.ts';
import { gatherService, serviceChecks } from './service.ts';
import type { HealthCheck, HealthOptions } from './types.ts';

const mends: Readonly<Record<string, (options: HealthOptions) => Promise<void>>> = {
  'file-modes': mendModes,
  sockets: mendSockets,
  'approvals-token': mendToken,
};

/** Puts right what the check `id` found. Throws an `invalid-request` refusal where it cannot. */
export async function mendHealth(id: string, options: HealthOptions): Promise<void> {
  const mend = Object.hasOwn(mends, id) ? mends[id] : undefined;
  if (mend === undefined)
    throw refuse(
      'invalid-request',
      `"${id}" cannot be mended by a program.`,
      `What can: ${Object.keys(mends).join(', ')}. The other checks say what to do by hand.`,
    );
  await mend(options);
}

async function mendModes({ paths, uid }: HealthOptions): Promise<void> {
  const home = foundFile(paths.home);
  if (home === null) return;
  for (const file of [home, ...filesBelow(paths.home)])
    if (file.uid === uid && isLoose(file)) chmodSync(file.path, file.mode & 0o700);
}

/** Asks again just before: a socket that answers by now is somebody's. */
async function mendSockets({ paths }: HealthOptions): Promise<void> {
  for (const path of [paths.runnerSocket, paths.approvalsSocket])
    if ((await socketState(path)) === 'stale') rmSync(path, { force: true });
}

/** What a runner does when it starts; one that is at work hears of the new token as of any edit. */
async function mendToken({ paths, uid }: HealthOptions): Promise<void> {
  const config = readConfigFile(paths.config, { uid });
  if (!config.ok) throw new RefusalError(config.problem);
  const { home, keysDirectory: directory } = paths;
  const moved = await settleToken(paths, {
    uid,
    v1: config.config.approvals.v1,
    openStore: async () => openSecretStore({ home, directory, uid, clock: systemClock }),
  });
  if (moved?.rotated === false)
    throw refuse(
      'config-invalid',
      `The approvals token was not moved: ${moved.why}`,
      'See what "interlock doctor" says of the policy and the secret store.',
    );
}

/** Looks at the set-up and judges it; never changes anything. In the order in which a person reads. */
export async function checkHealth(options: HealthOptions): Promise<readonly HealthCheck[]> {
  const { paths, env } = options;
  if (!existsSync(paths.home)) return [notSetUp(paths, clientSocket(env, paths))];
  const facts = await gatherFacts(options);
  const service = serviceChecks(await gatherService(options, facts.config), facts.runnerSocket);
  const agents = agentChecks(gatherAgents(options), facts.runnerSocket);
  return [
    ...checks.map((check) => check(facts)),
    ...service,
    ...agents,
    ...armingChecks(options),
    ...projectChecks(options, facts.config),
    ...exportChecks(options, facts.config),
    ...(await brokerChecks(options)),
  ];
}
