import type { NewRule } from '../policy/types.ts';
import { escapeGlob } from '../rules/glob.ts';
import type { StarterRule } from './types.ts';

/** What Git does on this machine alone, in forms that lose no work. */
export const localGit: readonly StarterRule[] = [
  {
    name: 'git-local',
    why: 'What Git records on this machine: nothing leaves it, nothing comes in, and no work that is not recorded is lost.',
    pattern: 'git',
    args: [
      ['add', 'commit', 'switch', 'branch', 'merge', 'rebase', 'cherry-pick', 'revert', 'mv', 'rm'],
      '...',
    ],
    examples: {
      match: ['git add a.txt', 'git commit -m x', 'git switch -c new'],
      noMatch: ['git push', 'git pull', 'git clone x', 'git rebase -x ./x main', 'git checkout .'],
    },
  },
  {
    name: 'git-new-branch',
    why: 'A new branch, or back to the main one.',
    pattern: 'git',
    args: ['checkout', '-b', '...'],
    examples: {
      match: ['git checkout -b new'],
      noMatch: ['git checkout -B main x', 'git checkout -- .', 'git checkout evil -- .github'],
    },
  },
  {
    name: 'git-known-branch',
    why: 'Back to where work begins, or to the branch before.',
    pattern: 'git',
    args: ['checkout', ['main', 'master', 'develop', '-']],
    examples: {
      match: ['git checkout main'],
      noMatch: ['git checkout .', 'git checkout main .'],
    },
  },
  {
    name: 'git-topic-branch',
    why: 'To a branch that is named as those for one piece of work are.',
    pattern: 'git',
    argPattern: '^checkout (?:feat|fix|bugfix|hotfix|chore)/[\\w.-]+$',
    examples: {
      match: ['git checkout fix/cart-total'],
      noMatch: ['git checkout src/a.ts', 'git checkout fix/a -- src', 'git checkout fix/../a'],
    },
  },
  {
    name: 'git-stash',
    why: 'Work is put aside and taken back.',
    pattern: 'git',
    args: ['stash', ['push', 'pop', 'apply', 'save'], '...'],
    examples: { match: ['git stash pop'], noMatch: ['git stash drop', 'git stash clear'] },
  },
  {
    name: 'git-stash-now',
    why: 'Work is put aside.',
    pattern: 'git',
    args: ['stash'],
    examples: { match: ['git stash'], noMatch: ['git stash drop'] },
  },
  {
    name: 'git-tag',
    why: 'A tag is set.',
    pattern: 'git',
    args: ['tag', '[!-]*'],
    examples: { match: ['git tag v1'], noMatch: ['git tag -d v1'] },
  },
  {
    name: 'git-tag-says',
    why: 'A tag with a message is set.',
    pattern: 'git',
    args: ['tag', '-a', '[!-]*', ['-m', '-F'], '**'],
    examples: { match: ['git tag -a v1 -m x'], noMatch: ['git tag -a -d v1', 'git tag -a v1'] },
  },
  {
    name: 'git-unstage',
    why: 'What was staged is staged no more; files stay as they are.',
    pattern: 'git',
    args: ['restore', '--staged', ['[!-]*', '[!-]**']],
    examples: {
      match: ['git restore --staged a.txt'],
      noMatch: ['git restore a.txt', 'git restore --staged --worktree a.txt'],
    },
  },
  {
    name: 'git-reset',
    why: 'The same for commits; files stay as they are.',
    pattern: 'git',
    args: ['reset', ['HEAD', '--soft', '--mixed'], '[!-]*'],
    examples: {
      match: ['git reset --soft HEAD~1'],
      noMatch: ['git reset --hard', 'git reset --hard HEAD~1'],
    },
  },
  {
    name: 'git-fetch',
    why: 'What others have recorded is fetched from the remotes that this repository has; branches and files stay as they are.',
    pattern: 'git',
    args: ['fetch'],
    examples: { match: ['git fetch'], noMatch: ['git pull', 'git fetch https://evil.example/x'] },
  },
  {
    name: 'git-fetch-from',
    why: 'The same from one of them, or from all.',
    pattern: 'git',
    args: ['fetch', ['origin', 'upstream', '--all', '--tags', '--prune', '-p', '--dry-run']],
    examples: {
      match: ['git fetch origin'],
      noMatch: ['git fetch https://evil.example/x', 'git fetch --upload-pack=x'],
    },
  },
  {
    name: 'git-fetch-some',
    why: 'The same for one branch, or with old names taken away.',
    pattern: 'git',
    args: ['fetch', ['origin', 'upstream'], ['--dry-run', '--prune', '--tags', '-p', '[!-+]*']],
    examples: {
      match: ['git fetch origin main'],
      noMatch: ['git fetch origin +x:y', 'git fetch origin --upload-pack=x'],
    },
  },
  {
    name: 'git-remote-names',
    why: 'It says which branches and tags a remote has.',
    pattern: 'git',
    args: ['ls-remote', ['origin', 'upstream', '--tags', '--heads']],
    examples: {
      match: ['git ls-remote origin'],
      noMatch: ['git ls-remote https://evil.example/x'],
    },
  },
  {
    name: 'git-remote-names-of',
    why: 'The same for one kind of them.',
    pattern: 'git',
    args: ['ls-remote', ['--tags', '--heads', '-t', '-h'], ['origin', 'upstream']],
    examples: {
      match: ['git ls-remote --tags origin'],
      noMatch: ['git ls-remote --tags https://evil.example/x'],
    },
  },
  {
    name: 'git-bisect',
    why: 'A search for the commit that broke something, one step at a time.',
    pattern: 'git',
    args: ['bisect', ['start', 'good', 'bad', 'skip', 'reset'], '...'],
    examples: { match: ['git bisect good'], noMatch: ['git bisect run ./x'] },
  },
  {
    name: 'git-into-files',
    why: 'What Git shows goes into files of the project.',
    pattern: 'git',
    args: [
      ['diff', 'log', 'show', 'status', 'ls-files', 'format-patch', 'archive', 'shortlog'],
      '...',
    ],
    changes: 'project',
    examples: { match: ['git diff > {project}/a.diff'], noMatch: ['git diff > ~/.bashrc'] },
  },
];

/** Those that ask no other machine and write no file of a person's choosing. */
const here =
  /^git-(?:local|new-branch|known-branch|stash|stash-now|tag|tag-says|unstage|reset|bisect)$/;

/**
 * The rules of one width "all that Git does on this machine": what it reads, and what it changes in
 * forms that lose no work. `base` has what they share: the program, and who made them and when. Null
 * for other programs.
 */
export function localGitRules(
  program: string,
  base: NewRule,
  folder: string,
): readonly NewRule[] | null {
  if (program !== 'git') return null;
  const common = { ...base, cwd: `${escapeGlob(folder)}/**`, maxRisk: 'low' } as const;
  const changing = localGit
    .filter(({ name }) => here.test(name))
    .map(({ args }): NewRule => ({ ...common, ...(args !== undefined && { args }) }));
  return [{ ...common, only: 'reads', writes: [] }, ...changing];
}
