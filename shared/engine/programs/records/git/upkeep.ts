import {
  doubt,
  edits,
  executes,
  executing,
  has,
  holds,
  inert,
  merge,
  optional,
  path,
  pinned,
  pins,
  plainOptions,
  reads,
  readsTree,
  risk,
  writes,
} from '../../forms.ts';
import { parseOptions } from '../../syntax.ts';
import type { Command } from '../../types.ts';
import { changing, exact, warnIf, warnOf, warns, words } from './changing.ts';
import { notesAsk } from './shared.ts';

/** Working trees, notes, searches, and what keeps a repository in shape. */
export const upkeepCommands: Readonly<Record<string, Command>> = {
  bundle: {
    ...changing('Packs history into a file.', '', { offers: 'exact' }),
    commands: {
      create: changing(
        'Packs history into a file.',
        '-q|--quiet --progress --all-progress --all-progress-implied --version= --all --branches[] --tags[] --since= --stdin',
        { offers: 'exact', operands: { first: [writes], rest: inert } },
      ),
      verify: changing('Checks a bundle.', '-q|--quiet', {
        offers: 'reads',
        operands: { rest: reads },
      }),
      'list-heads': changing('Lists a bundle.', '', {
        offers: 'reads',
        operands: { first: [reads], rest: inert },
      }),
      unbundle: changing('Unpacks a bundle.', '--progress', {
        offers: 'exact',
        operands: { first: [reads], rest: inert },
      }),
    },
  },
  credential: changing('Hands on passwords.', '', {
    ...exact,
    finish: ({ operands }) => ({
      doubts: [doubt('git credential hands on passwords')],
      risks:
        operands[0]?.text === 'fill'
          ? [risk('credential-path', 'high', 'Prints Git passwords.')]
          : [],
    }),
  }),
  worktree: {
    ...changing('Works with further working trees.', '', { offers: 'exact' }),
    commands: {
      list: changing('Lists working trees.', '--porcelain -v|--verbose --expire= -z', {
        offers: 'reads',
      }),
      add: changing(
        'Makes a working tree.',
        '-f|--force -b= -B= -d|--detach --checkout --lock --reason= -q|--quiet --track --guess-remote --orphan --relative-paths',
        { offers: 'exact', operands: { first: [{ ...writes, kind: 'into' }], rest: inert } },
      ),
      remove: changing('Deletes a working tree.', '-f|--force', {
        offers: 'exact',
        operands: { rest: { ...writes, kind: 'deletes', tree: true } },
        finish: warnOf(
          ['-f', '--force'],
          'low',
          'Deletes a working tree with what is not committed.',
        ),
      }),
      move: changing('Moves a working tree.', '-f|--force', {
        offers: 'exact',
        operands: {
          first: [{ ...writes, kind: 'deletes', tree: true }],
          rest: { ...writes, kind: 'into' },
        },
      }),
      lock: changing('Locks a working tree.', '--reason='),
      unlock: changing('Unlocks a working tree.', ''),
      prune: changing(
        'Forgets working trees that are gone.',
        '-n|--dry-run -v|--verbose --expire=',
      ),
      repair: changing('Repairs links of working trees.', '', {
        ...exact,
        operands: { rest: edits },
      }),
    },
  },
  notes: {
    ...changing('Works with notes on commits.', '--ref='),
    commands: {
      list: changing('Lists notes.', '', { offers: 'reads' }),
      show: changing('Shows notes.', '', { offers: 'reads' }),
      'add append edit': changing(
        'Adds notes.',
        {
          ...plainOptions(
            '-m|--message= -c|--reedit-message= -C|--reuse-message= --allow-empty -f|--force --separator[] --stripspace',
          ),
          '-F --file': reads,
        },
        { finish: notesAsk },
      ),
      copy: changing('Copies notes.', '-f|--force --stdin --for-rewrite='),
      remove: changing('Removes notes.', '--ignore-missing --stdin', {
        ...exact,
        finish: warns('low', 'Removes notes of commits.'),
      }),
      merge: changing(
        'Joins notes.',
        '-v|--verbose -q|--quiet -s|--strategy= --commit --abort',
        exact,
      ),
      prune: changing('Removes notes.', '-n|--dry-run -v|--verbose', exact),
      'get-ref': changing('Shows where notes are kept.', '', { offers: 'reads' }),
    },
  },
  lfs: {
    ...changing('Works with large files.', '', {
      operands: { rest: pinned(inert, 'git lfs does more than look') },
    }),
    commands: {
      'ls-files': changing(
        'Lists large files.',
        '-l|--long -s|--size -d|--debug -a|--all --deleted -n|--name-only -j|--json -I|--include= -X|--exclude=',
        { offers: 'reads' },
      ),
      status: changing('Shows large files that changed.', '-p|--porcelain -j|--json', {
        offers: 'reads',
      }),
    },
  },
  bisect: {
    ...changing('Searches for the commit that broke something.', '', { offers: 'exact' }),
    commands: {
      'start bad new good old terms skip next reset replay log help': changing(
        'Searches for the commit that broke something.',
        '--term-new= --term-old= --term-bad= --term-good= --no-checkout --first-parent',
      ),
      'visualize view': changing('Shows what is left to search.', '', {
        operands: { rest: pinned(inert, 'git bisect starts a viewer') },
        finish: () => ({ doubts: [doubt('git bisect starts a viewer')] }),
      }),
      run: {
        does: 'Runs a program for each commit.',
        syntax: { ...parseOptions, permutes: false },
        operands: words,
        finish: (one) => ({
          effects: [
            {
              kind: 'command',
              words: one.operands.map(({ text, live }) => ({ text, live })),
              why: 'git bisect runs a program',
              word: one.operands[0]?.word ?? -1,
              // As behind `uv run`: a rule names the program, and its own options are held to it.
              ...(/^[A-Za-z][\w-]*$/.test(one.operands[0]?.text ?? '')
                ? { leading: (one.operands[0]?.word ?? 0) + 1 }
                : {}),
            },
          ],
        }),
      },
    },
  },
  init: changing(
    'Makes a repository.',
    {
      ...plainOptions('--bare -q|--quiet -b|--initial-branch= --object-format= --ref-format='),
      '--shared': pinned(optional(inert), 'it lets others write the repository'),
      '--template': executes('the template of a repository holds hooks', readsTree),
      '--separate-git-dir': pinned({ ...writes, kind: 'into' }, 'the repository is put elsewhere'),
    },
    { ...exact, operands: { rest: { ...writes, kind: 'into' } } },
  ),
  gc: changing(
    'Tidies the repository.',
    '-q|--quiet --prune[] --cruft --aggressive --auto --force --keep-largest-pack --max-cruft-size= --detach',
    {
      ...exact,
      finish: warnIf(
        (one) => has(one, '--prune'),
        'high',
        'Removes commits that no branch holds, for good.',
      ),
    },
  ),
  prune: changing(
    'Removes objects that nothing holds.',
    '-n|--dry-run -v|--verbose --progress --expire= --exclude-promisor-objects',
    { ...exact, finish: warns('high', 'Removes commits that no branch holds, for good.') },
  ),
  fsck: changing(
    'Checks the repository.',
    '-v|--verbose --unreachable --dangling --tags --root --cache --reflogs --full --connectivity-only --strict --lost-found --progress --name-objects --references',
  ),
  'update-ref': changing(
    'Moves or deletes references.',
    '-m= -d --no-deref -z --stdin --create-reflog',
    {
      ...exact,
      finish: (one) =>
        warns(
          has(one, '-d', '--stdin') ? 'high' : 'low',
          'Moves or deletes a reference by hand.',
        )(one),
    },
  ),
  'symbolic-ref': changing(
    'Shows or moves symbolic references.',
    '-q|--quiet -d|--delete --short --recurse -m=',
    {
      ...exact,
      finish: warnIf(
        (one) => one.operands.length > 1 || has(one, '-d', '--delete'),
        'low',
        'Moves what a reference stands for, HEAD too.',
      ),
    },
  ),
  'hash-object': changing(
    'Computes the id of a file.',
    '-t= -w --stdin --stdin-paths --no-filters --literally --path=',
    { ...exact, operands: { rest: reads } },
  ),
  'update-index': changing(
    'Changes the index.',
    {
      ...plainOptions(`-q --ignore-submodules --add --replace --remove --unmerged --refresh --really-refresh --chmod=
    --assume-unchanged --no-assume-unchanged --skip-worktree --no-skip-worktree --ignore-skip-worktree-entries --info-only --force-remove -z --stdin --index-info --unresolve -g|--again --ignore-missing --verbose --clear-resolve-undo --index-version= --split-index --untracked-cache --test-untracked-cache --force-untracked-cache --force-write-index
    --fsmonitor --fsmonitor-valid`),
      '--cacheinfo': pins('git update-index makes a file of any name from what is kept'),
    },
    {
      ...exact,
      finish: warnOf(
        ['--assume-unchanged', '--skip-worktree', '--force-remove', '--index-info'],
        'low',
        'Hides changes from Git, or takes files out of it.',
      ),
    },
  ),
  am: changing(
    'Applies patches from mail.',
    {
      ...plainOptions(`-i|--interactive -b|--binary -3|--3way -q|--quiet -s|--signoff -u|--utf8 -k|--keep
      --keep-non-patch -m|--message-id --keep-cr -c|--scissors --quoted-cr= --whitespace=
      --ignore-space-change --ignore-whitespace -C= -p= --exclude= --include= --patch-format= --reject
      --resolvemsg= --continue -r|--resolved --skip --abort --quit --show-current-patch[] --retry
      --allow-empty --committer-date-is-author-date --ignore-date --rerere-autoupdate -S|--gpg-sign[]
      --empty= -n|--no-verify --rebasing`),
      '--directory': inert,
    },
    {
      ...exact,
      operands: { rest: reads },
      finish: (one) =>
        has(one, '--abort', '--quit', '--skip', '--show-current-patch')
          ? {}
          : { effects: [path('into', '.', -1)] },
    },
  ),
  apply: changing(
    'Applies a patch.',
    {
      ...plainOptions(`--exclude= --include= -p= --no-add --stat --allow-binary-replacement --binary --numstat
      --summary --check --index -N|--intent-to-add --cached --apply -3|--3way -z -C= --whitespace=
      --ignore-space-change --ignore-whitespace -R|--reverse --unidiff-zero --reject --allow-overlap
      -v|--verbose -q|--quiet --inaccurate-eof --recount --directory= --allow-empty -2|--ours --theirs --union`),
      '--unsafe-paths': pins('git apply writes outside the working tree'),
      '--build-fake-ancestor': writes,
    },
    {
      ...exact,
      operands: { rest: reads },
      finish: (one) =>
        holds(one, '--check', '--stat', '--numstat', '--summary') && !has(one, '--apply')
          ? {}
          : { effects: [path('into', '.', -1)] },
    },
  ),
  'sparse-checkout': {
    ...changing('Chooses which files are checked out.', '', exact),
    commands: {
      list: changing('Lists what is checked out.', '', { offers: 'reads' }),
      'init set add reapply disable': changing(
        'Chooses which files are checked out.',
        '--cone --sparse-index --skip-checks --stdin',
      ),
    },
  },
  'read-tree': changing(
    'Reads trees into the index.',
    `-m --reset -u --prefix= --index-output= -i -n|--dry-run -v|--verbose --debug-unpack --trivial --aggressive --exclude-per-directory=
    --sparse-checkout --no-sparse-checkout --empty -q|--quiet --recurse-submodules[] --super-prefix=`,
    {
      ...exact,
      finish: (one) =>
        merge([
          has(one, '--index-output')
            ? { doubts: [doubt('git read-tree puts the index elsewhere')] }
            : {},
          warnIf(
            (told) => has(told, '-u', '--reset', '--prefix'),
            'high',
            'Throws away all changes that are not committed.',
          )(one),
        ]),
    },
  ),
  'checkout-index': changing(
    'Puts files of the index into the working tree.',
    {
      ...plainOptions(
        '-a|--all -f|--force -q|--quiet -n|--no-create -u|--index -z --stdin --stage= --ignore-skip-worktree-bits',
      ),
      '--temp': pins('git makes files of names that it chooses'),
      '--prefix': pinned({ ...writes, kind: 'into' }, 'git puts files elsewhere'),
    },
    {
      ...exact,
      operands: { rest: writes },
      finish: warnOf(['-f', '--force'], 'low', 'Throws away changes that are not committed.'),
    },
  ),
  rerere: changing('Reuses solved conflicts.', '--rerere-autoupdate', exact),
  'pack-refs': changing('Packs references.', '--all --prune --include= --exclude= --auto'),
  'write-tree': changing('Writes a tree.', '--missing-ok --prefix= --ignore-cache-tree'),
  repack: changing(
    'Packs objects.',
    {
      ...plainOptions(
        `-a -A -d -f -F -n -l|--local -q|--quiet --cruft --cruft-expiration= -b|--write-bitmap-index -i|--delta-islands --unpack-unreachable= -k|--keep-unreachable --window= --window-memory= --depth= --threads= --max-pack-size= --pack-kept-objects --keep-pack= -g|--geometric= -m|--write-midx`,
      ),
      '--expire-to': pinned(writes, 'git puts packs elsewhere'),
    },
    exact,
  ),
};

export const pinnedCommands: Readonly<Record<string, Command>> = Object.fromEntries(
  [
    'difftool',
    'mergetool',
    'filter-branch',
    'filter-repo',
    'fast-import',
    'merge-index',
    'for-each-repo',
    'maintenance',
    'interpret-trailers',
    'bugreport',
    'diagnose',
  ].map((name) => [
    name,
    {
      does: `Starts programs with git ${name}.`,
      syntax: parseOptions,
      operands: words,
      finish: () => ({
        doubts: [
          /^(?:difftool|mergetool|merge-index|for-each-repo)$/.test(name)
            ? executing(`git ${name} starts programs`)
            : doubt(`git ${name} starts programs`),
        ],
        risks:
          name === 'filter-branch' || name === 'filter-repo' || name === 'fast-import'
            ? [risk('history-rewrite', 'high', 'Rewrites the whole history of the repository.')]
            : [],
      }),
    },
  ]),
);
