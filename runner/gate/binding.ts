import { createHash } from 'node:crypto';
import { realpathSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { refuse } from '../../shared/base/index.ts';
import type { RefusalError } from '../../shared/base/index.ts';
import type { Analysis, CommandRequest, Executable, Stage } from '../../shared/engine/index.ts';
import { fileIdentity } from './file-identity.ts';
import type { FileIdentity } from './file-identity.ts';

/** A file that a command depends on, and whether its content matters besides its identity. */
interface BoundFile {
  readonly path: string;
  readonly hashed: boolean;
  /** It is run, not only worked on: a command itself has no reason to change it. */
  readonly runs: boolean;
}

const mostOperands = 64;

/**
 * Every file whose change would change what a command does: programs, interpreters, wrappers, and
 * the operands of programs that may run them as code (`python build.py`).
 */
function filesOf(analysis: Analysis): readonly BoundFile[] {
  const files = new Map<string, Omit<BoundFile, 'path'>>();
  const add = (path: string, hashed: boolean, runs = true): void => {
    const known = files.get(path);
    files.set(path, {
      hashed: hashed || known?.hashed === true,
      runs: runs || known?.runs === true,
    });
  };
  const addExecutable = (executable: Executable): void => {
    if (executable.kind !== 'file') return;
    const isScript = executable.interpreter !== null;
    add(executable.path, isScript || executable.agentWritable);
    if (executable.interpreter !== null) add(executable.interpreter, false);
  };
  const addStage = (stage: Stage): void => {
    addExecutable(stage.executable);
    for (const wrapper of stage.wrappers) addExecutable(wrapper.executable);
    for (const carried of stage.carries) addStage(carried);
    for (const path of operandsOf(stage)) add(path, true, leadsTo(path, stage.script));
  };
  for (const stage of analysis.ok ? analysis.plan.stages : analysis.stages) addStage(stage);
  return [...files].map(([path, how]) => ({ path, ...how }));
}

function operandsOf(stage: Stage): readonly string[] {
  const { cwd } = stage;
  if (stage.trust.level === 'open' || cwd === null) return [];
  return stage.argv
    .slice(1, 1 + mostOperands)
    .filter((word) => !word.includes('\0'))
    .map((word) => resolve(cwd, word))
    .filter(isFile);
}

function leadsTo(path: string, script: string | null): boolean {
  try {
    return script !== null && realpathSync.native(path) === script;
  } catch {
    return false;
  }
}

function isFile(path: string): boolean {
  try {
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

/** What an approval covers, as it was when the question was put. */
export interface Binding {
  readonly host: string;
  readonly agent: string;
  readonly cwd: { readonly path: string; readonly device: string; readonly inode: string };
  /** Digests of the words and of the variables that were asked for. */
  readonly command: string;
  readonly environment: string;
  /** Digest of what the analysis made of it: programs found, their real paths, the rendering. */
  readonly plan: string;
  readonly files: readonly FileIdentity[];
  /** The paths among them that are run, not only worked on. */
  readonly running: readonly string[];
}

interface BindingSubject {
  readonly host: string;
  readonly agent: string;
  readonly request: CommandRequest;
  readonly analysis: Analysis;
  /** Whether contents are hashed too: needed where time passes before the start. */
  readonly hashed: boolean;
}

/** Takes down everything that must still be so when the command starts. */
export function bindingOf(subject: BindingSubject): Binding {
  const { host, agent, request, analysis, hashed } = subject;
  const files = filesOf(analysis);
  return {
    host,
    agent,
    cwd: directoryOf(request.cwd),
    command: digest(request.argv ?? request.command ?? ''),
    environment: digest(Object.entries(request.env ?? {}).toSorted(byName)),
    plan: digest(analysis),
    files: files.map((file) => fileIdentity(file.path, hashed && file.hashed)),
    running: files.filter(({ runs }) => runs).map(({ path }) => path),
  };
}

/** One digest of the whole binding: two commands with the same one are the same command. */
export function bindingDigest(binding: Binding): string {
  return digest(binding);
}

/** Throws `binding-drift`, with a sentence about the first difference. */
export function requireSame(approved: Binding, now: Binding): void {
  const what = driftOf(approved, now);
  if (what === null) return;
  throw refuse(
    'binding-drift',
    `${what} changed between the decision and the start.`,
    'Nothing was run. Look at what changed, then ask again.',
  );
}

/**
 * The same question about files and folder alone, once more and quickly, for a command that has just
 * been started: the last moment at which a swap between the check and the start can be seen.
 */
export function driftAtStart(approved: Binding): RefusalError | null {
  const moved = digest(directoryOf(approved.cwd.path)) !== digest(approved.cwd);
  const file = approved.files.find(
    ({ sha256, ...known }) =>
      approved.running.includes(known.path) &&
      digest({ ...fileIdentity(known.path, false), sha256 }) !== digest({ ...known, sha256 }),
  );
  if (!moved && file === undefined) return null;
  const what = moved ? `The directory ${approved.cwd.path}` : `The file ${file?.path ?? ''}`;
  return refuse(
    'binding-drift',
    `${what} changed just as the command was started. The command was stopped.`,
    'Look at what it did, and at what changed, before you ask again.',
  );
}

function directoryOf(path: string): Binding['cwd'] {
  const directory =
    realPathOf(path) === path ? statSync(path, { bigint: true, throwIfNoEntry: false }) : undefined;
  return { path, device: String(directory?.dev ?? ''), inode: String(directory?.ino ?? '') };
}

/** A folder that has become a link to itself can lead elsewhere a moment later. */
function realPathOf(path: string): string | null {
  try {
    return realpathSync.native(path);
  } catch {
    return null;
  }
}

function driftOf(approved: Binding, now: Binding): string | null {
  if (approved.host !== now.host || approved.agent !== now.agent) return 'The host or the agent';
  if (digest(approved.cwd) !== digest(now.cwd)) return `The directory ${approved.cwd.path}`;
  if (approved.command !== now.command) return 'The command';
  if (approved.environment !== now.environment) return 'The environment';
  for (const [index, file] of approved.files.entries())
    if (digest(file) !== digest(now.files[index] ?? null)) return `The file ${file.path}`;
  if (approved.plan !== now.plan || approved.files.length !== now.files.length)
    return 'What the command would run';
  return null;
}

function byName(a: readonly [string, string], b: readonly [string, string]): number {
  return a[0] < b[0] ? -1 : a[0] > b[0] ? 1 : 0;
}

function digest(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex');
}
