import {
  doubt,
  has,
  inert,
  layered,
  merge,
  parsed,
  path,
  pinned,
  plainOptions,
  reaches,
  reads,
  risk,
  starts,
  writes,
  executes,
} from '../../forms.ts';
import { parseKnownOptions, parseOptions } from '../../syntax.ts';
import type { Command, Options, Reading, RiskOf, Yield } from '../../types.ts';
import { changing, exact, warnOf, warns } from './changing.ts';
import {
  isElsewhere,
  settingValue,
  whySettingStarts,
  diffOptions,
  rebasing,
  twiceRead,
} from './shared.ts';

const upload = executes('git starts the program in --upload-pack', starts);
const receive = executes('git starts the program in --receive-pack', starts);
const fetches = reaches('fetches');

const remoteGoes = warns('low', 'Takes a remote away, with what is known of its branches.');

/** Fetched straight onto a branch of this repository, whose own commits a `+` throws away. */
function ontoBranches({ operands, options }: Reading): Yield {
  const forces = options.some(({ name }) => name === '-f' || name === '--force');
  const onto = operands
    .slice(1)
    .filter(({ text }) => /^[^:]*:(?!refs\/remotes\/)./.test(text))
    .filter(({ text }) => forces || text.startsWith('+'));
  const [first] = onto;
  return first === undefined
    ? {}
    : {
        risks: [
          risk('history-rewrite', 'low', 'Replaces a branch of this repository.', [first.word]),
        ],
      };
}

const address = /^[a-z][a-z0-9+.-]*:\/\/|^[\w.-]+@[\w.-]+:|^[\w.-]+:/i;

/** What comes from a remote was agreed to when that was set up; what an address holds was not. */
function fromNamed({ operands, options }: Reading, what: string): Yield {
  const several = options.some(({ name }) => name === '-m' || name === '--multiple');
  const named = several ? operands : operands.slice(0, 1);
  return {
    doubts: named
      .filter(({ text }) => isElsewhere(text))
      .map(({ word }) => doubt(`git ${what} an address, which is not a remote by name`, word)),
  };
}

const fetching: Options = {
  ...plainOptions(`-v|--verbose -q|--quiet --all --set-upstream -a|--append --atomic -f|--force -m|--multiple
    -t|--tags -n -j|--jobs= --prefetch -p|--prune -P|--prune-tags --recurse-submodules[] --dry-run --porcelain
    --write-fetch-head -k|--keep -u|--update-head-ok --progress --depth= --shallow-since=
    --shallow-exclude= --deepen= --unshallow --refetch --submodule-prefix= --recurse-submodules-default=
    --update-shallow --refmap= -o|--server-option= -4|--ipv4 -6|--ipv6 --negotiation-tip=
    --negotiate-only --filter= --auto-maintenance --auto-gc --show-forced-updates --write-commit-graph
    --stdin`),
  '--upload-pack': upload,
};

function pushed(one: Reading): Yield {
  const [remote, ...refs] = one.operands;
  const repo = one.options.find(({ name }) => name === '--repo')?.value ?? remote?.text ?? '';
  const risks = [];
  if (has(one, '-f', '--force', '--mirror'))
    risks.push(
      risk('force-push', 'high', 'Replaces commits on the remote; those of others may be lost.'),
    );
  else if (has(one, '--force-with-lease'))
    risks.push(
      risk('force-push', 'low', 'Replaces commits on the remote, if nobody else has pushed since.'),
    );
  const forced = refs.find(({ text }) => text.startsWith('+'));
  if (forced !== undefined)
    risks.push(
      risk('force-push', 'high', `Replaces the remote's ${forced.text.slice(1)}.`, [forced.word]),
    );
  if (refs.some(({ text }) => /^\+?:/.test(text)) || has(one, '-d', '--delete', '--prune'))
    risks.push(risk('force-push', 'high', 'Deletes a branch or tag on the remote.'));
  if (isElsewhere(repo))
    risks.push(risk('data-leaving', 'high', `Pushes to ${repo}, which is not a remote by name.`));
  return {
    risks,
    effects: [{ kind: 'reaches', address: repo, direction: 'sends', word: remote?.word ?? -1 }],
  };
}

const remoteSet: Partial<Command> = {
  offers: 'exact',
  finish: (one) => {
    // A path is an address too: a push to it runs the hooks that lie there.
    const to = one.operands[1];
    return to === undefined
      ? {}
      : {
          doubts: [doubt('git would send later pushes to another address', to.word)],
          risks: !address.test(to.text)
            ? []
            : [
                risk(
                  'data-leaving',
                  'low',
                  `Has later pushes to ${one.operands[0]?.text} go to ${to.text}.`,
                  [to.word],
                ),
              ],
        };
  },
};

/** Options of `git config` that only choose what is shown. */
const configReads = [
  '--get',
  '--get-all',
  '--get-regexp',
  '--get-urlmatch',
  '--list',
  '-l',
  '--get-color',
  '--get-colorbool',
];
const configWrites = [
  '--replace-all',
  '--add',
  '--unset',
  '--unset-all',
  '--rename-section',
  '--remove-section',
  '-e',
  '--edit',
];

/** Names of settings that can hold a password or a token. */
const isCredential =
  /extra-?header|^credential|^https?$|password|passwd|token|secret|cookie|sslkey|proxyauth/i;

function configured(one: Reading): Yield {
  const [first, ...others] = one.operands;
  const file = has(one, '-f', '--file', '--blob');
  const lists = has(one, ...configReads) && !has(one, ...configWrites);
  const shows =
    !has(one, ...configWrites) &&
    others.length === 0 &&
    first !== undefined &&
    first.text.includes('.') &&
    first.live === null;
  // Since 2.46; older versions refuse a name without a section.
  const asks = /^(?:get|list)$/.test(first?.text ?? '') && others.length < 2;
  const told = one.operands.find(({ text }) => isCredential.test(text));
  if (told !== undefined && !has(one, ...configWrites))
    return {
      risks: [risk('credential-path', 'high', 'Prints what logs in elsewhere.', [told.word])],
    };
  if (!file && (lists || shows || (asks && !has(one, ...configWrites)))) return {};
  const why = 'settings of git can name programs that it starts later';
  return {
    effects: [{ kind: 'sets', setting: first?.text ?? '', why, word: first?.word ?? -1 }],
    risks: [settingRisk(one)],
  };
}

/** Words that newer versions have in front of the name. */
const configVerbs = /^(?:get|set|unset|list|edit|rename-section|remove-section)$/;

function settingRisk({ operands }: Reading): RiskOf {
  const [key, value] = configVerbs.test(operands[0]?.text ?? '') ? operands.slice(1) : operands;
  const why = key === undefined ? null : whySettingStarts(`${key.text}=${value?.text ?? ''}`);
  return why === null || key === undefined
    ? risk('persistence', 'low', 'Changes settings of Git.')
    : risk('persistence', 'high', `Sets ${key.text}, which ${why}.`, [key.word]);
}

export const remoteCommands: Readonly<Record<string, Command>> = {
  clone: changing(
    'Copies a repository from elsewhere.',
    {
      ...plainOptions(`-v|--verbose -q|--quiet --progress --reject-shallow -n|--no-checkout --bare --naked --mirror
      -l|--local --no-hardlinks -s|--shared --recurse-submodules[] --recursive[] -j|--jobs= --dissociate
      -o|--origin= -b|--branch= --depth= --shallow-since= --shallow-exclude= --single-branch --no-tags
      --shallow-submodules --server-option= -4|--ipv4 -6|--ipv6 --filter= --also-filter-submodules
      --remote-submodules --sparse --revision= --ref-format=`),
      '--reference --reference-if-able': reads,
      '--bundle-uri': pinned(fetches, 'git takes objects from the address in --bundle-uri'),
      '-u --upload-pack': upload,
      '-c --config': executes(
        'git takes settings, which can name programs, from --config',
        settingValue,
      ),
      '--template': executes('the template of a repository holds hooks', reads),
      '--separate-git-dir': pinned({ ...writes, kind: 'into' }, 'the repository is put elsewhere'),
    },
    {
      offers: 'exact',
      operands: { first: [fetches], rest: { ...writes, kind: 'into' } },
      finish: ({ operands: [from, to] }) => {
        if (from === undefined || to !== undefined) return {};
        const name = from.text
          .replace(/\/+$/, '')
          .replace(/\/?\.git$/, '')
          .replace(/^.*[/:]/s, '');
        return { effects: [path('into', name === '' ? '.' : name, from.word)] };
      },
    },
  ),
  fetch: changing('Fetches from a remote.', fetching, {
    operands: { first: [fetches], rest: inert },
    finish: (one) => merge([fromNamed(one, 'fetches from'), ontoBranches(one)]),
  }),
  pull: changing(
    'Fetches from a remote and joins it.',
    {
      ...fetching,
      ...plainOptions(`--stat --summary --log[] --signoff --squash --commit -e|--edit --cleanup=
      --ff --ff-only --verify --verify-signatures --autostash -X|--strategy-option= -S|--gpg-sign[]
      --allow-unrelated-histories --compact-summary -j|--jobs[]`),
      '-r --rebase': rebasing,
      '-s --strategy': executes('git starts the program for this way to merge', inert),
    },
    {
      operands: { first: [fetches], rest: inert },
      finish: (one) => fromNamed(one, 'joins what it fetches from'),
    },
  ),
  push: changing(
    'Sends commits to a remote.',
    {
      ...plainOptions(`-v|--verbose -q|--quiet --repo= --all --branches --mirror -d|--delete --tags -n|--dry-run
      --porcelain -f|--force --force-with-lease[] --force-if-includes --recurse-submodules= --thin
      -u|--set-upstream --progress --prune --no-verify --follow-tags --signed[] --atomic
      -o|--push-option= -4|--ipv4 -6|--ipv6`),
      '--receive-pack --exec': receive,
    },
    { offers: 'exact', finish: pushed },
  ),
  remote: {
    ...changing('Lists and changes remotes.', '-v|--verbose', {
      offers: ({ operands }) => (operands.length === 0 ? 'reads' : 'exact'),
    }),
    commands: {
      show: changing('Shows a remote.', '-n', { offers: 'reads', operands: { rest: fetches } }),
      'get-url': changing('Shows the address of a remote.', '--push --all', { offers: 'reads' }),
      add: changing(
        'Adds a remote.',
        '-f|--fetch --tags -t|--track= -m|--master= --mirror[]',
        remoteSet,
      ),
      'set-url': changing('Changes the address of a remote.', '--push --add --delete', remoteSet),
      rename: changing('Renames a remote.', '--progress', remoteSet),
      'remove rm': changing('Removes a remote.', '', { ...exact, finish: remoteGoes }),
      prune: changing('Forgets branches that are gone.', '-n|--dry-run', {
        operands: { rest: fetches },
      }),
      update: changing('Fetches from remotes.', '-p|--prune', { operands: { rest: fetches } }),
      'set-head': changing('Chooses the branch of a remote.', '-a|--auto -d|--delete'),
      'set-branches': changing('Chooses the branches of a remote.', '--add'),
    },
  },
  submodule: {
    ...changing('Works with repositories inside.', '-q|--quiet --cached'),
    commands: {
      status: changing('Shows repositories inside.', '-q|--quiet --cached --recursive', {
        offers: 'reads',
      }),
      summary: changing(
        'Shows what changed in repositories inside.',
        '--cached --files -n|--summary-limit=',
      ),
      deinit: changing('Empties repositories inside.', '-q|--quiet -f|--force --all', {
        offers: 'exact',
        finish: warnOf(['-f', '--force', '--all'], 'low', 'Empties repositories inside.'),
      }),
      'init sync set-branch absorbgitdirs': changing(
        'Changes repositories inside.',
        '-q|--quiet --recursive -b|--branch= -d|--default',
        { offers: 'exact' },
      ),
      'set-url': changing('Changes the address of a repository inside.', '-q|--quiet', remoteSet),
      update: changing(
        'Fetches repositories inside.',
        '-q|--quiet --progress --init --remote -N|--no-fetch -f|--force --checkout --merge --rebase --recommend-shallow --recursive --single-branch --depth= -j|--jobs= --filter= --reference=',
        {
          offers: 'exact',
          finish: () => ({
            effects: [{ kind: 'reaches', address: '', direction: 'fetches', word: -1 }],
          }),
        },
      ),
      add: changing(
        'Adds a repository inside.',
        '-q|--quiet -f|--force --progress -b|--branch= --name= --depth= --reference=',
        {
          offers: 'exact',
          operands: {
            first: [pinned(fetches, 'git fetches a repository into the project')],
            rest: { ...writes, kind: 'into' },
          },
        },
      ),
      foreach: {
        does: 'Runs a command in each repository inside.',
        syntax: { ...parseOptions, permutes: false },
        options: plainOptions('-q|--quiet --recursive'),
        operands: { rest: inert },
        finish: ({ operands }) => {
          const why = 'git submodule foreach runs a command';
          const word = operands[0]?.word ?? -1;
          const text = operands.map((one) => one.text).join(' ');
          return { effects: [{ kind: 'shell', text, why, word }] };
        },
      },
    },
  },
  archive: changing(
    'Packs a tree into an archive.',
    {
      ...plainOptions(
        '--format= --prefix= -v|--verbose -l|--list -0 -1 -2 -3 -4 -5 -6 -7 -8 -9 --worktree-attributes --mtime=',
      ),
      '--add-file': reads,
      '--add-virtual-file': inert,
      // For other endings it starts what `tar.NAME.command` names.
      '-o --output': parsed((value, word) => ({
        effects: [path('writes', value, word)],
        doubts: /\.(?:tar|zip)$/.test(value)
          ? []
          : [doubt('git archive starts the packer for a name like this', word)],
      })),
      '--remote': pinned(fetches, 'git archive asks another machine'),
      '--exec': executes('git archive starts the program in --exec', starts),
    },
    { offers: 'exact', finish: twiceRead },
  ),
  'format-patch': changing(
    'Writes commits as patches.',
    layered({
      ...diffOptions,
      ...plainOptions(`-n|--numbered -N|--no-numbered -s|--signoff --stdout --cover-letter --numbered-files
      --start-number= -v|--reroll-count= --filename-max-length= --rfc[] --cover-from-description=
      --subject-prefix= -k|--keep-subject -p|--no-stat --zero-commit --ignore-if-in-upstream --add-header=
      --to= --cc= --from[] --in-reply-to= --attach[] --inline[] --thread[] --signature= --base=
      -q|--quiet --progress --interdiff= --range-diff= --creation-factor= --force-in-body-from
      --root --full-index --stat[] -M[] -C[] --max-count= --not --all`),
      '--signature-file --description-file': reads,
      '-o --output-directory': { ...writes, kind: 'into' },
      '--output': pinned(writes, 'git writes the file in --output'),
      // Behind the subject, of which the agent may have made a folder.
      '--suffix': parsed((value, word) =>
        value.includes('/') ? { doubts: [doubt('a suffix leads to another folder', word)] } : {},
      ),
    }),

    {
      syntax: parseKnownOptions,
      offers: 'exact',
      finish: (one) =>
        merge([
          twiceRead(one),
          has(one, '--stdout', '-o', '--output-directory')
            ? {}
            : { effects: [path('into', '.', -1)] },
        ]),
    },
  ),
  config: changing(
    'Shows or changes settings of Git.',
    {
      ...plainOptions(`--global --system --local --worktree -f|--file= --blob= --get --get-all --get-regexp
      --get-urlmatch --replace-all --add --unset --unset-all --rename-section --remove-section -l|--list
      --fixed-value -e|--edit --get-color --get-colorbool -t|--type= --bool --int --bool-or-int --bool-or-str
      --path --expiry-date -z|--null --name-only --includes --show-origin --show-scope --default=`),
    },
    {
      // The first word that is not an option ends them: in `git config core.pager id --get` it is a value.
      syntax: { ...parseOptions, permutes: false },
      finish: configured,
      offers: (one) => (configured(one).effects === undefined ? 'reads' : 'exact'),
    },
  ),
};
