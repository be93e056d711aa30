import { existsSync, lstatSync, readFileSync, readlinkSync, realpathSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { refuse } from '../../../shared/base/index.ts';
import type { HostTask } from '../host.ts';
import type { Launcher } from '../run-process.ts';
import { encodePlan } from './message.ts';
import type { LaunchLimits } from './message.ts';
import type { Begun, Held } from './report.ts';
import { planBox } from './root.ts';
import type { BoxSettings, BoxSurroundings, Owner, PathFacts, RootFiles } from './root.ts';

/** Where the build leaves the launcher, and packages carry it. */
export function launcherPath(packageRoot: string): string {
  return join(packageRoot, 'dist', 'native', 'interlock-launcher');
}

/** The file system for planning a root; every question is asked anew. */
export function rootFiles(): RootFiles {
  return {
    facts: (path) => orNull(() => factsOf(path)),
    realPath: (path) => orNull(() => realpathSync.native(path)),
    linkText: (path) => orNull(() => readlinkSync(path)),
    text: (path) => orNull(() => readFileSync(path, 'utf8')),
  };
}

function factsOf(path: string): PathFacts {
  const stat = lstatSync(path);
  const kind = stat.isSymbolicLink()
    ? 'link'
    : stat.isDirectory()
      ? 'directory'
      : stat.isFile()
        ? 'file'
        : 'other';
  return { kind, device: stat.dev, inode: stat.ino, uid: stat.uid, gid: stat.gid };
}

function orNull<T>(look: () => T): T | null {
  try {
    return look();
  } catch {
    return null;
  }
}

/**
 * Who a command becomes for a workspace's owner: ourselves, or, where we are root, that user. Root
 * keeps its own number only for a workspace of root's.
 */
function ownerOf(uid: number): Owner | null {
  const own = process.geteuid?.() ?? -1;
  if (uid === own) {
    const { username, homedir } = userInfo();
    return { uid, gid: process.getegid?.() ?? -1, name: username, home: homedir };
  }
  if (own !== 0) return null;
  for (const line of (orNull(() => readFileSync('/etc/passwd', 'utf8')) ?? '').split('\n')) {
    const [name, , number, group, , home] = line.split(':');
    if (name !== undefined && number === String(uid) && home?.startsWith('/') === true)
      return { uid, gid: Number(group), name, home };
  }
  return null;
}

/** How commands run in a box. */
export interface SandboxSettings extends BoxSettings {
  readonly network: 'none' | 'full';
  readonly limits: LaunchLimits;
}

export interface SandboxOptions {
  /** Absolute path of the launcher. */
  readonly launcher: string;
  /** Asked at each launch; may throw a refusal. */
  readonly settings: () => SandboxSettings;
  readonly around: Pick<BoxSurroundings, 'ownHome' | 'path'>;
  readonly layerOf?: BoxSurroundings['layerOf'];
  readonly started?: (id: string, held: Held) => void;
}

/** Launches a command in a box: what it sees, and under which limits. */
export function boxLauncher(options: SandboxOptions): (task: HostTask) => Launcher {
  const files = rootFiles();
  return (task) => ({
    prepare: ({ file, argv0, args, cwd, env }) => {
      if (!existsSync(options.launcher)) throw noLauncher();
      const settings = options.settings();
      const box = planBox(cwd, settings, {
        ...options.around,
        files,
        ownerOf,
        layerOf: options.layerOf ?? (() => null),
      });
      return {
        file: options.launcher,
        plan: encodePlan({
          mode: 'box',
          uid: box.owner.uid,
          gid: box.owner.gid,
          parent: process.pid,
          noNetwork: settings.network === 'none',
          limits: settings.limits,
          cwd,
          file,
          argv: [argv0, ...args],
          env: { ...env, HOME: box.owner.home, TMPDIR: '/tmp', BUN_TMPDIR: '/tmp' },
          entries: box.entries,
          groups: [],
        }),
      };
    },
    refusal: launchRefusal,
    started: (held) => options.started?.(task.id, held),
  });
}

/** What is said where a sandbox could not be built. Nothing ran, and nothing runs without it. */
export function launchRefusal({ step, error }: Begun & { readonly ok: false }): Error {
  if (step === 'source-changed')
    return refuse(
      'binding-drift',
      'The workspace was exchanged between the decision and the start.',
      'Nothing was run. Look at what changed, then ask again.',
    );
  return refuse(
    'host-unavailable',
    `The sandbox could not be set up (${step}: ${error}), so nothing was run.`,
    'See interlock sandbox status for what is missing and what would mend it.',
  );
}

function noLauncher(): Error {
  return refuse(
    'host-unavailable',
    'The launcher of the sandbox is not installed, so nothing was run.',
    'Build it (a C compiler has to be there), or have a person set exec.host to gateway.',
  );
}
