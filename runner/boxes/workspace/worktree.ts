import { existsSync, readdirSync, rmdirSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { refuse, sha256 } from '../../../shared/base/index.ts';
import { writeFileAtomic } from '../../../shared/home/index.ts';
import { askGit, checkOut, gitIn, repositoryAt, textIn, throughView, workIn } from './git.ts';
import type { GitContext, Repository } from './git.ts';
import { besides, isThere, newToken, placeOf, requireFree } from './record.ts';
import type { Kept, ReleaseOptions, WorkspaceTools, WorktreeRecord } from './record.ts';
import { complaintOf, removeTree, withLock } from './run.ts';

const commit = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/u;

/**
 * What the worktree of a box will be, decided before anything is made: a branch of its own at the
 * repository's HEAD, or the branch that an earlier box of this name has left. Throws where it cannot be.
 */
export async function planWorktree(
  name: string,
  folder: string,
  context: GitContext,
  tools: WorkspaceTools,
): Promise<{ readonly record: WorktreeRecord; readonly notes: readonly string[] }> {
  const repository = repositoryAt(folder);
  const place = placeOf(name, tools);
  requireFree(place);
  const branch = `interlock-${name}`;
  const head = await gitIn(
    { shared: repository.own },
    ['rev-parse', '-q', '--verify', 'HEAD^{commit}'],
    context,
  );
  const at = head.stdout.trim();
  if (head.code !== 0 || !commit.test(at))
    throw refuse(
      'invalid-request',
      `${folder} has no commit yet, so there is nothing to begin a branch at.`,
      'Commit something first, or use --workspace.',
    );
  const isOld = await hasBranch(repository, branch, context);
  const whose = { path: place, repository: repository.shared };
  if (isOld) await alone(whose, context, (inside) => requireUnused(repository, branch, inside));
  const notes = isOld ? [`The branch ${branch} of an earlier box goes on.`] : [];
  notes.push(...(await notesOn(repository, context)));
  return {
    record: {
      kind: 'worktree',
      path: place,
      repository: repository.shared,
      branch,
      base: isOld ? null : at,
      token: newToken(),
      ready: false,
    },
    notes,
  };
}

async function hasBranch(at: Repository, branch: string, context: GitContext): Promise<boolean> {
  const words = ['rev-parse', '-q', '--verify', `refs/heads/${branch}^{commit}`];
  return (await gitIn(at, words, context)).code === 0;
}

/** The folders of the work trees in which a branch is checked out. */
async function usersOf(
  at: Pick<Repository, 'shared'>,
  branch: string,
  context: GitContext,
): Promise<readonly string[]> {
  const list = await askGit(at, ['worktree', 'list', '--porcelain', '-z'], context);
  return list
    .split('\0\0')
    .map((one) => one.split('\0'))
    .filter((lines) => lines.includes(`branch refs/heads/${branch}`))
    .map((lines) => (lines[0] ?? '').replace(/^worktree /u, ''));
}

async function requireUnused(at: Repository, branch: string, context: GitContext): Promise<void> {
  const [user] = await usersOf(at, branch, context);
  if (user === undefined) return;
  throw refuse(
    'invalid-request',
    `The branch ${branch} is checked out in ${user}.`,
    `Switch to another branch there, or work in it with --workspace ${user}.`,
  );
}

async function notesOn(repository: Repository, context: GitContext): Promise<string[]> {
  const { tree, own, shared } = repository;
  if (tree === null) return [];
  const words = ['status', '--porcelain', '-z', '--ignore-submodules=all'];
  const status = await throughView({ tree, own, shared }, context, (git) => git(words));
  const notes: string[] = [];
  if (status.stdout !== '')
    notes.push(`What is not committed in ${tree} is not in the box's worktree.`);
  if (isThere(join(tree, '.gitmodules')))
    notes.push('Its submodules are not fetched: git submodule update --init in the box.');
  return notes;
}

function reasonOf(name: string, token: string): string {
  return `interlock box ${name} (${token})`;
}

/** Makes what was planned. Whatever it throws in between, `releaseWorktree` takes back. */
export async function makeWorktree(record: WorktreeRecord, context: GitContext): Promise<void> {
  const { path, branch, base, token } = record;
  const at = { shared: record.repository };
  const reason = reasonOf(basename(path), token);
  // The reflog says whose branch this is: with it, nobody else's is ever taken for ours.
  if (base !== null)
    await askGit(
      at,
      [
        'update-ref',
        '--create-reflog',
        '-m',
        reason,
        `refs/heads/${branch}`,
        base,
        '0'.repeat(base.length),
      ],
      context,
    );
  const add = ['worktree', 'add', '-q', '--no-checkout', '--lock', '--reason', reason];
  await alone(record, context, (inside) => askGit(at, [...add, '--', path, branch], inside));
  const own = ownFolders(record)[0];
  if (own === undefined) throw new Error('Git made a worktree that it does not know.');
  await checkOut({ own, shared: record.repository, tree: path }, context);
}

/**
 * One worktree of a repository is made or removed at a time: Git reads what it knows of all of them,
 * and takes one that another Git is just writing down for damaged.
 */
async function alone<T>(
  { path, repository }: Pick<WorktreeRecord, 'path' | 'repository'>,
  context: GitContext,
  section: (inside: GitContext) => Promise<T>,
): Promise<T> {
  const lock = join(dirname(path), `.repository-${sha256(repository).slice(0, 16)}.lock`);
  return withLock(lock, async (held) => section({ ...context, locks: [...context.locks, held] }));
}

/**
 * The folders in which the repository keeps what it knows of a worktree of ours: one that leads to it,
 * or that Git was killed over while it made or removed it.
 */
function ownFolders({ repository, path, token }: WorktreeRecord): readonly string[] {
  const all = join(repository, 'worktrees');
  if (!existsSync(all)) return [];
  const reason = reasonOf(basename(path), token);
  return readdirSync(all)
    .map((name) => join(all, name))
    .filter((folder) => {
      // Git may have been killed between making a file and writing into it.
      const leads = textIn(join(folder, 'gitdir'))?.trim() ?? '';
      const locked = textIn(join(folder, 'locked'))?.trim() ?? '';
      if (leads !== '') return resolve(folder, leads) === join(path, '.git');
      if (locked !== '') return locked === reason;
      const named = basename(folder);
      return named.startsWith(basename(path)) && /^\d*$/u.test(named.slice(basename(path).length));
    });
}

/**
 * Removes a worktree and, where nothing is lost with it, its branch. What may be somebody's work stays
 * where it is, as an ordinary worktree or branch of the repository. Doing it again changes nothing.
 */
export async function releaseWorktree(
  record: WorktreeRecord,
  options: ReleaseOptions,
  context: GitContext,
): Promise<readonly Kept[]> {
  const { path } = record;
  const at = { shared: record.repository };
  await removeTree(besides(record, 'going'));
  if (!isThere(join(record.repository, 'objects'))) {
    if (!isThere(path)) return [];
    return [{ what: 'folder', where: path, why: `its repository ${record.repository} is gone` }];
  }
  const [own] = ownFolders(record);
  if (isThere(path)) {
    const why = await reasonToKeep(record, own, options, context);
    if (why !== null) {
      if (own !== undefined) await alone(record, context, (inside) => unlock(record, own, inside));
      return [{ what: 'folder', where: path, why }];
    }
    // From here on nobody can work in it by its name, and whoever comes later sees that it was looked at.
    await rename(path, besides(record, 'going'));
  }
  await alone(record, context, (inside) => forgetWorktree(record, inside));
  await removeTree(besides(record, 'going'));
  return alone(record, context, (inside) => releaseBranch(at, record, options, inside));
}

async function reasonToKeep(
  record: WorktreeRecord,
  own: string | undefined,
  { discard }: ReleaseOptions,
  context: GitContext,
): Promise<string | null> {
  const { path, ready, token } = record;
  const lock = own === undefined ? undefined : textIn(join(own, 'locked'))?.trim();
  const isHalfMade = lock === '' && !ready;
  if (lock !== undefined && lock !== reasonOf(basename(path), token) && !isHalfMade)
    return lock === '' ? 'somebody has locked it' : `somebody has locked it: ${lock.slice(0, 200)}`;
  if (discard || !ready) return null;
  if (own === undefined) return 'its repository knows nothing of it';
  const link = textIn(join(path, '.git'))?.trim();
  if (isThere(join(path, '.git')) && link !== `gitdir: ${own}`)
    return 'its .git is not the one that Git made';
  const found = await workIn({ own, shared: record.repository, tree: path }, 'refs', context);
  return found.length === 0 ? null : `it has ${found.join(', and ')}`;
}

/** It is the person's now, so they can remove it like any other; a link that was lost is made again. */
async function unlock(record: WorktreeRecord, own: string, context: GitContext): Promise<void> {
  const lock = textIn(join(own, 'locked'))?.trim();
  if (lock !== reasonOf(basename(record.path), record.token)) return;
  const link = join(record.path, '.git');
  if (!isThere(link)) writeFileAtomic(link, `gitdir: ${own}\n`, { mode: 0o644 });
  await askGit({ shared: record.repository }, ['worktree', 'unlock', record.path], context);
}

async function forgetWorktree(record: WorktreeRecord, context: GitContext): Promise<void> {
  const folders = ownFolders(record);
  if (folders.length === 0) return;
  // Twice, since it is locked by us. It only forgets: the folder itself has been moved away.
  const words = ['worktree', 'remove', '--force', '--force', record.path];
  await gitIn({ shared: record.repository }, words, context);
  // What is left is what Git does not take for a worktree, having been killed over it.
  for (const folder of ownFolders(record)) await removeTree(folder);
  try {
    rmdirSync(join(record.repository, 'worktrees'));
  } catch {
    // Others have theirs in it, or Git has removed it.
  }
}

async function releaseBranch(
  at: Pick<Repository, 'shared'>,
  record: WorktreeRecord,
  { keepBranch, discard }: ReleaseOptions,
  context: GitContext,
): Promise<readonly Kept[]> {
  const { branch } = record;
  const ref = `refs/heads/${branch}`;
  // A lock that Git has left when it was killed; the lock on the workspace says that none is at work.
  await removeTree(join(at.shared, `${ref}.lock`));
  const found = await gitIn(at, ['rev-parse', '-q', '--verify', ref], context);
  const tip = found.stdout.trim();
  if (found.code !== 0 || !commit.test(tip)) return [];
  const keep = (why: string): readonly Kept[] => [{ what: 'branch', where: branch, why }];
  if (keepBranch) return keep('it was to be kept');
  const log = await gitIn(at, ['reflog', 'show', '--format=%gs', ref], context);
  const first = log.stdout.trimEnd().split('\n').at(-1) ?? '';
  if (!first.startsWith(`interlock box ${branch.slice('interlock-'.length)} (`))
    return record.ready ? keep('Interlock cannot tell that it has made it') : [];
  const [user] = await usersOf(at, branch, context);
  if (user !== undefined) return keep(`it is checked out in ${user}`);
  if (!discard) {
    const count = await commitsOf(at, record, tip, context);
    if (count > 0)
      return keep(`it has ${String(count)} commit${count === 1 ? '' : 's'} that nothing else has`);
  }
  const gone = await gitIn(at, ['update-ref', '-d', ref, tip], context);
  if (gone.code !== 0) return keep(`Git did not remove it (${complaintOf(gone)})`);
  const section = `branch.${branch}`;
  await gitIn(
    at,
    ['config', '--file', join(at.shared, 'config'), '--remove-section', section],
    context,
  );
  return [];
}

/** How many commits of a branch are in no other branch, tag or remote. */
async function commitsOf(
  at: Pick<Repository, 'shared'>,
  { branch, base }: WorktreeRecord,
  tip: string,
  context: GitContext,
): Promise<number> {
  const others = [`--exclude=${branch}`, '--branches', '--tags', '--remotes'];
  const begun = base === null ? [] : [base];
  const words = ['rev-list', '--count', tip, '--not', ...begun, ...others];
  const count = Number(await askGit(at, words, context));
  if (!Number.isSafeInteger(count)) throw new Error('Git counted no commits.');
  return count;
}
