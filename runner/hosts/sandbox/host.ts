import { refuse } from '../../../shared/base/index.ts';
import type { Host } from '../host.ts';
import { localHost } from '../local.ts';
import type { LocalHostOptions } from '../local.ts';
import { findBubblewrap } from './bubblewrap.ts';
import { boxLauncher } from './launch.ts';
import type { SandboxOptions } from './launch.ts';
import { createLayers } from './layers.ts';
import { probeSandbox } from './probe.ts';
import type { SandboxProbe } from './probe.ts';

export type SandboxHostOptions = Omit<LocalHostOptions, 'name' | 'launcherOf' | 'probe'> &
  Omit<SandboxOptions, 'groups' | 'layers' | 'bubblewrap'> & {
    /** Absolute path of bubblewrap, null for none; absent: looked for. */
    readonly bubblewrap?: string | null;
    readonly uid: number;
    /** A folder of ours for what boxes write into caches. */
    readonly layersDirectory: string;
    /** Stands in for the real one; for tests. */
    readonly lookAround?: () => Promise<SandboxProbe>;
  };

/**
 * The host that runs commands in a box that the kernel holds. What this machine can do is found out
 * at the first command. Where a box cannot be built, nothing runs: never outside in its place.
 */
export function sandboxHost(options: SandboxHostOptions): Host {
  const { launcher, uid, layersDirectory } = options;
  const { bubblewrap: found = findBubblewrap() } = options;
  const look =
    options.lookAround ?? (async () => probeSandbox({ launcher, uid, bubblewrap: found }));
  let made: Promise<{ readonly probe: SandboxProbe; readonly host: Host }> | null = null;
  let running: Host | null = null;
  const ready = async () => {
    made ??= look().then((probe) => {
      // Bubblewrap lays none.
      const hasLayers =
        probe.rung === 'box' &&
        probe.capabilities.some((each) => each.name === 'cache_layers' && each.ok);
      const layers = hasLayers ? createLayers(layersDirectory, uid) : null;
      const bubblewrap = probe.rung === 'bubblewrap' ? found : null;
      const launcherOf = boxLauncher({ ...options, groups: probe.groups, bubblewrap, layers });
      running = localHost({ ...options, name: 'sandbox', launcherOf });
      return { probe, host: running };
    });
    const now = await made;
    // What is amiss may be mended while we run.
    if (!now.probe.ok) made = null;
    return now;
  };
  return {
    name: 'sandbox',
    probe: async () => {
      const { problem } = (await ready()).probe;
      return problem === null ? { ok: true } : { ok: false, problem };
    },
    run: async (task, limits, io) => {
      const { probe, host } = await ready();
      if (probe.problem !== null)
        throw refuse(
          'host-unavailable',
          `There is no sandbox on this machine: ${probe.problem} Nothing was run.`,
          'See interlock sandbox status, or have a person set exec.host to gateway.',
        );
      return host.run(task, limits, io);
    },
    groups: () => running?.groups() ?? [],
    signalAll: () => running?.signalAll?.(),
    stopStrays: () => running?.stopStrays() ?? 0,
  };
}
