import {
  doubt,
  executes,
  inert,
  into,
  namesFrom,
  parsed,
  path,
  pinned,
  pins,
  reads,
  risk,
  writes,
} from '../../forms.ts';
import { clap, gnu, perlGetopt, pflag, wholeNames } from '../../syntax.ts';
import type { ProgramRecord, Reading, Yield } from '../../types.ts';
import { looker, type Looker } from './looker.ts';

/** Programs that look at this machine or count what is in files, and whose options can do more. */

const elsewhere = 'systemctl works on another machine or in another root';
const watches = /^(?:status|show|cat|is-[\w-]+|list-[\w-]+|get-default|help)$/;

/** Names of machines are asked of servers elsewhere, and so a name can say something to them. */
const network = /^(?:a?hosts|ahostsv[46]|networks|netgroup|rpc)$/;

function asked({ operands: [database] }: Reading): Yield {
  return database === undefined || (database.live === null && !network.test(database.text))
    ? {}
    : { doubts: [doubt('getent asks other machines for a name', database.word)] };
}

/** Perl's own reader takes `+vcs` for an option, too. */
function plussed({ operands }: Reading): Yield {
  return {
    doubts: operands
      .filter(({ text }) => text.startsWith('+'))
      .map(({ word }) => doubt('cloc takes a word that begins with + for an option', word)),
  };
}

/** `json:a.json,html:stdout`: each form goes into a file of its own. */
const outputs = parsed((value, word) => ({
  effects: value.split(',').flatMap((one) => {
    const file = one.slice(one.indexOf(':') + 1);
    return file === 'stdout' ? [] : [path('writes', file, word)];
  }),
}));

const machineLookers: readonly Looker[] = [
  {
    names: ['systemctl'],
    does: 'Shows, starts and stops services.',
    why: 'starts, stops and changes services',
    syntax: gnu,
    whole: {
      options: `-h|--help --version --system --user -t|--type= --state= --failed -p|--property= -P= -a|--all -l|--full
        -r|--recursive --with-dependencies --reverse --after --before --job-mode= -T|--show-transaction --show-types
        --value --check-inhibitors= -i --kill-whom= --kill-who= --kill-mode= --kill-value= -s|--signal= --what= --now
        --dry-run -q|--quiet -v|--verbose --no-warn --wait --no-block --no-wall --message= --no-reload --legend=
        --no-legend --no-pager --no-ask-password --global --runtime -f|--force --preset-mode= -n|--lines= -o|--output=
        --firmware-setup --boot-loader-menu= --boot-loader-entry= --reboot-argument= --plain --timestamp= --read-only
        --mkdir --marked --drop-in= --when= --stdin --image-policy= --fail --irreversible --ignore-dependencies`,
      roles: { '-H --host -M --machine -C --capsule --root --image': pinned(inert, elsewhere) },
      operands: inert,
      finish: ({ operands: [verb, ...units] }) => ({
        effects: units
          .filter(({ text }) => text.includes('/'))
          .map(({ text, word }) => path('edits', text, word)),
        doubts:
          verb === undefined || (verb.live === null && watches.test(verb.text))
            ? []
            : [doubt('systemctl starts, stops and changes services', verb.word)],
      }),
    },
    more: {
      finds: ({ operands }) => {
        const verb = operands[0]?.text ?? '';
        return [
          ...(/^(?:reboot|poweroff|halt|kexec|rescue|emergency|isolate)$/.test(verb)
            ? [risk('stops-programs', 'high', 'Stops or restarts this machine.')]
            : []),
          ...(/^(?:enable|link|edit|reenable)$/.test(verb)
            ? [risk('persistence', 'high', 'Has a service start by itself.')]
            : []),
        ];
      },
    },
  },
  {
    names: ['getent'],
    does: 'Shows users, groups and machines that are known here.',
    why: 'shows what is known here',
    syntax: gnu,
    whole: {
      options: '-s|--service= -i|--no-idn -A|--no-addrconfig -?|--help --usage -V|--version',
      operands: inert,
      finish: asked,
    },
  },
  {
    names: ['nvidia-smi'],
    does: 'Shows what graphics cards do.',
    why: 'changes how graphics cards work',
    syntax: wholeNames,
    whole: {
      options: `-h|--help --help-query-gpu --version -L|--list-gpus -B|--list-excluded-gpus -q|--query -u|--unit
        -x|--xml-format --dtd -d|--display= -i|--id= -l|--loop= -lms|--loop-ms= --query-gpu= --query-compute-apps=
        --query-accounted-apps= --query-supported-clocks= --query-retired-pages= --query-remapped-rows= --format=`,
      roles: { '-f --filename': writes },
    },
  },
  {
    names: ['pmap'],
    does: 'Shows the memory of a program.',
    why: 'shows the memory of a program',
    syntax: gnu,
    whole: {
      options: `-x|--extended -X -XX -c|--read-rc -d|--device -q|--quiet -p|--show-path -A|--range= -k -h|--help
        -V|--version`,
      roles: {
        '-C --read-rc-from': reads,
        '-N --create-rc-to': writes,
        '-n --create-rc': pins('pmap writes settings of its own'),
      },
      operands: inert,
    },
  },
  {
    names: ['xcode-select'],
    does: 'Shows which tools of Apple are used.',
    why: 'chooses and installs tools of Apple',
    syntax: wholeNames,
    whole: { options: '-p|--print-path -v|--version -h|--help' },
  },
  {
    names: ['cloc'],
    does: 'Counts lines of code.',
    why: 'counts lines of code',
    syntax: perlGetopt,
    whole: {
      options: `--by_file|--by-file --by_file_by_lang|--by-file-by-lang --include_ext|--include-ext= --include_lang|--include-lang=
        --exclude_content|--exclude-content= --include_content|--include-content= --exclude_lang|--exclude-lang=
        --exclude_dir|--exclude-dir= --explain= --count_and_diff|--count-and-diff --diff --diff-timeout|--diff_timeout=
        --timeout= --html --quiet --show_ext|--show-ext[] --show_lang|--show-lang[] --progress_rate|--progress-rate=
        --print_filter_stages|--print-filter-stages --script_lang|--script-lang= --skip_uniqueness|--skip-uniqueness
        --unique --original_dir|--original-dir --sum_reports|--sum-reports --hide_rate|--hide-rate --processes=
        --unicode --no3 --3 -v|--verbose[] --version --xml --force_lang|--force-lang= --lang_no_ext|--lang-no-ext=
        --yaml --csv --csv_delimiter|--csv-delimiter= --json --md --fmt= --fullpath --match_f|--match-f=
        --not_match_f|--not-match-f= --match_d|--match-d= --not_match_d|--not-match-d= --help
        --skip_win_hidden|--skip-win-hidden --read_binary_files|--read-binary-files --sql_project|--sql-project=
        --sql_append|--sql-append --sql_style|--sql-style= --inline --exclude_ext|--exclude-ext=
        --ignore_whitespace|--ignore-whitespace --ignore_case|--ignore-case --ignore_case_ext|--ignore-case-ext
        --follow_links|--follow-links --autoconf --sum_one|--sum-one --by_percent|--by-percent= --percent
        --stdin_name|--stdin-name= --windows --unix --show_os|--show-os --skip_archive|--skip-archive=
        --max_file_size|--max-file-size= --no_autogen|--no-autogen --git --git_diff_rel|--git-diff-rel
        --git_diff_all|--git-diff-all --docstring_as_code|--docstring-as-code --file_encoding|--file-encoding= --stat
        --summary_cutoff|--summary-cutoff= --skip_leading|--skip-leading[] --no_recurse|--no-recurse --thousands_delimiter|--thousands-delimiter=
        --hide_zero|--hide-zero`,
      roles: {
        '--out --report_file --report-file --categorized --counted --found --ignored --diff-alignment --diff_alignment --write_lang_def --write-lang-def --write_lang_def_incl_dup --write-lang-def-incl-dup':
          writes,
        // `1` is the standard output.
        '--sql --xsl': parsed((value, word) =>
          value === '1' ? {} : { effects: [path('writes', value, word)] },
        ),
        '--sdir': into,
        '--strip_comments --strip-comments --strip_code --strip-code --strip_str_comments --strip-str-comments':
          pinned(inert, 'cloc writes what is left of files beside them'),
        '--exclude_list_file --exclude-list-file --read_lang_def --read-lang-def --force_lang_def --force-lang-def':
          reads,
        '--list_file --list-file --diff_list_file --diff-list-file --diff_list_files --diff-list-files':
          namesFrom,
        '--vcs --extract_with --extract-with': executes('cloc runs a command of its words', inert),
        '--config': executes('cloc takes further options from a file', inert),
        '--use_sloccount --use-sloccount': executes('cloc starts another program'),
      },
      operands: reads,
      finish: plussed,
    },
  },
  {
    names: ['scc'],
    does: 'Counts lines of code.',
    why: 'counts lines of code',
    syntax: pflag,
    whole: {
      options: `--avg-wage= --binary --by-file -m|--character --ci --cocomo-project-type= --count-as= --currency-symbol=
        --debug --directory-walker-job-workers= -a|--dryness --eaf= --exclude-dir= -x|--exclude-ext= -n|--exclude-file=
        --file-gc-count= --file-list-queue-size= --file-process-job-workers= --file-summary-job-queue-size= -f|--format=
        --gen --generated-markers= -h|--help -i|--include-ext= --include-symlinks -l|--languages --large-byte-count=
        --large-line-count= --min --min-gen-line-length= -z|--min-gen --no-cocomo -c|--no-complexity -d|--no-duplicates
        --no-gen --no-gitignore --no-gitmodule --no-hborder --no-ignore --no-large --no-min --no-min-gen --no-scc-ignore
        --no-size -M|--not-match= --overhead= -p|--percent --remap-all= --remap-unknown= --size-unit= --sloccount-format
        -s|--sort= --sql-project= -t|--trace -u|--uloc -v|--verbose --version -w|--wide`,
      roles: { '-o --output': writes, '--format-multi': outputs },
      operands: reads,
    },
  },
  {
    names: ['tokei'],
    does: 'Counts lines of code.',
    why: 'counts lines of code',
    syntax: clap,
    whole: {
      options: `-C|--compact -c|--columns= -e|--exclude= -f|--files --hidden -l|--languages --no-ignore --no-ignore-dot
        --no-ignore-parent --no-ignore-vcs -n|--num-format= -o|--output= -s|--sort= -r|--rsort= --streaming= -t|--type=
        --types= -v|--verbose -V|--version -h|--help`,
      roles: { '-i --input': reads },
      operands: reads,
    },
  },
];

export const machineLookerPrograms: readonly ProgramRecord[] = machineLookers.map(looker);
