import {
  doubt,
  has,
  layered,
  inert,
  maybe,
  merge,
  path,
  pins,
  plainOptions,
  reaches,
  reads,
  risk,
  starts,
  executes,
} from '../../forms.ts';
import { parseKnownOptions, parseOptions } from '../../syntax.ts';
import type { Command, Options, Reading, Yield } from '../../types.ts';
import { count, decorateOptions, diffOptions, isElsewhere, revisionOptions } from './shared.ts';

const words = { rest: inert };

/** Commands that know all options themselves, and abbreviate them. */
function reading(does: string, options: string | Options, more: Partial<Command> = {}): Command {
  const own = typeof options === 'string' ? plainOptions(options) : options;
  return { does, syntax: parseOptions, options: own, operands: words, offers: 'reads', ...more };
}

/** Commands that hand options on to the parser of histories or diffs. */
export function history(does: string, options: Options): Command {
  const syntax = parseKnownOptions;
  const own = layered(options);
  return { does, syntax, numeric: count, options: own, operands: words, offers: 'reads' };
}

function forgets(one: Reading): Yield {
  return has(one, '-n', '--dry-run')
    ? {}
    : { risks: [risk('history-rewrite', 'high', 'Removes the way back to lost commits.')] };
}

export const log = { ...revisionOptions, ...diffOptions, ...decorateOptions };
const textconv = {
  '--textconv --filters --ext-diff': executes(
    'git starts the programs that attributes and settings name',
  ),
};
const refs = {
  ...plainOptions(`--shell --perl --python --tcl --count= --format= --color[] --sort= --exclude=
    --points-at= --ignore-case --omit-empty --stdin --start-after=`),
  '--merged --no-merged --contains --no-contains': maybe(inert),
};

export const readingCommands: Readonly<Record<string, Command>> = {
  log: history('Shows the history.', log),
  show: history('Shows commits and other objects.', log),
  whatchanged: history('Shows the history with its changes.', log),
  'rev-list': history('Lists commits.', {
    ...revisionOptions,
    ...diffOptions,
    ...plainOptions(
      '--quiet --timestamp --header --progress= --test-bitmap --bisect-vars --bisect-all --bisect --commit-header --missing=',
    ),
  }),
  reflog: {
    ...history('Shows where references stood.', log),
    commands: {
      show: history('Shows where references stood.', log),
      list: reading('Lists the references with a past.', ''),
      exists: reading('Tells whether a reference has a past.', ''),
      expire: reading(
        'Removes the way back to lost commits.',
        `-n|--dry-run --rewrite --updateref --verbose --expire= --expire-unreachable= --stale-fix
         --all --single-worktree`,
        { offers: 'exact', finish: forgets },
      ),
      delete: reading(
        'Removes the way back to lost commits.',
        '-n|--dry-run --rewrite --updateref --verbose',
        { offers: 'exact', finish: forgets },
      ),
    },
  },
  diff: {
    ...history('Shows changes.', {
      ...diffOptions,
      ...plainOptions('--cached --staged --merge-base --no-index'),
    }),
    finish: (one) =>
      has(one, '--no-index')
        ? {
            effects: one.operands.map(({ text, word }) =>
              path('reads', text, word, { tree: true }),
            ),
          }
        : {},
  },
  'diff-files': history('Shows changes of the working tree.', {
    ...revisionOptions,
    ...diffOptions,
  }),
  'diff-index': history('Shows changes against a tree.', {
    ...revisionOptions,
    ...diffOptions,
    ...plainOptions('--cached --merge-base'),
  }),
  'diff-tree': history('Shows changes between trees.', {
    ...revisionOptions,
    ...diffOptions,
    ...plainOptions('--merge-base'),
  }),
  shortlog: history('Sums up the history by author.', {
    ...revisionOptions,
    ...plainOptions(
      '-c|--committer -n|--numbered -s|--summary -e|--email --group= -w[] -q|--quiet',
    ),
  }),
  'range-diff': history('Compares two versions of a branch.', {
    ...diffOptions,
    ...plainOptions(
      '--creation-factor= --no-dual-color --dual-color --notes[] --left-only --right-only',
    ),
  }),
  status: reading(
    'Shows what was changed.',
    `-v|--verbose -s|--short -b|--branch --show-stash --ahead-behind --porcelain[] --long -z|--null
     -u|--untracked-files[] --ignored[] --ignore-submodules[] --column[] --no-renames -M|--find-renames[]`,
  ),
  'blame annotate': {
    ...history('Shows who last changed each line.', {
      ...revisionOptions,
      ...diffOptions,
      ...plainOptions(`--incremental -b --root --show-stats --progress --score-debug -f|--show-name
        -n|--show-number -p|--porcelain --line-porcelain -c -t -l -s -e|--show-email -w --ignore-rev=
        --color-lines --color-by-age -S= -C[] -M[] -L= --minimal -h --abbrev[]`),
      '--ignore-revs-file --contents': reads,
    }),
  },
  describe: reading(
    'Names a commit by its nearest tag.',
    `--contains --debug --all --tags --long --first-parent --abbrev[] --exact-match --candidates= --match=
     --exclude= --always --dirty[] --broken[]`,
  ),
  grep: {
    ...reading('Searches the files of the repository.', {
      ...plainOptions(`--cached --no-index --untracked --exclude-standard --recurse-submodules
        -v|--invert-match -i|--ignore-case -w|--word-regexp -a|--text -I -r|--recursive --max-depth=
        -E|--extended-regexp -G|--basic-regexp -F|--fixed-strings -P|--perl-regexp -n|--line-number
        --column -h -H --full-name -l|--files-with-matches --name-only -L|--files-without-match
        -z|--null -o|--only-matching -c|--count --color[] --break --heading -C|--context=
        -B|--before-context= -A|--after-context= --threads= -p|--show-function -W|--function-context
        -e= --and --or --not ( ) -q|--quiet --all-match --ext-grep -m|--max-count=`),
      '-f': reads,
      '-O --open-files-in-pager': {
        ...starts,
        arity: 'optional',
        level: 'pinned',
        why: 'git grep -O starts a pager',
      },
      '--textconv': executes('git starts the programs for texts that attributes and settings name'),
    }),
    numeric: count,
    finish: (one) =>
      has(one, '--no-index')
        ? {
            effects: one.operands.map(({ text, word }) =>
              path('reads', text, word, { tree: true }),
            ),
          }
        : {},
  },
  'ls-files': reading('Lists files of the repository.', {
    ...plainOptions(`-z -t -v -f -c|--cached -d|--deleted -m|--modified -o|--others -i|--ignored -s|--stage
      -k|--killed --directory --eol --empty-directory -u|--unmerged --resolve-undo -x|--exclude=
      --exclude-per-directory= --exclude-standard --full-name --recurse-submodules --error-unmatch
      --with-tree= --abbrev[] --debug --deduplicate --sparse --format=`),
    '-X --exclude-from': reads,
  }),
  'ls-tree': reading(
    'Lists what a tree holds.',
    '-d -r -t -z -l|--long --name-only --name-status --object-only --full-name --full-tree --format= --abbrev[]',
  ),
  'ls-remote': reading(
    'Lists the references of a remote.',
    {
      ...plainOptions(
        '-q|--quiet -t|--tags -h|--heads|--branches --refs --get-url --sort= --exit-code --symref -o|--server-option=',
      ),
      '--upload-pack --exec': executes('git starts the program in --upload-pack', starts),
    },
    {
      operands: { first: [reaches('fetches')], rest: inert },
      finish: ({ operands: [remote] }) =>
        remote === undefined || !isElsewhere(remote.text)
          ? {}
          : {
              doubts: [doubt('git asks an address, which is not a remote by name', remote.word)],
            },
    },
  ),
  'rev-parse': {
    ...history('Resolves names of commits.', {
      ...revisionOptions,
      ...plainOptions(`--parseopt --keep-dashdash --stop-at-non-option --stuck-long --sq-quote --revs-only
      --no-revs --flags --no-flags --default= --prefix= --verify -q|--quiet --sq --short[] --symbolic
      --symbolic-full-name --abbrev-ref[] --disambiguate= --local-env-vars --path-format= --git-dir
      --git-common-dir --resolve-git-dir= --git-path= --show-toplevel --show-superproject-working-tree
      --shared-index-path --absolute-git-dir --is-inside-git-dir --is-inside-work-tree
      --is-bare-repository --is-shallow-repository --show-cdup --show-prefix --show-object-format[]
      --show-ref-format --end-of-options`),
    }),
  },
  'cat-file': reading('Shows an object.', {
    ...plainOptions(`-e -p -t -s --allow-unknown-type --use-mailmap --mailmap --batch[] --batch-check[]
      --batch-command[] --batch-all-objects --buffer --follow-symlinks --unordered -z -Z --path= --filter=`),
    ...textconv,
  }),
  'show-ref': reading(
    'Lists references.',
    '--tags --heads|--branches --verify --exists --head -d|--dereference -s|--hash[] --abbrev[] -q|--quiet --exclude-existing[]',
  ),
  'show-branch': reading(
    'Shows branches and their commits.',
    `-a|--all -r|--remotes --color[] --more[] --list --no-name --current --sha1-name --merge-base
     --independent --topo-order --topics --sparse --date-order -g|--reflog[]`,
  ),
  'for-each-ref': reading('Lists references.', refs),
  'name-rev': reading(
    'Names commits by references.',
    '--name-only --tags --refs= --exclude= --all --stdin --annotate-stdin --undefined --always --peel-tag',
  ),
  'merge-base': reading(
    'Finds common ancestors.',
    '-a|--all --octopus --independent --is-ancestor --fork-point',
  ),
  cherry: reading('Finds commits that are not upstream.', '--abbrev[] -v|--verbose'),
  'count-objects': reading('Counts objects.', '-v|--verbose -H|--human-readable'),
  'check-attr': reading('Shows attributes of files.', '-a|--all --cached --stdin -z --source='),
  'check-ignore': reading(
    'Shows why files are ignored.',
    '-q|--quiet -v|--verbose --stdin -z -n|--non-matching --no-index',
  ),
  'check-mailmap': reading(
    'Shows names from the mail map.',
    '--stdin --mailmap-file= --mailmap-blob=',
  ),
  'check-ref-format': reading(
    'Checks a name.',
    '--normalize --allow-onelevel --no-allow-onelevel --refspec-pattern --branch --print',
  ),
  'verify-commit': reading('Checks signatures.', '-v|--verbose --raw'),
  'verify-tag': reading('Checks signatures.', '-v|--verbose --raw --format='),
  'verify-pack': reading('Checks packs.', '-v|--verbose -s|--stat-only --object-format='),
  'merge-tree': reading(
    'Merges without touching files.',
    '--write-tree --trivial-merge --messages -z --name-only --allow-unrelated-histories --stdin --merge-base= -X|--strategy-option=',
  ),
  'patch-id': reading('Computes the id of a patch.', '--stable --unstable --verbatim'),
  var: reading('Shows a variable.', '-l'),
  version: reading('Shows the version.', '--build-options'),
  stripspace: reading('Lays text out.', '-s|--strip-comments -c|--comment-lines'),
  help: reading('Shows help.', {
    ...plainOptions(`-a|--all --external-commands --no-external-commands --aliases --no-aliases
      --exclude-guides -v|--verbose -g|--guides --user-interfaces --developer-interfaces -c|--config
      --config-for-completion --config-sections-for-completion`),
    '-m --man -w --web -i --info': pins('git help starts a viewer'),
  }),
};

/** Helpers named in an address, and hosts that ssh would take for options. */
const transport =
  /^[A-Za-z][A-Za-z0-9+.-]*::|^(?:[a-z+]+:\/\/)?(?:[^/@]*@)?-[^/]*:|^ssh:\/\/-|^ext:/;

/** What holds for all commands: addresses that start programs. */
export function guarded(command: Command): Command {
  const { finish, commands } = command;
  return {
    ...command,
    ...(commands === undefined
      ? {}
      : {
          commands: Object.fromEntries(
            Object.entries(commands).map(([name, one]) => [name, guarded(one)]),
          ),
        }),
    finish: (one) => {
      const texts = [
        ...one.operands,
        // A key to sort by is never an address: `-v:refname`.
        ...one.options
          .filter(({ name }) => name !== '--sort')
          .map(({ value, valueWord }) => ({ text: value ?? '', word: valueWord })),
      ];
      const hit = texts.find(({ text }) => transport.test(text));
      return merge([
        finish?.(one) ?? {},
        hit === undefined
          ? {}
          : { doubts: [doubt('a transport of git can start programs', hit.word)] },
      ]);
    },
  };
}
