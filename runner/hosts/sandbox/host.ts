import { readdirSync } from 'node:fs';
import { basename } from 'node:path';
import { refuse } from '../../../shared/base/index.ts';
import { noOverrides } from '../../../shared/engine/index.ts';
import type { FolderTrees } from '../../../shared/home/index.ts';
import { lockoutGraceMs } from '../../../shared/operations/index.ts';
import type { Host, HostTask, RunOutcome } from '../host.ts';
import { localHost } from '../local.ts';
import type { LocalHostOptions } from '../local.ts';
import { createBoxes } from './boxes.ts';
import type { Boxes } from './boxes.ts';
import { findBubblewrap } from './bubblewrap.ts';
import { createCareWatch } from './care.ts';
import { changesPath, noteChanges } from './changes.ts';
import { historiesIn, leftSlots } from './history/slot.ts';
import { createHistories } from './history/store.ts';
import type { Histories } from './history/store.ts';
import { boxLauncher } from './launch.ts';
import type { BoxNetwork, BoxTools, SandboxOptions } from './launch.ts';
import { createLayers } from './layers.ts';
import { createNested, watchNested } from './nested.ts';
import { parentOf } from './paths.ts';
import { probeSandbox, unaskedProblem } from './probe.ts';
import type { SandboxProbe } from './probe.ts';

export type SandboxHostOptions = Omit<LocalHostOptions, 'name' | 'launcherOf' | 'probe'> &
  Omit<
    SandboxOptions,
    | 'groups'
    | 'boxes'
    | 'layers'
    | 'care'
    | 'histories'
    | 'nested'
    | 'bubblewrap'
    | 'mac'
    | 'networkOf'
    | 'toolsOf'
  > & {
    /** Opens the filtered way out of a command's box; absent: there is none. */
    readonly network?: (task: HostTask) => Promise<BoxNetwork>;
    /** What brings calls of brokered tools out of a command's box; null for none. */
    readonly tools?: (task: HostTask) => Promise<BoxTools | null>;
    /** Called before each look at this host: what is brokered may have changed. */
    readonly lookAtTools?: () => Promise<void>;
    /** Absolute path of bubblewrap, null for none; absent: looked for. */
    readonly bubblewrap?: string | null;
    /** On macOS: the image of a virtual machine for each command; absent: none. */
    readonly image?: () => string | null;
    readonly uid: number;
    /** Whether an agent may still speak: its boxes end where it may not. Absent: it may. */
    readonly isWelcome?: (agent: string) => boolean;
    /** A folder of ours for what boxes write into caches. */
    readonly layersDirectory: string;
    /** Stands in for the real one; for tests. */
    readonly lookAround?: () => Promise<SandboxProbe>;
    /** What is known of the folders of workspaces. Whoever opened it closes it. */
    readonly folders: FolderTrees;
  };

/** A host that says what it found out about this machine. */
export interface SandboxHost extends Host {
  /** Why no command that nobody was asked about can run here, as of the last look; null where it can. */
  readonly problem: () => string | null;
  /** Takes over what a runner before us has left in the middle, where there is any. */
  readonly recover: () => Promise<void>;
}

/**
 * The host that runs commands in a box that the kernel holds. What this machine can do is found out
 * at the first command. Where a box cannot be built, nothing runs: never outside in its place.
 */
export function sandboxHost(options: SandboxHostOptions): SandboxHost {
  const { uid, layersDirectory, folders } = options;
  const care = createCareWatch(folders);
  const ways = createWays(options);
  const changes = changesPath(layersDirectory);
  const nested = watchNested(
    options.clock,
    (planted) => noteChanges(changes, uid, planted),
    createNested(folders),
  );
  const builder = createBuilder(options, { care, nested, ways });
  const { ready } = builder;
  return {
    name: 'sandbox',
    problem: builder.problem,
    recover: async () => {
      const directory = historiesIn(layersDirectory);
      if (leftSlots({ directory, uid, now: options.clock.now() }).length > 0) await ready();
    },
    probe: async () => {
      await options.lookAtTools?.();
      const { problem } = (await ready()).probe;
      return problem === null ? { ok: true } : { ok: false, problem };
    },
    run: async (task, limits, io) => {
      const { probe, host, histories } = await ready();
      if (probe.problem !== null)
        throw refuse(
          'host-unavailable',
          `There is no sandbox on this machine: ${probe.problem} Nothing was run.`,
          'See interlock sandbox status, or have a person set exec.host to gateway.',
        );
      const outcome = await ways.run(host, task, limits, io).catch((error: unknown) => {
        care.planted(task.id);
        void histories?.ended(task.id);
        throw error;
      });
      const taken = histories?.ended(task.id) ?? Promise.resolve([]);
      const notes = (await Promise.all([taken, nested.ended(task.id)])).flat();
      for (const note of notes) await io.output('stderr', Buffer.from(`interlock: ${note}\n`));
      const planted = care.planted(task.id).filter((path) => !isBlankGit(path));
      return {
        ...outcome,
        ...(planted.length > 0 && { planted }),
        ...(notes.length > 0 && { notes }),
      };
    },
    groups: () => builder.host()?.groups() ?? [],
    signalAll: () => {
      builder.host()?.signalAll?.();
      builder.boxes()?.endAll(lockoutGraceMs);
    },
    stopStrays: () => {
      const stopped = builder.host()?.stopStrays() ?? 0;
      builder.boxes()?.endAll(0);
      return stopped;
    },
    boxOf: (agent, session) => builder.boxes()?.lives(agent, session) ?? null,
    endSession: (agent, session) => builder.boxes()?.endSession(agent, session),
  };
}

/** What builds boxes on this machine: found out at the first need, and again while something is amiss. */
function createBuilder(
  options: SandboxHostOptions,
  {
    care,
    nested,
    ways,
  }: {
    readonly care: ReturnType<typeof createCareWatch>;
    readonly nested: ReturnType<typeof watchNested>;
    readonly ways: ReturnType<typeof createWays>;
  },
) {
  const { launcher, uid, layersDirectory } = options;
  const { bubblewrap: found = findBubblewrap(), image = () => null } = options;
  const look =
    options.lookAround ??
    (async () => probeSandbox({ launcher, uid, image: image(), bubblewrap: found }));
  let made: Promise<{
    readonly probe: SandboxProbe;
    readonly host: Host;
    readonly histories: Histories | null;
  }> | null = null;
  let running: Host | null = null;
  let boxes: Boxes | null = null;
  let lastProblem: string | null = 'It has not been tried yet.';
  const madePlace = (path: string): void => options.folders.of(parentOf(path)).ours(path);
  const ready = async () => {
    made ??= look().then(async (probe) => {
      // Bubblewrap lays none.
      const hasLayers =
        probe.rung === 'box' &&
        probe.capabilities.some((each) => each.name === 'cache_layers' && each.ok);
      const layers = hasLayers ? createLayers(layersDirectory, uid) : null;
      const directory = historiesIn(layersDirectory);
      const histories = hasLayers
        ? createHistories({ ...options, directory, made: madePlace })
        : null;
      // What a runner before us has left is older than all that comes now.
      await histories?.recover();
      const { groups } = probe;
      // What runs beside a command in its box is kept from looking into it by Landlock, above all.
      const keeps = probe.rung === 'box' && hasLandlock(probe);
      if (keeps) boxes ??= createBoxes({ ...options, groups });
      const launcherOf = boxLauncher({
        ...options,
        groups,
        boxes: keeps ? boxes : null,
        bubblewrap: probe.rung === 'bubblewrap' ? found : null,
        mac: probe.mac ?? null,
        layers,
        care,
        histories,
        nested,
        networkOf: ways.networkOf,
        toolsOf: ways.toolsOf,
      });
      const kill = keeps ? boxes?.kill : options.kill;
      const signals = kill === undefined ? {} : { kill };
      running = localHost({ ...options, ...signals, name: 'sandbox', launcherOf });
      return { probe, host: running, histories };
    });
    const now = await made;
    lastProblem = unaskedProblem(now.probe);
    // What is amiss may be mended while we run.
    if (!now.probe.ok) made = null;
    return now;
  };
  return {
    ready,
    /** Null before the first look. */
    host: () => running,
    boxes: () => boxes,
    problem: () => lastProblem,
  };
}

/** What leads out of the boxes of commands that run: filtered networks, and calls of tools. */
function createWays(options: SandboxHostOptions) {
  const networks = new Map<string, BoxNetwork>();
  /** Runs a command with the way out that its settings give it. */
  const runWith = async (
    host: Host,
    ...[task, limits, io]: Parameters<Host['run']>
  ): Promise<RunOutcome> => {
    const { network } = options.settings(task.agent, task.overrides ?? noOverrides);
    if (network !== 'restricted' || options.network === undefined)
      return host.run(task, limits, io);
    networks.set(task.id, await options.network(task));
    try {
      // That something did not find its way past the proxy is no reason to leave the sandbox.
      const { unreached: _, ...outcome } = await host.run(task, limits, io);
      return outcome;
    } finally {
      networks.delete(task.id);
    }
  };
  const toolsOf = new Map<string, BoxTools>();
  /** The same, with what brings calls of tools out of its box. */
  const runWithTools = async (
    host: Host,
    ...[task, limits, io]: Parameters<Host['run']>
  ): Promise<RunOutcome> => {
    const tools = (await options.tools?.(task)) ?? null;
    if (tools === null) return runWith(host, task, limits, io);
    toolsOf.set(task.id, tools);
    const started = (pid: number): void => {
      tools.begun();
      io.started(pid);
    };
    try {
      return await runWith(host, task, limits, { ...io, started });
    } catch (error) {
      tools.close();
      throw error;
    } finally {
      toolsOf.delete(task.id);
    }
  };
  return {
    run: runWithTools,
    networkOf: (id: string): BoxNetwork | null => networks.get(id) ?? null,
    toolsOf: (id: string): BoxTools | null => toolsOf.get(id) ?? null,
  };
}

function hasLandlock({ capabilities }: SandboxProbe): boolean {
  return capabilities.some(({ name, ok }) => name === 'landlock' && ok);
}

/** A place for a mount that we made ourselves, and that is not taken away yet: Git takes it for none. */
function isBlankGit(path: string): boolean {
  if (basename(path) !== '.git') return false;
  try {
    return readdirSync(path).length === 0;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT';
  }
}
