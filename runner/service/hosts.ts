import { join } from 'node:path';
import { existsSync, realpathSync } from 'node:fs';
import { clientPath } from '../../shared/agents/index.ts';
import type { createConfigStore } from './policy-store.ts';
import {
  baseEnvironment,
  homeTag,
  homeVariable,
  openFolderTrees,
  openRunningRecords,
} from '../../shared/home/index.ts';
import { processesOfCommand } from '../../shared/operations/index.ts';
import { createHosts } from '../hosts/host.ts';
import type { HostTask } from '../hosts/host.ts';
import { localHost } from '../hosts/local.ts';
import { createNodeHost } from '../hosts/node.ts';
import { canHold, holdLauncher } from '../hosts/sandbox/hold.ts';
import { sandboxHost } from '../hosts/sandbox/host.ts';
import { createSpawner } from '../hosts/spawner.ts';
import { launcherPath, sandboxSettings, workspaceFor } from '../hosts/sandbox/launch.ts';
import type { BoxNetwork } from '../hosts/sandbox/launch.ts';
import { prepareSweep } from '../lockout/sweep.ts';
import { toolsHost } from '../tools/host.ts';
import type { Vault } from '../tools/vault.ts';
import { createBoxTools } from '../ingress/box-tools.ts';
import { keepsItsKey } from '../principals/callers.ts';
import type { Principals } from '../principals/callers.ts';
import { packageRoot } from '../version.ts';
import type { PartsOptions } from './parts.ts';

/** Where commands run. */
export function hostsOf(
  options: PartsOptions,
  given: {
    readonly config: ReturnType<typeof createConfigStore>;
    readonly shell: string;
    readonly network: (task: HostTask) => Promise<BoxNetwork>;
    readonly vault: Vault;
    readonly principals: Pick<Principals, 'list'>;
  },
) {
  const { paths, uid, clock, log } = options;
  const { config, shell, network, vault, principals } = given;
  const environment = baseEnvironment(options.env);
  const path = (environment['PATH'] ?? '').split(':');
  const records = openRunningRecords(paths.runningDirectory, { uid, now: () => clock.now() });
  const local = {
    clock,
    shell,
    environment: { ...environment, [homeVariable]: homeTag(paths.home) },
    records,
    prepareSweep: sweepOf,
  };
  const launcher = launcherPath(packageRoot());
  const folders = openFolderTrees();
  const workspaceOf = ({ agent, cwd, overrides }: HostTask): string =>
    workspaceFor(cwd, sandboxSettings(config.current(), agent, overrides), {
      ownHome: paths.home,
      path,
    });
  const boxTools = createBoxTools({
    policies: paths.toolsDirectory,
    directory: paths.stateDirectory,
    uid,
    client: nativeClient(),
    path,
    workspaceOf,
    log,
  });
  options.closing.add('the ways to brokered tools', boxTools);
  const sandbox = sandboxHost({
    ...local,
    uid,
    launcher,
    network,
    tools: async (task) => boxTools.open(task),
    lookAtTools: boxTools.look,
    settings: (agent, overrides) => sandboxSettings(config.current(), agent, overrides),
    image: () => config.current().sandbox.image,
    ownHome: paths.home,
    path,
    layersDirectory: paths.sandboxLayers,
    isWelcome: keepsItsKey(principals),
    folders,
  });
  const spawner = createSpawner({ clock, launcher });
  options.closing.add('what starts commands', spawner);
  const held = { ...local, spawner, launcherOf: holdLauncher(launcher) };
  const gateway = localHost(held);
  const tools = toolsHost({
    local: localHost(held),
    canHold: () => canHold(launcher),
    home: environment['HOME'] ?? '/',
    vault,
    directory: join(paths.stateDirectory, 'tools'),
    uid,
    log,
  });
  const nodes = createNodeHost();
  const hosts = createHosts([...(options.hosts ?? [gateway, sandbox, tools]), nodes.host]);
  /** Finishes in sandboxes what an earlier runner had begun. Never rejects. */
  const recoverSandbox = async (): Promise<void> =>
    sandbox.recover().catch((error: unknown) => {
      log.error('What an earlier runner left in the sandbox could not be looked at', error);
    });
  const brokered = boxTools.calls;
  return { hosts, nodes, sandbox, records, path, folders, workspaceOf, brokered, recoverSandbox };
}

function sweepOf(command: { readonly id: string; readonly pid: number }, graceMs: number) {
  return prepareSweep({ processes: processesOfCommand(command.id), running: [command], graceMs });
}

/** Absolute path of the native client; null where it was not built. */
function nativeClient(): string | null {
  const client = join(packageRoot(), clientPath);
  return existsSync(client) ? realpathSync(client) : null;
}
