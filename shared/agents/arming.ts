import { existsSync, lstatSync, readFileSync, readdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';
import { sha256 } from '../base/index.ts';
import { parseObject, UnfitText } from './edit-settings.ts';
import { lookAtHooks } from './health.ts';
import { hookProgramPath } from './hook-command.ts';
import type { Env } from './host.ts';
import type { AgentHost } from './list.ts';
import { recordOf } from './registry.ts';
import { hookFile } from './settings-file.ts';

/** Where an agent works: its host, and the folder that its session has. */
export interface ArmingSubject {
  readonly host: AgentHost;
  readonly folder: string;
}

interface ArmingOptions {
  readonly env: Env;
  readonly packageRoot: string;
}

/** What the files say of the hooks of one host in one folder. */
export interface Arming {
  /** A hook of ours stands in some scope that the host reads. */
  readonly present: boolean;
  /** Why the host would not ask, as sentences: a hook that is off, weak, changed or gone. */
  readonly problems: readonly string[];
  /** What is in folders of plug-ins, of which each may change what another has approved. */
  readonly plugins: string;
  /** Every file that was looked at, there or not, for those who watch them. */
  readonly files: readonly string[];
}

const maxBytes = 4 * 1024 * 1024;

/**
 * Looks at every scope in which a host reads hooks: managed, the person's, and the project's with its
 * local file, in the folder and in all above it. Never throws; what cannot be read is a problem.
 */
export function lookAtArming({ host, folder }: ArmingSubject, options: ArmingOptions): Arming {
  const { env } = options;
  const { places, keeping, off: offIn, ...record } = recordOf(host);
  const managed = record.managed?.read ?? [];
  const personal = hookFile(host, { env, project: null });
  const projects = foldersUp(folder, env).flatMap((at) =>
    places.inProject.map((name) => join(at, name)),
  );
  const files = [...managed, personal, ...projects, ...places.besides(env)];
  const texts = files.map((path) => ({ path, text: textOf(path) }));
  const ours = texts.filter(({ text }) => text?.includes(hookProgramPath) === true);
  const strong = ours.some(({ path }) => managed.includes(path));
  const own = ours.flatMap(({ path, text }) => brokenIn(host, { path, text }, options));
  const off = strong ? [] : texts.flatMap((file) => switchedOff(host, file));
  return {
    present: ours.length > 0,
    problems: [...new Set([...own, ...off, ...(strong ? [] : offIn(env))])],
    plugins: digestOf(personal, [
      ...(keeping.kind === 'plugin'
        ? [...keeping.folders.map((name) => join(places.folder(env), name)), ...projects]
        : []),
      ...(strong ? [] : overridingIn(places.overriding?.(env) ?? [], { folder, env })),
    ]),
    files,
  };
}

/** Where hooks stand that come after ours: in each folder of the project, and of the person. */
function overridingIn(
  names: readonly string[],
  { folder, env }: { readonly folder: string; readonly env: Env },
): readonly string[] {
  const folders = foldersUp(folder, env);
  return names.flatMap((name) => (isAbsolute(name) ? [name] : folders.map((at) => join(at, name))));
}

/** The folder and those above it, up to the home folder or the root, which are not projects. */
function foldersUp(folder: string, env: Env): readonly string[] {
  const home = env['HOME'] || homedir();
  const found: string[] = [];
  for (let at = folder; at !== home && found.length < 32; at = dirname(at)) {
    found.push(at);
    if (dirname(at) === at) break;
  }
  return found;
}

function textOf(path: string): string | null {
  try {
    const stats = lstatSync(path, { throwIfNoEntry: false });
    if (stats === undefined || stats.isDirectory() || stats.size > maxBytes) return null;
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}

interface ReadFile {
  readonly path: string;
  readonly text: string | null;
}

/** What is wrong with a file that holds our hook. */
function brokenIn(
  host: AgentHost,
  { path, text }: ReadFile,
  { env, packageRoot }: ArmingOptions,
): readonly string[] {
  const looked = lookAtHooks(host, text, { env, packageRoot, path });
  if (looked === null) return [`${path} names the hook program and starts no hook.`];
  return looked.broken.map((sentence) => `${path}: ${sentence}`);
}

/** Keys by which a file of any scope turns hooks off, also a file that holds none of ours. */
function switchedOff(host: AgentHost, { path, text }: ReadFile): readonly string[] {
  const { keeping } = recordOf(host);
  if (text === null || keeping.switches === null) return [];
  const dialect = keeping.kind === 'settings' ? keeping.format : { comments: true };
  try {
    const settings = parseObject(text, dialect);
    return keeping.switches(settings).map((sentence) => `${path}: ${sentence}`);
  } catch (error) {
    if (!(error instanceof UnfitText)) throw error;
    // The host reads no settings from it either, so it turns nothing off.
    return [];
  }
}

/** Names and contents of plug-ins and hooks beside ours, in folders or files of their own, as one digest. */
function digestOf(ours: string, places: readonly string[]): string {
  const paths = places.flatMap((place) => [place, ...below(place)]);
  const parts = paths
    .filter((path) => path !== ours && existsSync(path))
    .flatMap((path) => [path, textOf(path) ?? '']);
  return parts.length === 0 ? '' : sha256(JSON.stringify(parts));
}

/** How deep a plug-in that is a folder is looked into; what hosts start stands at its top. */
const deepest = 3;

/** What is in a folder and in those below it; nothing for what is none. */
function below(folder: string, depth = 1): readonly string[] {
  let names: readonly string[];
  try {
    names = readdirSync(folder).toSorted();
  } catch {
    return [];
  }
  return names.flatMap((name) => {
    const path = join(folder, name);
    return [path, ...(depth < deepest && name !== 'node_modules' ? below(path, depth + 1) : [])];
  });
}

/**
 * Why the gate would no longer be asked, against how it was when it last was; null where nothing got
 * worse. A set-up that was weak from the start is for `doctor` to tell.
 */
export function disarmedSince(before: Arming, now: Arming): string | null {
  const fresh = now.problems.find((problem) => !before.problems.includes(problem));
  if (fresh !== undefined) return fresh;
  if (before.present && !now.present) return 'The hook that asks Interlock was taken out.';
  if (before.plugins !== now.plugins)
    return 'A plug-in or another hook of the agent was added, changed or taken out; one can change a command after its approval.';
  return null;
}
