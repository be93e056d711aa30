import { readdirSync, realpathSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { messageOf, refuse } from '../../../shared/base/index.ts';
import { workspaceOf } from '../../../shared/engine/index.ts';
import { ensurePrivateDirectory, ownUid } from '../../../shared/home/index.ts';
import { makeClone, planClone, releaseClone } from './clone.ts';
import { makeJj, planJj, releaseJj } from './jj.ts';
import { isThere } from './record.ts';
import type {
  Kept,
  Prepared,
  ReleaseOptions,
  WorkspaceRecord,
  WorkspaceSource,
  WorkspaceTools,
} from './record.ts';
import { withLock } from './run.ts';
import { makeWorktree, planWorktree, releaseWorktree } from './worktree.ts';

const nameShape = /^[A-Za-z0-9][A-Za-z0-9_-]{0,47}$/u;

function lockOf(name: string, root: string): string {
  return join(root, `.${name}.lock`);
}

/**
 * Makes the workspace of a box. `keep` gets its record twice: before anything is made, and when it is
 * whole; whoever is killed in between finds in it what `releaseWorkspace` needs to take everything back.
 * What fails is taken back at once, and the refusal says so.
 */
export async function prepareWorkspace(
  name: string,
  source: WorkspaceSource,
  tools: WorkspaceTools,
  keep: (record: WorkspaceRecord) => void,
): Promise<Prepared> {
  if (!nameShape.test(name)) throw new Error('The name of a box cannot name a folder.');
  if (source.kind === 'directory') {
    const record = { kind: 'directory', path: directoryOf(source.path, tools) } as const;
    keep(record);
    return { record, notes: [] };
  }
  ensurePrivateDirectory(tools.root, { uid: ownUid() });
  const lock = lockOf(name, tools.root);
  return withLock(lock, async (held) => {
    const context = { home: tools.home, path: tools.path, locks: [held] };
    const { record, notes } = await planOf(name, source, tools, context);
    keep(record);
    try {
      await make(record, tools, context);
    } catch (error) {
      await takeBack(record, context, error);
    }
    const whole = { ...record, ready: true };
    keep(whole);
    return { record: whole, notes };
  });
}

type Made = Exclude<WorkspaceRecord, { readonly kind: 'directory' }>;
type Context = Parameters<typeof makeJj>[1];

async function planOf(
  name: string,
  source: Exclude<WorkspaceSource, { readonly kind: 'directory' }>,
  tools: WorkspaceTools,
  context: Context,
): Promise<{ readonly record: Made; readonly notes: readonly string[] }> {
  if (source.kind === 'worktree') return planWorktree(name, source.repository, context, tools);
  if (source.kind === 'clone') return { record: planClone(name, source.from, tools), notes: [] };
  return { record: await planJj(name, source.repository, context, tools), notes: [] };
}

async function make(record: Made, tools: WorkspaceTools, context: Context): Promise<void> {
  switch (record.kind) {
    case 'worktree':
      tools.tell(`Making a worktree on the branch ${record.branch}`);
      return makeWorktree(record, context);
    case 'jj':
      tools.tell('Adding a workspace of jj');
      return makeJj(record, context);
    case 'clone':
      tools.tell(`Cloning ${record.from}`);
      return makeClone(record, context, tools);
  }
}

const asMade: ReleaseOptions = { keepBranch: false, discard: false };

async function takeBack(record: Made, context: Context, error: unknown): Promise<never> {
  try {
    await release(record, asMade, context);
  } catch (second) {
    throw refuse(
      'host-unavailable',
      `${messageOf(error)} What was made of the workspace could not be taken back: ${messageOf(second)}`,
      'interlock box gc tries it again.',
      { cause: error },
    );
  }
  throw error;
}

async function release(
  record: WorkspaceRecord,
  options: ReleaseOptions,
  context: Context,
): Promise<readonly Kept[]> {
  if (record.kind === 'directory') return [];
  if (record.kind === 'worktree') return releaseWorktree(record, options, context);
  if (record.kind === 'clone') return releaseClone(record, options, context);
  return releaseJj(record, options, context);
}

/**
 * Gives the workspace of a box back, at whichever step its making or an earlier release was stopped. No
 * process of the box may run any more. What may be somebody's work is left and handed back as `kept`;
 * afterwards it is the person's, and Interlock knows nothing of it. Doing it again changes nothing.
 */
export async function releaseWorkspace(
  name: string,
  record: WorkspaceRecord,
  options: ReleaseOptions,
  tools: WorkspaceTools,
): Promise<readonly Kept[]> {
  if (!isThere(tools.root)) return [];
  if (record.kind !== 'directory' && record.path !== join(tools.root, name))
    throw refuse(
      'config-invalid',
      `The workspace of ${name} is not where Interlock makes them.`,
      `Look at ${record.path}, and remove it by hand.`,
    );
  // Also where nothing was made: whoever took the lock for that may have been killed with it.
  return withLock(lockOf(name, tools.root), async (lock) =>
    release(record, options, { home: tools.home, path: tools.path, locks: [lock] }),
  );
}

/** Folders among the workspaces that no box knows of; they may hold work, so they are only told. */
export function strayWorkspaces(root: string, known: ReadonlySet<string>): readonly string[] {
  if (!isThere(root)) return [];
  return readdirSync(root)
    .filter((name) => !name.startsWith('.') && !known.has(name.split('.')[0] ?? name))
    .map((name) => join(root, name));
}

function directoryOf(path: string, { home, interlockHome }: WorkspaceTools): string {
  const unfit = (why: string): Error =>
    refuse(
      'invalid-request',
      `${path} cannot be a workspace: ${why}.`,
      'Name a folder of a project.',
    );
  let [real, realHome] = ['', home];
  try {
    real = realpathSync(path);
    realHome = realpathSync(home);
  } catch {
    throw unfit('it is not there');
  }
  if (!statSync(real).isDirectory()) throw unfit('it is not a folder');
  const homes = [home, realHome] as const;
  const found = workspaceOf(real, { given: [real], homes, isThere });
  if (!found.ok) throw unfit(found.why);
  const own = isThere(interlockHome) ? realpathSync(interlockHome) : interlockHome;
  if (`${own}/`.startsWith(`${real}/`) || `${real}/`.startsWith(`${own}/`))
    throw unfit('it belongs to Interlock, or holds what does');
  return real;
}
