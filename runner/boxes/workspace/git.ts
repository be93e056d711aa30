import {
  copyFileSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { messageOf, refuse } from '../../../shared/base/index.ts';
import { withPlainFile } from '../../../shared/home/index.ts';
import { operations } from '../../hosts/sandbox/history/scripts.ts';
import { configText, findRepository } from '../../tools/git.ts';
import { isThere } from './record.ts';
import type { WorkspaceTools } from './record.ts';
import { complaintOf, removeTree, run } from './run.ts';
import type { Ran } from './run.ts';

/** A repository: its own folder, the one with objects and refs, and the work tree; null in a bare one. */
export interface Repository {
  readonly own: string;
  readonly shared: string;
  readonly tree: string | null;
}

export interface GitContext extends Pick<WorkspaceTools, 'home' | 'path'> {
  readonly locks: readonly number[];
}

/**
 * What Git is told over every setting of a repository: for our housekeeping no program starts that a
 * repository, or the person's own settings, name.
 */
const overSettings: readonly (readonly [string, string])[] = [
  ['core.hooksPath', '/dev/null'],
  ['core.fsmonitor', 'false'],
  ['core.pager', 'cat'],
  ['core.alternateRefsCommand', '/bin/true'],
  ['core.packedRefsTimeout', '30000'],
  ['core.filesRefLockTimeout', '10000'],
  ['gc.auto', '0'],
  ['maintenance.auto', 'false'],
  ['submodule.recurse', 'false'],
  ['log.showSignature', 'false'],
];

/** The variables for Git; with `settings: 'own'` the person's settings hold as well. */
export function gitVariables(
  { home, path }: Pick<WorkspaceTools, 'home' | 'path'>,
  settings: 'none' | 'own' = 'none',
): Readonly<Record<string, string>> {
  const none = { GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: '/dev/null' };
  return {
    PATH: path,
    HOME: home,
    LC_ALL: 'C',
    ...(settings === 'none' ? none : {}),
    GIT_CONFIG_COUNT: String(overSettings.length),
    ...Object.fromEntries(
      overSettings.flatMap(([key, value], at) => [
        [`GIT_CONFIG_KEY_${String(at)}`, key],
        [`GIT_CONFIG_VALUE_${String(at)}`, value],
      ]),
    ),
    GIT_TERMINAL_PROMPT: '0',
    GIT_EDITOR: '/bin/false',
    GIT_NO_LAZY_FETCH: '1',
    // The reflog wants somebody; nothing is committed.
    GIT_COMMITTER_NAME: 'Interlock',
    GIT_COMMITTER_EMAIL: 'interlock@localhost',
  };
}

/** Runs Git in a repository of the person's that no box can write settings of. */
export async function gitIn(
  { shared }: Pick<Repository, 'shared'>,
  words: readonly string[],
  context: GitContext,
): Promise<Ran> {
  return run({
    program: 'git',
    words: [`--git-dir=${shared}`, ...words],
    cwd: shared,
    env: gitVariables(context),
    locks: context.locks,
  });
}

/** As `gitIn`, but throws what Git complains of; hands back what it said, without the last line end. */
export async function askGit(
  repository: Pick<Repository, 'shared'>,
  words: readonly string[],
  context: GitContext,
): Promise<string> {
  const ran = await gitIn(repository, words, context);
  if (ran.code === 0) return ran.stdout.replace(/\n$/u, '');
  throw refuse(
    'invalid-request',
    `git ${words[0] ?? ''} failed in ${repository.shared}: ${complaintOf(ran)}`,
    'See what Git says there: git status',
  );
}

/** The repository around a folder, or that the folder itself is. Throws where there is none. */
export function repositoryAt(folder: string): Repository {
  let real: string;
  try {
    real = realpathSync(folder);
    if (!statSync(real).isDirectory()) throw new Error('not a folder');
  } catch {
    throw refuse(
      'invalid-request',
      `${folder} is not a folder.`,
      'Name the folder of a repository.',
    );
  }
  try {
    const found = isBare(real) ? { own: real, shared: real, tree: null } : findRepository(real);
    if (found !== null) return { ...found, shared: realpathSync(found.shared) };
  } catch (error) {
    throw refuse(
      'invalid-request',
      `The repository at ${real} is not understood: ${messageOf(error)}`,
      'See what Git says there: git status',
    );
  }
  throw refuse(
    'invalid-request',
    `${real} is in no Git repository.`,
    'Use --workspace for a folder as it is.',
  );
}

function isBare(folder: string): boolean {
  return ['HEAD', 'objects', 'refs'].every((name) => isThere(join(folder, name)));
}

/** The text of a plain file, or null. A folder that a box could write may have anything in its place. */
export function textIn(file: string): string | null {
  return withPlainFile(file, (fd, { size }) => (size > 1 << 20 ? null : readFileSync(fd, 'utf8')));
}

const harmless =
  /^(?:core\.(?:filemode|ignorecase|precomposeunicode|symlinks|autocrlf|eol)|core\.repositoryformatversion|extensions\.objectformat)$/u;

/** Settings of a repository under which its files can be compared; none of them names a program. */
async function plainSettings(
  shared: string,
  context: GitContext,
): Promise<readonly (readonly [string, string])[]> {
  const words = ['config', '--file', join(shared, 'config'), '--no-includes', '--list', '-z'];
  const { locks } = context;
  const ran = await run({ program: 'git', words, cwd: '/', env: gitVariables(context), locks });
  if (ran.code !== 0) throw unsupported(shared, 'its settings cannot be read');
  const settings = ran.stdout
    .split('\0')
    .filter((one) => one !== '')
    .map((one): readonly [string, string] => {
      const at = one.indexOf('\n');
      return at < 0 ? [one, 'true'] : [one.slice(0, at), one.slice(at + 1)];
    });
  const foreign = settings.find(
    ([key]) =>
      key.startsWith('extensions.') &&
      !/\.(?:objectformat|worktreeconfig|relativeworktrees|noop)$/u.test(key),
  );
  if (foreign !== undefined) throw unsupported(shared, `it uses ${foreign[0]}`);
  return settings.filter(([key, value]) => harmless.test(key) && !/[\0\n]/u.test(value));
}

function unsupported(shared: string, why: string): Error {
  return refuse(
    'invalid-request',
    `Git is not used for a box on ${shared}: ${why}.`,
    'Clone it by hand, and use --workspace for the clone.',
  );
}

/** A work tree that a box may have written, and what Git would need to know of it. */
interface Tree {
  /** Where HEAD and the index are. */
  readonly own: string;
  readonly shared: string;
  readonly tree: string;
}

type InView = (words: readonly string[]) => Promise<Ran>;

/**
 * Runs `section` with a Git that sees the objects, refs and files of a work tree, and no settings but
 * ours: no hooks, filters, monitors or included files, whoever wrote them. So Git may be run on what a
 * box could write. `index` is the file that it works on; a copy where none is given.
 */
export async function throughView<T>(
  { own, shared, tree }: Tree,
  context: GitContext,
  section: (git: InView) => Promise<T>,
  { index }: { readonly index?: string } = {},
): Promise<T> {
  const settings = await plainSettings(shared, context);
  const view = mkdtempSync(join(tmpdir(), 'interlock-git-'));
  try {
    writeFileSync(join(view, 'config'), configText(settings));
    const head = textIn(join(own, 'HEAD'));
    if (head === null) throw unsupported(shared, 'it has no HEAD');
    writeFileSync(join(view, 'HEAD'), head);
    for (const name of ['objects', 'refs', 'packed-refs', 'shallow'])
      if (isThere(join(shared, name))) symlinkSync(join(shared, name), join(view, name));
    mkdirSync(join(view, 'info'));
    writeFileSync(join(view, 'info', 'exclude'), textIn(join(shared, 'info', 'exclude')) ?? '');
    const copy = join(view, 'index');
    const theirs = join(own, 'index');
    if (index === undefined && lstatSync(theirs, { throwIfNoEntry: false })?.isFile() === true) {
      copyFileSync(theirs, copy);
      // Older than any file: else Git takes one of the same size for unchanged that was written in
      // the moment of the index, or whose times somebody set back.
      utimesSync(copy, 1, 1);
    }
    const env = {
      ...gitVariables(context),
      GIT_DIR: view,
      GIT_WORK_TREE: tree,
      GIT_INDEX_FILE: index ?? copy,
      GIT_OPTIONAL_LOCKS: '0',
    };
    return await section((words) =>
      run({ program: 'git', words, cwd: tree, env, locks: context.locks }),
    );
  } finally {
    await removeTree(view);
  }
}

/** Fills a new work tree with the files of its HEAD; what filters would make of them is not made. */
export async function checkOut(tree: Tree, context: GitContext): Promise<void> {
  const index = join(tree.own, 'index');
  const ran = await throughView(tree, context, (git) => git(['reset', '--hard', '-q']), { index });
  if (ran.code === 0) return;
  throw refuse(
    'host-unavailable',
    `The files could not be written to ${tree.tree}: ${complaintOf(ran)}`,
    'Look for space on the disk, and try again.',
  );
}

/** Where the commits of a work tree have to be besides, so that they are not lost with it. */
type Elsewhere =
  /** In any branch or tag of the repository, or on a server. */
  | 'refs'
  /** On a server: the repository goes with the work tree. */
  | 'remotes';

/**
 * Why a work tree may not be thrown away: what is in it and nowhere else, each as the end of a sentence.
 * Ignored files count for nothing, as with `git worktree remove`. What cannot be looked at is kept.
 */
export async function workIn(
  at: Tree,
  elsewhere: Elsewhere,
  context: GitContext,
): Promise<readonly string[]> {
  const middle = operations.find((name) => isThere(join(at.own, name)));
  const found: string[] =
    middle === undefined ? [] : [`Git is in the middle of something (${middle})`];
  try {
    await throughView(at, context, async (git) => {
      const status = await git(['status', '--porcelain', '-z', '--ignore-submodules=dirty']);
      if (status.code !== 0) found.push(`its state cannot be told (${complaintOf(status)})`);
      const changed = status.stdout.split('\0').filter((one) => one !== '').length;
      if (changed > 0)
        found.push(`${countOf(changed, 'file')} with changes that are not committed`);
      const unwatched = await unwatchedFiles(git);
      if (unwatched > 0)
        found.push(`${countOf(unwatched, 'file')} that Git was told not to look at`);
      const lost = await lostCommits(git, elsewhere);
      if (lost !== null) found.push(lost);
      for (const module of await submodules(git, at)) {
        const inside = await submoduleWork(module, at, context);
        found.push(...inside.map((why) => `in the submodule ${module}: ${why}`));
      }
    });
  } catch (error) {
    found.push(messageOf(error));
  }
  return found;
}

/** How many files have a mark by which their changes are not told: assume-unchanged, skip-worktree. */
async function unwatchedFiles(git: InView): Promise<number> {
  const { stdout } = await git(['ls-files', '-v', '-z']);
  return stdout.split('\0').filter((line) => /^(?:[a-z]|S) /u.test(line)).length;
}

/** Commits that go with the work tree. */
async function lostCommits(git: InView, elsewhere: Elsewhere): Promise<string | null> {
  const hasHead = (await git(['rev-parse', '-q', '--verify', 'HEAD^{commit}'])).code === 0;
  const mine = elsewhere === 'refs' ? [] : ['--branches', '--tags', '--glob=refs/stash'];
  const others = elsewhere === 'refs' ? ['--branches', '--tags', '--remotes'] : ['--remotes'];
  const tips = [...(hasHead ? ['HEAD'] : []), ...mine];
  if (tips.length === 0) return null;
  const ran = await git(['rev-list', '--count', ...tips, '--not', ...others]);
  if (ran.code !== 0) return `its commits cannot be told (${complaintOf(ran)})`;
  const count = Number(ran.stdout.trim());
  if (count === 0) return null;
  const where = elsewhere === 'refs' ? 'no branch' : 'no server that it came from';
  return `${countOf(count, 'commit')} that ${where} has`;
}

/** Those whose own history was fetched; their names are paths of the index, in the work tree. */
async function submodules(git: InView, { tree }: Tree): Promise<readonly string[]> {
  const { stdout } = await git(['ls-files', '--stage', '-z']);
  return stdout
    .split('\0')
    .filter((line) => line.startsWith('160000 '))
    .map((line) => line.slice(line.indexOf('\t') + 1))
    .filter((name) => isThere(join(tree, name, '.git')));
}

async function submoduleWork(
  name: string,
  { own, tree }: Tree,
  context: GitContext,
): Promise<readonly string[]> {
  const file = join(tree, name, '.git');
  const target = /^gitdir: (?<path>[^\0\n]+)\n?$/u.exec(textIn(file) ?? '')?.groups?.['path'];
  const history = join(dirname(file), target ?? '.git');
  const folder = target?.startsWith('/') === true ? target : history;
  try {
    const real = realpathSync(folder);
    const within = [realpathSync(tree), realpathSync(own)];
    if (!within.some((one) => real.startsWith(`${one}/`))) return ['its history lies elsewhere'];
    return await workIn({ own: real, shared: real, tree: dirname(file) }, 'remotes', context);
  } catch {
    return ['its history cannot be read'];
  }
}

function countOf(count: number, what: string): string {
  return `${String(count)} ${what}${count === 1 ? '' : 's'}`;
}
