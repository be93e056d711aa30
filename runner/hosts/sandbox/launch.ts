import { existsSync } from 'node:fs';
import type { Server } from 'node:net';
import { join } from 'node:path';
import { refuse } from '../../../shared/base/index.ts';
import type { Clock } from '../../../shared/base/index.ts';
import { bytesOf, noOverrides, sandboxFor } from '../../../shared/engine/index.ts';
import type { Config, SandboxConfig, SandboxOverrides } from '../../../shared/engine/index.ts';
import { ownUid } from '../../../shared/home/index.ts';
import type { HostTask } from '../host.ts';
import type { Launcher, ReadyCommand } from '../launcher.ts';
import type { CareWatch } from './care.ts';
import type { ControlGroup, Groups } from './groups.ts';
import type { Boxes } from './boxes.ts';
import type { Histories } from './history/store.ts';
import type { Layers } from './layers.ts';
import { bubblewrapLaunch } from './bubblewrap.ts';
import { macLaunch } from './mac.ts';
import type { MacBuilder } from './mac.ts';
import type { Watched } from './nested.ts';
import { encodePlan } from './message.ts';
import type { Entry, LaunchPlan } from './message.ts';
import type { Begun } from './report.ts';
import { planBox } from './root.ts';
import type { Box, Owner } from './root.ts';
import { filesOfOneRoot, ownerOf, rootFiles } from './root-files.ts';

/** Where the build leaves the launcher, and packages carry it. */
export function launcherPath(packageRoot: string): string {
  return join(packageRoot, 'dist', 'native', 'interlock-launcher');
}

const emptyRetryMs = 50;
const emptyRetries = 20;

export interface SandboxOptions {
  readonly clock: Clock;
  /** Absolute path of the launcher. */
  readonly launcher: string;
  /** What holds for an agent now; may throw a refusal. */
  readonly settings: (agent: string, overrides: SandboxOverrides) => SandboxSettings;
  /** Interlock's own folder: never inside. */
  readonly ownHome: string;
  /** Directories of the PATH that commands get. */
  readonly path: readonly string[];
  readonly groups: Groups;
  /** The boxes of sessions; null where each command gets its own. */
  readonly boxes: Boxes | null;
  /** For commands that nobody allowed. */
  readonly care: CareWatch;
  /** Absolute path of bubblewrap, where it has to build the box; null: the launcher does. */
  readonly bubblewrap: string | null;
  /** What builds it on macOS; null elsewhere. */
  readonly mac: MacBuilder | null;
  /** Null where layers cannot be had on this machine. */
  readonly layers: Layers | null;
  /** Layers over histories; null as above. */
  readonly histories: Histories | null;
  readonly nested: Watched;
  /** The filtered way out of a command's box, by the command's id; null where it has none. */
  readonly networkOf: (id: string) => BoxNetwork | null;
  /** What brings calls of tools out of a command's box, by the command's id; null for none. */
  readonly toolsOf: (id: string) => BoxTools | null;
}

/** What one command's box is given so that brokered tools can be called in it. */
export interface BoxTools {
  /** Stands first on the PATH. */
  readonly folder: string;
  /** What is to be started for a program that a plan names by its path; null: that program. */
  readonly insteadOf: (file: string) => string | null;
  /** For a command of this user's. Mounted last. */
  readonly entriesFor: (uid: number) => readonly Entry[];
  /** The box stands. */
  readonly begun: () => void;
  /** Nothing of the command lives any more. */
  readonly close: () => void;
}

/** A filtered way out of one box. */
export interface BoxNetwork {
  /** Where it listens on the box's own loopback. */
  readonly port: number;
  /** By which programs in the box find it and whom they trust. */
  readonly variables: Readonly<Record<string, string>>;
  /** Variables that are taken from what else the command has. Absent: none. */
  readonly without?: readonly string[];
  /** What they need for that. */
  readonly entries: readonly Entry[];
  /** Takes over the socket that was opened in the box. */
  readonly listens: (server: Server) => void;
  /** A command in the box has ended: what was allowed for it alone holds no more. */
  readonly commandEnded?: () => void;
  /** The box is gone. */
  readonly close: () => void;
}

/** How commands of one agent run in a box. */
interface SandboxSettings extends SandboxConfig {
  readonly workspaces: readonly string[];
}

/** What holds for an agent and who asks through it: their own fields over those for all. */
export function sandboxSettings(
  config: Config,
  agent: string,
  overrides: SandboxOverrides = noOverrides,
): SandboxSettings {
  return { ...sandboxFor(config, agent, overrides), workspaces: config.exec.workspaces };
}

/** The workspace that a command in a folder gets. Throws a refusal where that cannot be one. */
export function workspaceFor(
  cwd: string,
  settings: SandboxSettings,
  { ownHome, path }: Pick<SandboxOptions, 'ownHome' | 'path'>,
): string {
  const temporaryBytes = bytesOf(settings.temporary);
  const around = { files: filesOfOneRoot(), ownHome, path, ownerOf, layersOf: () => () => null };
  return planBox(cwd, { ...settings, temporaryBytes }, around).workspace;
}

/** Launches commands in boxes. One launcher a command: it knows what to give back at the end. */
export function boxLauncher(options: SandboxOptions): (task: HostTask) => Launcher {
  const { bubblewrap } = options;
  const leftGroups = new Set<ControlGroup>();
  // The kernel takes a moment to let go of a group whose processes have ended.
  const removeGroups = (again = 0): void => {
    for (const group of leftGroups) if (group.remove()) leftGroups.delete(group);
    if (leftGroups.size > 0 && again < emptyRetries)
      options.clock.after(emptyRetryMs, () => removeGroups(again + 1));
  };
  return (task) => {
    const { id, agent, overrides = noOverrides } = task;
    // What the command has taken, to be given back once, also where its launch fails half-way.
    const taken: (() => void)[] = [];
    return {
      prepare: (command) => {
        const settings = options.settings(agent, overrides);
        const { mac } = options;
        if (mac !== null) {
          const box = boxOf(command.cwd, { ...options, settings, task, taken, care: null });
          const env = { ...withoutSockets(command.env), ...settings.environment };
          return macLaunch(box, { ...command, env }, { ...options, mac, settings, id, taken });
        }
        if (!existsSync(options.launcher)) throw noLauncher();
        if (bubblewrap !== null && settings.least === 'box') throw notAccepted();
        const network = settings.network === 'restricted' ? options.networkOf(id) : null;
        if (settings.network === 'restricted' && network === null) throw noFilteredNetwork();
        let isKept = false;
        if (network !== null) taken.push(() => (isKept ? undefined : network.close()));
        const tools = options.toolsOf(id);
        if (tools !== null) taken.push(() => tools.close());
        removeGroups();
        const { settings: _, bubblewrap: __, boxes: ___, mac: ____, ...around } = options;
        const care = task.unasked === true ? options.care : null;
        const plan = planOf(command, { ...around, settings, task, taken, care, network, tools });
        const limits = { memory: bytesOf(settings.memory), processes: settings.processes };
        const needs = { limits, network };
        const box = bubblewrap === null ? (options.boxes?.take(task, plan, needs) ?? null) : null;
        if (box !== null) {
          isKept = box.keepsNetwork;
          taken.push(box.release);
          const { keeper, started } = box;
          return { keeper, started, plan: encodePlan(box.plan) };
        }
        const { groups } = options;
        const group = groups.ok ? groups.open(id, limits) : null;
        if (group !== null) taken.push(() => void leftGroups.add(group));
        const alone = { ...plan, groups: group?.files ?? [] };
        if (bubblewrap === null)
          return {
            file: options.launcher,
            plan: encodePlan(alone),
            ...(network !== null && { listens: network.listens }),
          };
        const { launcher } = options;
        const factsAt = (path: string) => rootFiles().facts(path);
        return {
          ...bubblewrapLaunch(alone, { program: bubblewrap, launcher, facts: factsAt }),
          ...(network !== null && { listens: network.listens }),
        };
      },
      refusal: launchRefusal,
      closed: () => {
        for (const giveBack of taken.splice(0)) giveBack();
        options.histories?.closed(id);
        options.nested.closed(id);
        removeGroups();
      },
    };
  };
}

interface PlanOptions extends Omit<
  SandboxOptions,
  'settings' | 'care' | 'bubblewrap' | 'boxes' | 'mac'
> {
  readonly settings: SandboxSettings;
  readonly task: HostTask;
  readonly taken: (() => void)[];
  /** Null where somebody allowed the command. */
  readonly care: CareWatch | null;
  readonly network: BoxNetwork | null;
  readonly tools: BoxTools | null;
}

/** What the command is to see, and as whom; what was taken for that is given back with it. */
function boxOf(
  cwd: string,
  {
    settings,
    layers,
    histories,
    nested,
    ownHome,
    path,
    task,
    taken,
    care,
  }: Omit<PlanOptions, 'network' | 'tools'>,
): Box {
  const { onlyLooks = false } = task;
  return planBox(
    cwd,
    { ...settings, onlyLooks, temporaryBytes: bytesOf(settings.temporary) },
    {
      files: filesOfOneRoot(),
      ownHome,
      path,
      ownerOf,
      ...(care !== null && {
        careOf: (folder: string, { home }: Owner) =>
          onlyLooks ? care.hidden(folder, home) : care.entries(task.id, folder, home),
      }),
      // Another user could not reach them: they lie in a folder of ours.
      layersOf: (workspace, owner) => {
        const own = owner.uid === ownUid() ? (layers?.take(workspace, owner) ?? null) : null;
        if (own === null) return () => null;
        taken.push(own.release);
        return own.layerOf;
      },
      nestedOf: (folder) => nested.begin(task, folder),
      historyOf: (place, owner) => histories?.take(task.id, place, owner) ?? null,
    },
  );
}

function planOf(
  { file, argv0, args, cwd, env, tells }: ReadyCommand,
  options: PlanOptions,
): LaunchPlan {
  const { settings, network, tools } = options;
  const box = boxOf(cwd, options);
  return {
    mode: 'box',
    uid: box.owner.uid,
    gid: box.owner.gid,
    parent: process.pid,
    noNetwork: settings.network !== 'full',
    ...(network !== null && { proxyPort: network.port }),
    tells,
    limits: {
      processes: settings.processes,
      // Of one process; the group, where there is one, counts them together.
      memory: bytesOf(settings.memory),
      fileSize: 0,
      cpuSeconds: settings.cpuSeconds ?? 0,
      openFiles: 0,
    },
    cwd,
    file: tools?.insteadOf(file) ?? file,
    argv: [argv0, ...args],
    env: {
      ...without({ ...withoutSockets(env), ...settings.environment }, network?.without ?? []),
      ...network?.variables,
      HOME: box.owner.home,
      USER: box.owner.name,
      LOGNAME: box.owner.name,
      TMPDIR: '/tmp',
      ...(tools !== null && { PATH: withFirst(tools.folder, { ...env, ...settings.environment }) }),
    },
    entries: [
      ...box.entries,
      ...(network?.entries ?? []),
      ...(tools?.entriesFor(box.owner.uid) ?? []),
    ],
    groups: [],
  };
}

function without(env: Readonly<Record<string, string>>, names: readonly string[]) {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !names.includes(name)));
}

function withFirst(folder: string, { PATH }: Readonly<Record<string, string>>): string {
  return PATH === undefined || PATH === '' ? folder : `${folder}:${PATH}`;
}

/** Variables that name sockets of the person's session, which are not there inside. */
const ofSockets = new Set(['SSH_AUTH_SOCK', 'XDG_RUNTIME_DIR', 'DBUS_SESSION_BUS_ADDRESS']);

function withoutSockets(env: Readonly<Record<string, string>>) {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !ofSockets.has(name)));
}

/** What is said where a sandbox could not be built. Nothing ran, and nothing runs without it. */
export function launchRefusal({ step, error }: Begun & { readonly ok: false }): Error {
  if (step === 'source-changed')
    return refuse(
      'binding-drift',
      'The workspace, or a file of it that was named, was exchanged between the decision and the start.',
      'Nothing was run. Look at what changed, then ask again.',
    );
  return refuse(
    'host-unavailable',
    `The sandbox could not be set up (${step}: ${error}), so nothing was run.`,
    'See interlock sandbox status for what is missing and what would mend it.',
  );
}

function notAccepted(): Error {
  return refuse(
    'host-unavailable',
    'Only bubblewrap can build a sandbox on this machine, and sandbox.least asks for more, so nothing was run.',
    'See interlock sandbox status, or have a person set sandbox.least to "bubblewrap".',
  );
}

function noFilteredNetwork(): Error {
  return refuse(
    'host-unavailable',
    'Nothing filters the network of this sandbox, so nothing was run.',
    'Have a person set sandbox.network in config.json to "none".',
  );
}

function noLauncher(): Error {
  return refuse(
    'host-unavailable',
    'The launcher of the sandbox is not installed, so nothing was run.',
    'Build it (a C compiler has to be there), or have a person set exec.host to gateway.',
  );
}
