import { existsSync, mkdirSync, readFileSync, rmSync, rmdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import {
  UnfitText,
  askSeconds,
  askedTwice,
  findHooks,
  hookPlan,
  hookFile,
  hookFormatOf,
  clientPath,
  hookProgramPath,
  hooksOf,
  hosts,
  isHost,
  limitsFor,
  parseObject,
  pluginTemplate,
  pluginText,
  readPlugin,
  readSettings,
  recordOf,
  restored,
  titleOf,
  toolGroups,
  toolsOf,
  unifiedDiff,
  withFields,
  untouchable,
  whoRuns,
  withHooks,
} from '../../shared/agents/index.ts';
import type {
  AgentHost,
  HookCommand,
  ManagedSettings,
  ManagedText,
  SettingsFile,
  ToolGroup,
} from '../../shared/agents/index.ts';
import { refuse } from '../../shared/base/index.ts';
import { homePaths, writeFileAtomic } from '../../shared/home/index.ts';
import { CliError } from './failure.ts';
import type { Io } from './io.ts';

/** What is to become of a file. */
export interface Change {
  readonly file: SettingsFile;
  /** Null: the file goes. */
  readonly after: string | null;
  /** What becomes of the copy of the file from before the hooks. */
  readonly copy: 'make' | 'keep' | 'drop';
}

interface Wanted {
  readonly command: HookCommand;
  /** Whole seconds that the host waits for the hook. */
  readonly seconds: number;
  readonly tools: readonly ToolGroup[];
  /** Folder of the installed package, where the plugin is. */
  readonly packageRoot: string;
}

/** The copy of a file from before the hooks, beside it. */
export function copyOf(path: string): string {
  return `${path}.before-interlock`;
}

/** The file with the hooks as wanted. */
export function installing(file: SettingsFile, wanted: Wanted): Change {
  const { command, seconds, tools, packageRoot } = wanted;
  const { path, text } = file;
  const { keeping } = recordOf(command.host);
  if (keeping.kind === 'plugin') {
    if (text !== null && readPlugin(text) === null)
      throw untouchable(path, 'is not a plugin of Interlock');
    return {
      file,
      after: pluginText(pluginTemplate(packageRoot, keeping.asset), { command, tools }),
      copy: 'drop',
    };
  }
  const { format } = keeping;
  return editing(path, () => {
    const after = withHooks(text, hookPlan(command, { seconds, tools }), format);
    if (text === null) return { file, after, copy: 'drop' };
    return { file, after, copy: hooksOf(text, format).length === 0 ? 'make' : 'keep' };
  });
}

/**
 * The settings of the machine with the hooks as wanted, and with what keeps others from coming after
 * them or turning them off. All that stood there stays, but for those fields.
 */
export function installingManaged(file: SettingsFile, wanted: Wanted): Change {
  const { host } = wanted.command;
  const managed = managedFor(host);
  if (managed.text !== undefined) return managedAsText(file, wanted, managed.text);
  const { after, copy } = installing(file, wanted);
  const format = hookFormatOf(host);
  if (format === null || after === null) throw noManaged(host);
  return editing(file.path, () => ({
    file: { ...file, mode: file.text === null ? modeOfManaged : file.mode },
    after: managed.lockIn === undefined ? withFields(after, managed.lock, format) : after,
    copy,
  }));
}

/** The file of a host that has the lock alone; null where the lock stands beside the hook. */
export function lockFile(host: AgentHost, uid: number): SettingsFile | null {
  const { lockIn } = managedFor(host);
  return lockIn === undefined ? null : readSettings(lockIn, { uid, project: null });
}

/** The lock in a file of its own, or that file without it. */
export function locking(file: SettingsFile, host: AgentHost, isOn: boolean): Change {
  const { lock } = managedFor(host);
  const fields = isOn
    ? lock
    : Object.fromEntries(Object.keys(lock).map((name): [string, null] => [name, null]));
  return editing(file.path, () => {
    const after = isOn || file.text !== null ? withFields(file.text, fields, plainJson) : '{}';
    const isEmpty = Object.keys(parseObject(after, plainJson)).length === 0;
    return {
      file: { ...file, mode: file.text === null ? modeOfManaged : file.mode },
      after: isEmpty ? null : after,
      copy: 'keep',
    };
  });
}

const plainJson = { comments: false } as const;

/** The settings of the machine as they were before, where nothing else has changed. */
export function uninstallingManaged(file: SettingsFile, host: AgentHost): Removal | null {
  const managed = managedFor(host);
  if (managed.text !== undefined) return outOfText(file, managed.text);
  const format = hookFormatOf(host);
  if (format === null) throw noManaged(host);
  const removal = uninstalling(file, host);
  if (removal === null || removal.after === null || existsSync(copyOf(file.path))) return removal;
  if (managed.lockIn !== undefined) return removal;
  const unlocked = Object.fromEntries(Object.keys(managed.lock).map((name) => [name, null]));
  return editing(file.path, () => {
    const after = withFields(removal.after, unlocked, format);
    const isEmpty = Object.keys(parseObject(after, format)).length === 0;
    return { ...removal, after: isEmpty ? null : after };
  });
}

function managedAsText(file: SettingsFile, wanted: Wanted, form: ManagedText): Change {
  const { command, seconds, tools } = wanted;
  const after = form.withHooks(file.text, hookPlan(command, { seconds, tools }));
  if (after === null)
    throw untouchable(file.path, 'says something about hooks or features itself, or is not valid');
  const mode = file.text === null ? modeOfManaged : file.mode;
  return { file: { ...file, mode }, after, copy: 'drop' };
}

function outOfText(file: SettingsFile, form: ManagedText): Removal | null {
  const { text } = file;
  const [first] = text === null ? [] : findHooks(form.read(text));
  if (text === null || first === undefined) return null;
  const after = form.withoutHooks(text);
  const { agent } = first.command;
  return { file, after: after.trim() === '' ? null : after, copy: 'drop', agent };
}

/** Everybody reads them, only root writes them. */
const modeOfManaged = 0o644;

/** The managed settings of a host. Throws `invalid-request` where it has none that could be used. */
export function managedFor(host: AgentHost): ManagedSettings {
  const { managed } = recordOf(host);
  if (managed === null) throw noManaged(host);
  return managed;
}

function noManaged(host: AgentHost): Error {
  return refuse(
    'invalid-request',
    `${titleOf(host)} has no settings of the machine into which Interlock can put its hook.`,
    `Install it for yourself: interlock install ${host}`,
  );
}

/** Throws `policy-deny` for anybody but root, who alone writes the settings of the machine. */
export function requireRoot(uid: number, path: string): void {
  if (uid === 0) return;
  throw refuse(
    'policy-deny',
    `${path} is for the administrator of this machine to write.`,
    'Say it again with sudo. Before that, as yourself: interlock install HOST makes the key.',
  );
}

/** A change that takes hooks out. */
interface Removal extends Change {
  /** In whose name the hook asked. */
  readonly agent: string;
}

/** The file as it was before, where nothing else has changed; null where no hook of ours is in it. */
export function uninstalling(file: SettingsFile, host: AgentHost): Removal | null {
  const { path, text } = file;
  if (text === null) return null;
  const format = hookFormatOf(host);
  if (format === null) {
    const plan = readPlugin(text);
    return plan === null ? null : { file, after: null, copy: 'drop', agent: plan.command.agent };
  }
  return editing(path, () => {
    const [first] = hooksOf(text, format);
    if (first === undefined) return null;
    const before = existsSync(copyOf(path)) ? readFileSync(copyOf(path), 'utf8') : null;
    const after = restored(text, before, format);
    const { agent } = first.command;
    return { file, after, copy: after === before ? 'drop' : 'keep', agent };
  });
}

function editing<T>(path: string, edit: () => T): T {
  try {
    return edit();
  } catch (error) {
    if (error instanceof UnfitText) throw untouchable(path, error.message);
    throw error;
  }
}

/** Whether the file would be another one. */
export function changes({ file, after }: Change): boolean {
  return file.text !== after;
}

/** The change as a unified diff; empty where there is none. */
export function diffOf({ file, after }: Change): string {
  return file.text === after ? '' : unifiedDiff(file.path, file.text ?? '', after ?? '');
}

/** Makes the change, whole or not at all. Nothing is written where nothing changes. */
export function apply(change: Change): void {
  const { file, after } = change;
  requireWritable(change);
  keepCopy(change);
  if (!changes(change)) return;
  requireUntouched(change);
  if (after === null) return remove(file.path);
  // What everybody reads lies in folders that everybody enters.
  const mode = (file.mode & 0o044) === 0 ? 0o700 : 0o755;
  mkdirSync(dirname(file.path), { recursive: true, mode });
  writeFileAtomic(file.path, after, { mode: file.mode });
}

/** A file that was made read-only is meant to stay as it is, though it could be replaced. */
function requireWritable({ file }: Change): void {
  if (file.text !== null && (file.mode & 0o200) === 0)
    throw untouchable(file.path, 'is read-only (chmod u+w makes it writable)');
}

function keepCopy({ file, copy }: Change): void {
  const path = copyOf(file.path);
  if (copy === 'make' && file.text !== null) writeFileAtomic(path, file.text, { mode: file.mode });
  if (copy === 'drop') rmSync(path, { force: true });
}

/** The host writes to the same file. */
function requireUntouched({ file }: Change): void {
  const now = existsSync(file.path) ? readFileSync(file.path, 'utf8') : null;
  if (now === file.text) return;
  throw refuse(
    'concurrency-busy',
    `${file.path} was changed in this moment by another program.`,
    'Nothing was changed. Try again.',
  );
}

/** The folder goes too where nothing else is in it: then it was made for the file. */
function remove(path: string): void {
  rmSync(path);
  try {
    rmdirSync(dirname(path));
  } catch {
    // Something else is in it, or it is not ours to remove.
  }
}

export interface InstallOptions {
  readonly agent?: string;
  readonly tools?: string;
  readonly decideOnly?: boolean;
}

/** A host by the name that a person typed. */
export function hostNamed(name: string): AgentHost {
  if (isHost(name)) return name;
  throw new CliError(`"${name}" is no agent host.`, `It is one of: ${hosts.join(', ')}.`);
}

/** What is to be installed for a host. */
export function wantedFor(host: AgentHost, options: InstallOptions, io: Io): Wanted {
  const { packageRoot } = io;
  const program = join(packageRoot, hookProgramPath);
  if (process.platform === 'win32')
    throw new CliError(
      'Hooks are for the shells of Linux and macOS.',
      'On Windows, let the agent use "interlock mcp".',
    );
  if (!existsSync(program))
    throw new CliError(`The hook program ${program} is missing.`, 'Build it first: npm run build');
  const paths = homePaths(io.env);
  const agent = options.agent ?? host;
  const { wait, host: seconds } = limitsFor(askSeconds(paths, agent));
  const home = paths.home === join(homedir(), '.interlock') ? null : paths.home;
  const decides = options.decideOnly === true ? ({ decideOnly: true } as const) : {};
  const client = join(packageRoot, clientPath);
  const command = {
    ...(existsSync(client) && { client }),
    node: process.execPath,
    program,
    host,
    agent,
    home,
    wait,
    ...decides,
  };
  return { command, seconds, tools: toolsFor(host, options.tools), packageRoot };
}

function toolsFor(host: AgentHost, list: string | undefined): readonly ToolGroup[] {
  const offered = toolsOf(host);
  if (list === undefined) return offered;
  const named = list.split(',').map((name) => name.trim());
  const unknown = named.find((name) => !(toolGroups as readonly string[]).includes(name));
  if (unknown !== undefined)
    throw new CliError(`"${unknown}" is no kind of tool.`, `They are: ${toolGroups.join(', ')}.`);
  const missing = named.find((name) => !(offered as readonly string[]).includes(name));
  if (missing !== undefined)
    throw new CliError(
      `${host} tells its hooks nothing about "${missing}".`,
      `What it tells about: ${offered.join(', ')}.`,
    );
  return offered.filter((group) => named.includes(group));
}

/** What a person still has to know or do after an installation. */
export function adviceFor(
  { host, decideOnly }: Pick<HookCommand, 'host' | 'decideOnly'>,
  { env }: Pick<Io, 'env'>,
): readonly string[] {
  const { advice, objections, guide } = recordOf(host).words;
  const own = objections(env, decideOnly);
  return [whoRuns(host, decideOnly), ...advice, ...own, `What it cannot hold: ${guide}`];
}

/** A sentence where the host has the hook in its other settings too, of the person or of the folder. */
export function twice(host: AgentHost, project: string | null, io: Io): readonly string[] {
  const here = hookFile(host, { env: io.env, project });
  const folder = project === null ? folderOf(io) : null;
  if (project === null && folder === null) return [];
  const other = hookFile(host, { env: io.env, project: folder });
  const hasBoth =
    here !== other && existsSync(other) && readFileSync(other, 'utf8').includes(hookProgramPath);
  return hasBoth ? [askedTwice(host)] : [];
}

/** Null where the folder is gone. */
function folderOf({ cwd }: Pick<Io, 'cwd'>): string | null {
  try {
    return cwd();
  } catch {
    return null;
  }
}
