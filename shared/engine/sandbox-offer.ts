import type { Config } from './config.ts';
import type { BrokeredCalls, SandboxOffer } from './decide/types.ts';
import type { Surroundings } from './plan/types.ts';
import { noOverrides, sandboxFor } from './trust/overrides.ts';
import type { SandboxOverrides } from './trust/overrides.ts';
import { readableAtHome, systemPaths, workspaceOf } from './workspace.ts';

interface OfferOptions {
  readonly config: Pick<Config, 'exec' | 'agents' | 'sandbox'>;
  readonly agent: string;
  readonly overrides: SandboxOverrides | undefined;
  readonly surroundings: Pick<Surroundings, 'files' | 'home' | 'path'>;
  readonly problem: string | null;
  readonly brokered: BrokeredCalls;
}

/** What a sandbox gives to commands of an agent in a folder, as the configuration has it now. */
export function sandboxOffer(
  cwd: string,
  { config, agent, overrides = noOverrides, surroundings, problem, brokered }: OfferOptions,
): SandboxOffer {
  const { files, home, path } = surroundings;
  const settings = sandboxFor(config, agent, overrides);
  const real = (given: string): string => {
    const written = given.replace(/^~(?=\/)/, home);
    return files.realPath(written) ?? written;
  };
  const workspace = workspaceOf(cwd, {
    given: config.exec.workspaces.map(real),
    homes: [home, files.realPath(home) ?? home],
    isThere: (one) => files.facts(one) !== null,
  });
  const unfit = workspace.ok
    ? null
    : `${workspace.path} cannot be the workspace of a sandbox: ${workspace.why}.`;
  const atHome = readableAtHome.map((name) => `${home}/${name}`);
  return {
    workspace: workspace.ok ? workspace.path : null,
    problem: problem ?? unfit,
    isOffline: settings.network === 'none',
    hasOwnLoopback: settings.network !== 'full',
    isWritable: !settings.readOnlyWorkspace,
    readable: [...systemPaths, ...atHome, ...path, ...settings.readOnly.map(real)],
    writable: settings.readWrite.map(real),
    brokered,
  };
}
