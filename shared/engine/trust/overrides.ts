import { bytesOf } from '../config.ts';
import { networks } from '../config-fields.ts';
import type { Config } from '../config.ts';
import type { SandboxConfig } from '../config-fields.ts';

/** Fields of `sandbox` that come with who asks. */
export interface SandboxOverrides {
  /** Of users whom something proves: they hold instead of what stands before them. */
  readonly given: readonly Partial<SandboxConfig>[];
  /** Of claims and of the request itself: they can only take away. */
  readonly tighter: readonly Partial<SandboxConfig>[];
}

export const noOverrides: SandboxOverrides = { given: [], tighter: [] };

/** What holds in the sandbox: global, agent, user, and what claims and the request take away. */
export function sandboxFor(
  config: Pick<Config, 'sandbox' | 'agents'>,
  agent: string,
  { given, tighter }: SandboxOverrides,
): SandboxConfig {
  const own = Object.hasOwn(config.agents, agent) ? config.agents[agent]?.sandbox : undefined;
  const set = [own ?? {}, ...given].reduce<SandboxConfig>(
    (before, fields) => ({ ...before, ...fields }),
    config.sandbox,
  );
  return tighter.reduce<SandboxConfig>(tightened, set);
}

/** The stricter of both in each field. Paths can only be left out, by the name that they have. */
function tightened(base: SandboxConfig, by: Partial<SandboxConfig>): SandboxConfig {
  const fewer = (paths: readonly string[], kept: readonly string[] | undefined) =>
    kept === undefined ? paths : paths.filter((path) => kept.includes(path));
  return {
    network:
      by.network !== undefined && networks.indexOf(by.network) < networks.indexOf(base.network)
        ? by.network
        : base.network,
    least: base.least === 'box' || by.least === undefined ? base.least : by.least,
    image: base.image,
    memory: smaller(base.memory, by.memory),
    processes: Math.min(base.processes, by.processes ?? base.processes),
    cpuSeconds: least(base.cpuSeconds, by.cpuSeconds ?? null),
    temporary: smaller(base.temporary, by.temporary),
    readOnly: fewer(base.readOnly, by.readOnly),
    readWrite: fewer(base.readWrite, by.readWrite),
    readOnlyWorkspace: base.readOnlyWorkspace || by.readOnlyWorkspace === true,
    environment: base.environment,
  };
}

function smaller(one: string, other: string | undefined): string {
  return other === undefined || bytesOf(one) <= bytesOf(other) ? one : other;
}

/** Null stands for no limit. */
function least(one: number | null, other: number | null): number | null {
  if (one === null || other === null) return one ?? other;
  return Math.min(one, other);
}
