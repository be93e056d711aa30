import { realpathSync, renameSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { refuse } from '../../../shared/base/index.ts';
import { textIn } from './git.ts';
import type { GitContext } from './git.ts';
import { besides, isThere, newToken, placeOf, requireFree } from './record.ts';
import type { JjRecord, Kept, ReleaseOptions, WorkspaceTools } from './record.ts';
import { complaintOf, removeTree, run } from './run.ts';
import type { Ran } from './run.ts';

/** What jj is asked for. Paths are absolute; `folder` is a workspace that is there already. */
type JjCall =
  | { readonly what: 'list'; readonly folder: string }
  | { readonly what: 'add'; readonly folder: string; readonly name: string; readonly path: string }
  /** Takes the files of a workspace into its commit, as every command of jj does. */
  | { readonly what: 'snapshot'; readonly folder: string }
  | { readonly what: 'forget'; readonly folder: string; readonly name: string };

/** The words for a call of jj (0.23 or newer): no program that a repository names is started. */
export function jjWords(call: JjCall): readonly string[] {
  const always = [
    '--repository',
    call.folder,
    '--no-pager',
    '--color=never',
    '--config=core.fsmonitor="none"',
    '--config=fsmonitor.backend="none"',
    '--config=signing.behavior="drop"',
  ];
  const still = [...always, '--ignore-working-copy', 'workspace'];
  if (call.what === 'list') return [...still, 'list'];
  if (call.what === 'forget') return [...still, 'forget', '--', call.name];
  if (call.what === 'snapshot') return [...always, 'status'];
  return [...always, 'workspace', 'add', '--name', call.name, '--', call.path];
}

async function jj(call: JjCall, { home, path, locks }: GitContext): Promise<Ran> {
  const env = { HOME: home, PATH: path, LC_ALL: 'C' };
  return run({ program: 'jj', words: jjWords(call), cwd: '/', env, locks });
}

function nameOf({ path }: Pick<JjRecord, 'path'>): string {
  return `interlock-${basename(path)}`;
}

async function isKnown(folder: string, name: string, context: GitContext): Promise<boolean> {
  const ran = await jj({ what: 'list', folder }, context);
  if (ran.code !== 0)
    throw refuse(
      'invalid-request',
      `jj does not know ${folder}: ${complaintOf(ran)}`,
      'Name a folder in a repository of jj.',
    );
  return ran.stdout.split('\n').some((line) => line.startsWith(`${name}: `));
}

/** What the workspace of a box will be. Throws where jj knows no repository there, or the name is taken. */
export async function planJj(
  name: string,
  folder: string,
  context: GitContext,
  tools: WorkspaceTools,
): Promise<JjRecord> {
  const repository = repositoryAround(folder);
  const place = placeOf(name, tools);
  requireFree(place);
  const record: JjRecord = { kind: 'jj', path: place, repository, token: newToken(), ready: false };
  if (await isKnown(repository, nameOf(record), context))
    throw refuse(
      'invalid-request',
      `jj has a workspace ${nameOf(record)} in ${repository} already.`,
      `If nobody uses it: jj workspace forget ${nameOf(record)}`,
    );
  return record;
}

function repositoryAround(folder: string): string {
  try {
    for (let at = realpathSync(folder); ; at = dirname(at)) {
      if (isThere(join(at, '.jj'))) return at;
      if (at === dirname(at)) break;
    }
  } catch {
    // Said below.
  }
  throw refuse('invalid-request', `${folder} is in no repository of jj.`, 'jj git init --colocate');
}

export async function makeJj(record: JjRecord, context: GitContext): Promise<void> {
  const { repository: folder, path } = record;
  const ran = await jj({ what: 'add', folder, name: nameOf(record), path }, context);
  if (ran.code === 0) return;
  throw refuse(
    'invalid-request',
    `jj could not add the workspace: ${complaintOf(ran)}`,
    'See what jj says there: jj status',
  );
}

/**
 * Forgets a workspace once its files are in its commit, which stays in the repository. Doing it again
 * changes nothing.
 */
export async function releaseJj(
  record: JjRecord,
  { discard }: ReleaseOptions,
  context: GitContext,
): Promise<readonly Kept[]> {
  const { path, repository } = record;
  await removeTree(besides(record, 'going'));
  if (!isThere(join(repository, '.jj')))
    return isThere(path)
      ? [{ what: 'folder', where: path, why: `its repository ${repository} is gone` }]
      : [];
  if (isThere(path)) {
    const why = discard || !record.ready ? null : await reasonToKeep(record, context);
    if (why !== null) return [{ what: 'folder', where: path, why }];
    renameSync(path, besides(record, 'going'));
  }
  if (await isKnown(repository, nameOf(record), context)) {
    const ran = await jj({ what: 'forget', folder: repository, name: nameOf(record) }, context);
    if (ran.code !== 0)
      return [
        { what: 'workspace', where: nameOf(record), why: `jj keeps it (${complaintOf(ran)})` },
      ];
  }
  await removeTree(besides(record, 'going'));
  return [];
}

async function reasonToKeep(
  { path, repository }: JjRecord,
  context: GitContext,
): Promise<string | null> {
  const link = textIn(join(path, '.jj', 'repo'));
  const theirs = join(repository, '.jj', 'repo');
  const real = isThere(theirs) ? (textIn(theirs) ?? theirs) : theirs;
  if (link === null || resolve(path, '.jj', link) !== resolve(repository, '.jj', real))
    return 'its .jj is not the one that jj made';
  const ran = await jj({ what: 'snapshot', folder: path }, context);
  if (ran.code !== 0) return `jj could not take its files (${complaintOf(ran)})`;
  // jj leaves out what is larger than its limit for new files, and goes on.
  return /refused to snapshot/iu.test(ran.stderr) ? 'jj did not take all of its files' : null;
}
