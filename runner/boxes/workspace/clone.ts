import { mkdirSync, readFileSync, renameSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { refuse } from '../../../shared/base/index.ts';
import { checkOut, gitIn, gitVariables, repositoryAt, throughView, workIn } from './git.ts';
import type { GitContext } from './git.ts';
import { besides, isThere, newToken, placeOf, requireFree } from './record.ts';
import type { CloneRecord, Kept, ReleaseOptions, WorkspaceTools } from './record.ts';
import { complaintOf, removeTree, run } from './run.ts';

const cloneMs = 30 * 60_000;
/** `user@host:path`, as ssh writes it. */
const short = /^[A-Za-z0-9][\w.-]*@[A-Za-z0-9][\w.-]*:(?!:)[^\s\0]+$/u;

/** What the clone of a box will be. Throws for an address that is not understood. */
export function planClone(name: string, from: string, tools: WorkspaceTools): CloneRecord {
  const place = placeOf(name, tools);
  requireFree(place);
  return {
    kind: 'clone',
    path: place,
    from: isAbsolute(from) ? repositoryAt(from).shared : addressOf(from),
    token: newToken(),
    ready: false,
  };
}

function addressOf(from: string): string {
  if (short.test(from)) return from;
  const url = URL.canParse(from) ? new URL(from) : null;
  if (url === null || !['https:', 'ssh:'].includes(url.protocol) || url.hostname.startsWith('-'))
    throw refuse(
      'invalid-request',
      'This is not an address of a repository.',
      'Clone from https://…, ssh://…, user@host:path or a folder.',
    );
  if (url.password !== '' || (url.protocol === 'https:' && url.username !== ''))
    throw refuse(
      'invalid-request',
      'The address has a password or a token in it, which the box would see.',
      'Leave it out: your own sign-in for Git is used, outside of the box.',
    );
  return from;
}

/**
 * Clones as the person would, with their sign-in, into a folder beside, which then takes its place. No
 * objects are shared with a repository on this machine: a box could write to those.
 */
export async function makeClone(
  record: CloneRecord,
  context: GitContext,
  { signIn }: Pick<WorkspaceTools, 'signIn'>,
): Promise<void> {
  const coming = besides(record, 'coming');
  mkdirSync(coming, { mode: 0o700 });
  const words = [
    'clone',
    '-q',
    '--no-checkout',
    '--no-local',
    '--template=',
    '--',
    record.from,
    coming,
  ];
  const ran = await run({
    program: 'git',
    words,
    cwd: coming,
    env: { ...signIn, ...gitVariables(context, 'own'), GIT_ALLOW_PROTOCOL: 'https:ssh:file' },
    locks: context.locks,
    timeoutMs: cloneMs,
  });
  if (ran.code !== 0)
    throw refuse(
      'invalid-request',
      `The repository could not be cloned: ${complaintOf(ran)}`,
      'See whether the address is right, and whether git clone works by hand.',
    );
  const own = join(coming, '.git');
  mkdirSync(join(own, 'info'), { recursive: true });
  const tree = { own, shared: own, tree: coming };
  const hasHead = await throughView(tree, context, (git) =>
    git(['rev-parse', '-q', '--verify', 'HEAD']),
  );
  if (hasHead.code === 0) await checkOut(tree, context);
  renameSync(coming, record.path);
}

/** Removes a clone in which nothing is that its origin has not. Doing it again changes nothing. */
export async function releaseClone(
  record: CloneRecord,
  { discard }: ReleaseOptions,
  context: GitContext,
): Promise<readonly Kept[]> {
  await removeTree(besides(record, 'coming'));
  await removeTree(besides(record, 'going'));
  const { path } = record;
  if (!isThere(path)) return [];
  if (record.ready && !discard) {
    const own = join(path, '.git');
    const found = await workIn({ own, shared: own, tree: path }, 'remotes', context);
    const left = await withoutTaken(found, record, context);
    if (left.length > 0)
      return [{ what: 'folder', where: path, why: `it has ${left.join(', and ')}` }];
  }
  renameSync(path, besides(record, 'going'));
  await removeTree(besides(record, 'going'));
  return [];
}

/** Commits that the person has fetched into the repository on this machine are not lost. */
async function withoutTaken(
  found: readonly string[],
  { path, from }: CloneRecord,
  context: GitContext,
): Promise<readonly string[]> {
  const commits = found.filter((why) => why.endsWith('that no server that it came from has'));
  if (commits.length !== 1 || !isAbsolute(from)) return found;
  const own = join(path, '.git');
  const tips = await throughView({ own, shared: own, tree: path }, context, (git) =>
    git(['for-each-ref', '--format=%(objectname)', 'refs/heads', 'refs/tags', 'refs/stash']),
  );
  const head = readFileSync(join(own, 'HEAD'), 'utf8').trim();
  const all = [...tips.stdout.split('\n'), ...(head.startsWith('ref:') ? [] : [head])];
  const wanted = [...new Set(all.filter((one) => one !== ''))];
  const words = ['rev-list', '--count', ...wanted, '--not', '--branches', '--tags', '--remotes'];
  const there = await gitIn({ shared: from }, words, context);
  const isTaken = there.code === 0 && there.stdout.trim() === '0';
  return isTaken ? found.filter((why) => !commits.includes(why)) : found;
}
