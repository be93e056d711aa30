import { existsSync } from 'node:fs';
import { findGroups } from '../hosts/sandbox/groups.ts';
import { launchRefusal } from '../hosts/sandbox/launch.ts';
import { probeSandbox } from '../hosts/sandbox/probe.ts';
import { clearGroups, groupOf, keeperAt, noResource, startKeeper, planOf } from './build.ts';
import type { BoxBuilder, RuntimeOptions } from './runtime.ts';

/** Boxes that our launcher builds: their keeper is a process of the machine, outside of its box. */
export function kernelBuilder({ launcher, uid }: RuntimeOptions): BoxBuilder {
  return {
    problem: async () => {
      const probe = await probeSandbox({ launcher, uid, bubblewrap: null });
      if (probe.problem !== null) return probe.problem;
      const hasLandlock = probe.capabilities.some(({ name, ok }) => name === 'landlock' && ok);
      return hasLandlock ? null : 'The kernel has no Landlock, by which a box that stays is held.';
    },
    build: async (spec, socket) => {
      if (!existsSync(launcher)) throw noResource('The launcher of the sandbox is not installed.');
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
      if (!begun.ok) throw launchRefusal(begun);
      return { keeper: keeperAt(pid), groups, held: begun.held };
    },
    clear: async (_name, socket, groups) => clearGroups(findGroups(uid), socket, groups),
  };
}
