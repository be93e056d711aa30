import {
  has,
  holds,
  inert,
  maybe,
  merge,
  path,
  pins,
  plainOptions,
  reads,
  risk,
  shell,
  executes,
} from '../../forms.ts';
import { parseKnownOptions, parseOptions } from '../../syntax.ts';
import type { Command, Offer, Options, Reading, Yield } from '../../types.ts';
import { history, log } from './reading.ts';
import { asksEditor, commitAsks, diffOptions, pathspecOptions, tagAsks } from './shared.ts';

export const words = { rest: inert };
const strategy = executes('git starts the program for this way to merge', inert);

export function changing(
  does: string,
  options: string | Options,
  more: Partial<Command> = {},
): Command {
  const own = typeof options === 'string' ? plainOptions(options) : options;
  return { does, syntax: parseOptions, options: own, operands: words, offers: 'changes', ...more };
}

type Level = 'low' | 'high';
export const warns =
  (level: Level, text: string): ((one: Reading) => Yield) =>
  () => ({
    risks: [risk('history-rewrite', level, text)],
  });
export function warnIf(test: (one: Reading) => boolean, level: Level, text: string) {
  return (one: Reading): Yield =>
    test(one) ? { risks: [risk('history-rewrite', level, text)] } : {};
}
/** Where one of these options stands, it is what a rule has to say. */
export function warnOf(names: readonly string[], level: Level, text: string) {
  return ({ options }: Reading): Yield => {
    const found = options.filter(({ name, negated }) => names.includes(name) && !negated);
    const stands = found.map(({ word }) => word);
    return found.length === 0 ? {} : { risks: [risk('history-rewrite', level, text, stands)] };
  };
}
/** Git keeps what was there for a while. */
function rewritesIf(test: (one: Reading) => boolean, text: string) {
  return (one: Reading): Yield =>
    test(one) ? { risks: [{ ...risk('history-rewrite', 'low', text), kept: true }] } : {};
}
export const exact: Partial<Command> = { offers: 'exact' };

const merging = {
  ...plainOptions(`-n --stat --summary --log[] --squash --commit -e|--edit --cleanup= --ff --ff-only
    --rerere-autoupdate --verify-signatures -X|--strategy-option= -m|--message= --into-name= -v|--verbose
    -q|--quiet --abort --quit --continue --allow-unrelated-histories --progress -S|--gpg-sign[] --autostash
    --overwrite-ignore --signoff --no-verify --compact-summary`),
  '-s --strategy': strategy,
};
/** Without the option only a terminal has an editor started. */
const editing = asksEditor((one) => holds(one, '-e', '--edit'));
const picking = {
  ...plainOptions(`--quit --continue --abort --skip --cleanup= -n|--no-commit -e|--edit -r -s|--signoff
    -m|--mainline= --rerere-autoupdate -X|--strategy-option= -S|--gpg-sign[] --ff --allow-empty
    --allow-empty-message --keep-redundant-commits --empty= -x --reference`),
  '--strategy': strategy,
};

const listing = [
  '--list',
  '-l',
  '--contains',
  '--no-contains',
  '--merged',
  '--no-merged',
  '--points-at',
  '--show-current',
];
const branchChanges = [
  '-d',
  '-D',
  '-m',
  '-M',
  '-c',
  '-C',
  '--delete',
  '--move',
  '--copy',
  '-f',
  '--force',
  '-u',
  '--set-upstream-to',
  '--unset-upstream',
  '--edit-description',
  '--set-upstream',
  '--track',
  '-t',
  '--create-reflog',
];

function branchOffer(one: Reading): Offer {
  if (has(one, ...branchChanges)) return 'exact';
  return one.operands.length === 0 || holds(one, ...listing) ? 'reads' : 'changes';
}

function tagOffer(one: Reading): Offer {
  if (has(one, '-d', '--delete', '-f', '--force')) return 'exact';
  const lists = [...listing, '-n', '-v', '--verify', '--sort', '--column'];
  return one.operands.length === 0 || holds(one, ...lists) ? 'reads' : 'changes';
}

const discards = (one: Reading): boolean =>
  one.operands.some(({ text }) => text === '.') ||
  has(one, '-f', '--force', '-p', '--patch', '--ours', '--theirs', '--discard-changes');

/** A rule has to say the options that do so. */
function thrownAway(names: readonly string[], test: (one: Reading) => boolean) {
  const text = 'Throws away changes that are not committed.';
  return (one: Reading): Yield =>
    merge([
      warnOf(names, 'low', text)(one),
      // `checkout` alone does not say it: the words that name the files do.
      test(one)
        ? {
            risks: [
              risk('history-rewrite', 'low', text, [
                ...one.commandWords,
                ...one.operands.map(({ word }) => word),
              ]),
            ],
          }
        : {},
    ]);
}

/** What stands behind `--` is a file, and so is what looks like one. */
function namesFiles({ operands, options, commandWords }: Reading): boolean {
  const [first] = operands;
  if (first === undefined) return false;
  const taken = [...commandWords, ...options.flatMap(({ word, valueWord }) => [word, valueWord])];
  return (
    operands.length > 1 ||
    first.live !== null ||
    !taken.includes(first.word - 1) ||
    /^:|\/$|[*?]|\.[a-z]\w{0,4}$/.test(first.text)
  );
}

const stashing = plainOptions(
  `-k|--keep-index -S|--staged -p|--patch -q|--quiet -u|--include-untracked -a|--all -m|--message=`,
);
const lost = (level: Level) => warns(level, 'Throws away stashed changes.');

export const changingCommands: Readonly<Record<string, Command>> = {
  'add stage': changing(
    'Takes changes into the index.',
    {
      ...plainOptions(`-n|--dry-run -v|--verbose -i|--interactive -p|--patch -e|--edit -f|--force -u|--update
      --renormalize -N|--intent-to-add -A|--all --ignore-removal --refresh --ignore-errors
      --ignore-missing --sparse --chmod= --warn-embedded-repo`),
      ...pathspecOptions,
    },
    { finish: asksEditor((one) => has(one, '-e', '--edit')) },
  ),
  rm: changing(
    'Deletes files from the repository.',
    {
      ...plainOptions('-n|--dry-run -q|--quiet --cached -f|--force -r --ignore-unmatch --sparse'),
      ...pathspecOptions,
    },
    {
      ...exact,
      finish: (one) =>
        has(one, '--cached', '-n', '--dry-run')
          ? {}
          : {
              ...warnOf(['-f', '--force'], 'low', 'Deletes files that were changed, too.')(one),
              effects: one.operands.map(({ text, word, live }) =>
                path('deletes', text, word, { tree: has(one, '-r'), live: live !== null }),
              ),
            },
    },
  ),
  mv: changing(
    'Moves files of the repository.',
    '-v|--verbose -n|--dry-run -f|--force -k --sparse',
    {
      ...exact,
      finish: (one) => ({
        effects: one.operands.map(({ text, word, live }, at) =>
          path(at === one.operands.length - 1 ? 'writes' : 'deletes', text, word, {
            live: live !== null,
          }),
        ),
      }),
    },
  ),
  commit: changing(
    'Records changes.',
    {
      ...plainOptions(`-q|--quiet -v|--verbose --author= --date= -m|--message= -c|--reedit-message=
      -C|--reuse-message= --fixup= --squash= --reset-author --trailer= -s|--signoff -e|--edit --cleanup=
      --status -S|--gpg-sign[] -a|--all -i|--include --interactive -p|--patch -o|--only -n|--no-verify
      --dry-run --short --branch --ahead-behind --porcelain --long -z|--null --amend --no-post-rewrite
      -u|--untracked-files[] --allow-empty --allow-empty-message`),
      '-F --file': reads,
      '-t --template': reads,
      ...pathspecOptions,
    },
    {
      finish: asksEditor(
        commitAsks,
        rewritesIf((one) => has(one, '--amend'), 'Replaces the last commit.'),
      ),
    },
  ),
  restore: changing(
    'Puts files back.',
    {
      ...plainOptions(`-s|--source= -S|--staged -W|--worktree --ignore-unmerged --overlay -q|--quiet
      --recurse-submodules[] --progress -m|--merge --conflict= -2|--ours -3|--theirs -p|--patch
      --ignore-skip-worktree-bits`),
      ...pathspecOptions,
    },
    {
      finish: warnIf(
        (one) => !has(one, '-S', '--staged') || has(one, '-W', '--worktree'),
        'low',
        'Throws away changes that are not committed.',
      ),
    },
  ),
  reset: changing(
    'Moves the branch or the index.',
    {
      ...plainOptions(`-q|--quiet --no-refresh --mixed --soft --hard --merge --keep --recurse-submodules[]
      -p|--patch -N|--intent-to-add`),
      ...pathspecOptions,
    },
    {
      ...exact,
      finish: warnIf(
        (one) => has(one, '--hard', '--merge', '--keep'),
        'high',
        'Throws away all changes that are not committed.',
      ),
    },
  ),
  checkout: changing(
    'Changes to another branch, or puts files back.',
    {
      ...plainOptions(`-b= -B= -l --guess --overlay -q|--quiet --recurse-submodules[] --progress -m|--merge
      --conflict= -d|--detach -t|--track[] -f|--force --orphan= --overwrite-ignore
      --ignore-other-worktrees -2|--ours -3|--theirs -p|--patch --ignore-skip-worktree-bits`),
      ...pathspecOptions,
    },
    {
      finish: thrownAway(['-f', '--force', '-B'], (one) => discards(one) || namesFiles(one)),
    },
  ),
  switch: changing(
    'Changes to another branch.',
    `-c|--create= -C|--force-create= --guess --discard-changes
    -q|--quiet --recurse-submodules[] --progress -m|--merge --conflict= -d|--detach -t|--track[] -f|--force
    --orphan= --overwrite-ignore --ignore-other-worktrees`,
    {
      finish: thrownAway(['-f', '--force', '--discard-changes', '-C', '--force-create'], discards),
    },
  ),
  branch: changing(
    'Lists, makes or deletes branches.',
    {
      ...plainOptions(`-v|--verbose -q|--quiet -t|--track[] --set-upstream -u|--set-upstream-to= --unset-upstream
      --color[] -r|--remotes --abbrev[] -a|--all -d|--delete -D -m|--move -M -c|--copy -C -l|--list
      --show-current --create-reflog --edit-description -f|--force --column[] --sort= --points-at=
      -i|--ignore-case --recurse-submodules --format= --omit-empty`),
      '--contains --no-contains --with --without --merged --no-merged': maybe(inert),
    },
    {
      offers: branchOffer,
      finish: asksEditor(
        (one) => has(one, '--edit-description'),
        (one) =>
          has(one, '-D') || (has(one, '-d', '--delete') && has(one, '-f', '--force'))
            ? warns('high', 'Deletes a branch even if it was never merged.')(one)
            : warnOf(
                ['-f', '--force', '-M', '-C'],
                'low',
                'Puts a branch in the place of another, whose commits it may lose.',
              )(one),
      ),
    },
  ),
  tag: changing(
    'Lists, makes or deletes tags.',
    {
      ...plainOptions(`-l|--list -n[] -d|--delete -v|--verify -a|--annotate -m|--message= -e|--edit -s|--sign
      --cleanup= -u|--local-user= -f|--force --create-reflog --column[] --sort= --format= --color[]
      -i|--ignore-case --trailer= --omit-empty`),
      '--contains --no-contains --with --without --merged --no-merged --points-at': maybe(inert),
      '-F --file': reads,
    },
    {
      offers: tagOffer,
      finish: asksEditor(
        tagAsks,
        warnOf(
          ['-d', '--delete', '-f', '--force'],
          'low',
          'Deletes or moves a tag, and Git does not keep where it was.',
        ),
      ),
    },
  ),
  stash: {
    ...changing('Puts changes aside.', stashing, { operands: words }),
    commands: {
      list: history('Lists stashed changes.', log),
      show: history('Shows stashed changes.', {
        ...diffOptions,
        ...plainOptions('-u|--include-untracked --only-untracked'),
      }),
      push: changing('Puts changes aside.', { ...stashing, ...pathspecOptions }),
      save: changing('Puts changes aside.', stashing),
      pop: changing('Brings stashed changes back.', '-q|--quiet --index'),
      apply: changing('Brings stashed changes back.', '-q|--quiet --index'),
      drop: changing('Throws away stashed changes.', '-q|--quiet', {
        ...exact,
        finish: lost('low'),
      }),
      clear: changing('Throws away all stashed changes.', '', { ...exact, finish: lost('high') }),
      branch: changing('Makes a branch of stashed changes.', ''),
      create: changing('Makes a stash without keeping it.', ''),
      store: changing('Keeps a stash.', '-q|--quiet -m|--message='),
    },
  },
  merge: changing('Joins histories.', { ...merging, '-F --file': reads }, { finish: editing }),
  rebase: changing(
    'Rewrites commits of this branch.',
    {
      ...plainOptions(`--onto= --keep-base --no-verify -q|--quiet -v|--verbose -n|--no-stat --signoff
      --committer-date-is-author-date --reset-author-date --ignore-date --ignore-whitespace --whitespace=
      -C= -f|--force-rebase --no-ff --continue --skip --abort --quit --show-current-patch --apply
      -m|--merge -p|--preserve-merges --rerere-autoupdate --empty= -k|--keep-empty --autosquash
      --update-refs -S|--gpg-sign[] --autostash --allow-empty-message -r|--rebase-merges[] --fork-point
      -X|--strategy-option= --root --reschedule-failed-exec --reapply-cherry-picks --stat`),
      '-x --exec': shell,
      '-i --interactive --edit-todo': pins(
        'git rebase starts an editor, and runs what its list holds',
      ),
      '-s --strategy': strategy,
    },
    {
      ...exact,
      finish: rewritesIf(
        (one) => !has(one, '--abort', '--continue', '--skip', '--quit', '--show-current-patch'),
        'Rewrites commits of this branch.',
      ),
    },
  ),
  'cherry-pick': changing('Applies commits.', picking, {
    syntax: parseKnownOptions,
    finish: editing,
  }),
  revert: changing('Takes commits back.', picking, {
    syntax: parseKnownOptions,
    finish: editing,
  }),
  clean: changing(
    'Deletes files that Git does not track.',
    '-q|--quiet -n|--dry-run -f|--force -i|--interactive -d -e|--exclude= -x -X',
    {
      ...exact,
      finish: (one) =>
        holds(one, '-n', '--dry-run') || !has(one, '-f', '--force', '-i', '--interactive')
          ? {}
          : {
              effects: [path('deletes', '.', -1, { tree: true })],
              risks: [
                risk('recursive-delete', 'high', 'Deletes every file that Git does not track.'),
              ],
            },
    },
  ),
};
