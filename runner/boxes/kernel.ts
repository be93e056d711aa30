import { existsSync } from 'node:fs';
import { findGroups } from '../hosts/sandbox/groups.ts';
import { launchRefusal } from '../hosts/sandbox/launch.ts';
import { probeSandbox } from '../hosts/sandbox/probe.ts';
import { groupOf, keeperAt, noResource, startKeeper, planOf } from './build.ts';
import type { BoxBuilder, RuntimeOptions } from './runtime.ts';

/** Boxes that our launcher builds: their keeper is a process of the machine, outside of its box. */
export function kernelBuilder({ launcher, uid }: RuntimeOptions): BoxBuilder {
  const lacks = (): string | null =>
    existsSync(launcher) ? null : 'The launcher of the sandbox is not installed.';
  const problem = async (): Promise<string | null> => {
    const probe = await probeSandbox({ launcher, uid, bubblewrap: null });
    if (probe.problem !== null) return probe.problem;
    const hasLandlock = probe.capabilities.some(({ name, ok }) => name === 'landlock' && ok);
    return hasLandlock ? null : 'The kernel has no Landlock, by which a box that stays is held.';
  };
  return {
    problem,
    lacks,
    build: async (spec, socket) => {
      const lacking = lacks();
      if (lacking !== null) throw noResource(lacking);
      const limits = {
        memory: spec.memory,
        processes: spec.limits.processes,
        apart: true,
      } as const;
      const found = findGroups(uid);
      const groups = found.ok ? found.open(groupOf(socket.path), limits).files : [];
      const plan = planOf(spec, {
        mode: 'named',
        groups,
        entries: spec.entries,
        hostname: spec.name,
      });
      const { pid, begun } = await startKeeper([launcher], plan, socket.descriptor);
      // The launch itself has shown what is amiss here; the same as a person can mend it, where it is known.
      if (!begun.ok) {
        const why = await problem();
        throw why === null ? launchRefusal(begun) : noResource(why);
      }
      return { keeper: keeperAt(pid), groups, held: begun.held };
    },
    clear: async () => Promise.resolve(),
  };
}
