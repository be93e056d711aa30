import {
  doubt,
  executes,
  inert,
  optional,
  projectFile,
  reaches,
  reads,
  writes,
} from '../../forms.ts';
import { argparse, getoptCommand, gnu, singleDash, wholeNames } from '../../syntax.ts';
import type { ProgramRecord } from '../../types.ts';
import { looker, only, quietly, revision, type Looker } from './looker.ts';

const kit = 'changes what the kit for Android has';

/** What a device says of itself, in the words of its own shell. */
const deviceWords =
  /^(?:getprop(?: [\w.-]+)?|dumpsys (?:package|meminfo|cpuinfo)(?: [\w.]+)?|pm list (?:packages|features)(?: -[3efsd])*(?: [\w.]+)?|wm (?:size|density)|uname -a|df(?: -h)?|ps(?: -A)?)$/;

const android: readonly Looker[] = [
  {
    names: ['adb'],
    does: 'Speaks to devices with Android.',
    why: 'changes a device or runs commands on it',
    syntax: getoptCommand,
    front: '-s= -t= -d -e',
    looks: {
      devices: { options: '-l' },
      version: {},
      'get-state': {},
      logcat: {
        options: '-d -t= -T= -b= -v= -s -e= --pid= -m=',
        operands: only(/^[\w*.:-]+$/, 'adb runs commands on a device'),
      },
      shell: {
        operands: { ...inert, arity: 'none' },
        finish: ({ operands }) =>
          deviceWords.test(operands.map(({ text }) => text).join(' '))
            ? {}
            : { doubts: [doubt('adb shell runs commands on a device')] },
      },
    },
    more: { environment: { ADB_VENDOR_KEYS: 'names keys that adb uses' } },
  },
  {
    names: ['emulator'],
    does: 'Runs devices with Android on this machine.',
    why: 'starts a device',
    syntax: singleDash,
    whole: {
      options: '-list-avds -version -help',
      operands: { ...inert, level: 'pinned', why: 'emulator starts a device' },
      finish: ({ options }) =>
        options.length === 0 ? { doubts: [doubt('it starts a device')] } : {},
    },
  },
  {
    names: ['avdmanager'],
    does: 'Keeps devices with Android that are made believe.',
    why: kit,
    syntax: wholeNames,
    front: '-s --silent -v --verbose',
    looks: {
      'list avd': { options: '-c --compact' },
      'list device': { options: '-c --compact' },
      'list target': { options: '-c --compact' },
    },
  },
  {
    names: ['sdkmanager'],
    does: 'Keeps the kit for Android.',
    why: kit,
    syntax: wholeNames,
    whole: {
      options: '--list_installed --version --verbose',
      operands: { ...inert, level: 'pinned', why: 'sdkmanager installs packages' },
      finish: ({ options }) =>
        options.length === 0 ? { doubts: [doubt('sdkmanager changes the kit')] } : {},
    },
  },
  {
    names: ['aapt', 'aapt2'],
    does: 'Shows what packages for Android hold, or makes them.',
    why: 'makes or changes packages',
    syntax: getoptCommand,
    looks: Object.fromEntries(
      'badging permissions strings resources configurations xmltree xmlstrings packagename'
        .split(' ')
        .map((word) => [`dump ${word}`, { options: '--values --file=', operands: reads }]),
    ),
  },
  {
    names: ['apkanalyzer'],
    does: 'Shows what packages for Android hold.',
    why: 'does more than it is known for',
    syntax: wholeNames,
    front: '-h --human-readable',
    looks: Object.fromEntries(
      `manifest print|manifest application-id|manifest version-name|manifest version-code|manifest permissions
      |manifest min-sdk|manifest target-sdk|apk summary|apk file-size|apk download-size|apk features|files list|dex list|dex packages`
        .split('|')
        .map((words) => [words.trim(), { operands: reads }]),
    ),
  },
];

const shows = /^-(?:list|showsdks|version|showBuildSettings|showdestinations|help|usage)$/;
const apple: readonly Looker[] = [
  {
    names: ['xcodebuild'],
    does: 'Builds and tests apps for Apple.',
    why: 'builds, signs or tests what a project says',
    syntax: wholeNames,
    whole: {
      options: `-list -showsdks -version -showBuildSettings -showdestinations -json -quiet -usage -help`,
      roles: {
        '-project -workspace': { ...projectFile, arity: 'required' },
        '-scheme -target -configuration -sdk -destination': inert,
      },
      operands: { ...inert, level: 'pinned', why: 'xcodebuild does what a project says' },
      finish: ({ options }) =>
        options.some(({ name }) => shows.test(name))
          ? {}
          : { doubts: [doubt('xcodebuild builds what a project says')] },
    },
  },
  {
    names: ['xcrun'],
    does: 'Runs a tool of Apple.',
    why: 'runs a tool',
    syntax: wholeNames,
    front: '--show-sdk-path --show-sdk-version --show-sdk-platform-path --sdk=',
    looks: {
      'simctl list': {
        options: '-j --json',
        operands: only(
          /^(?:devices|devicetypes|runtimes|pairs|available|booted)$/,
          'it is not a list',
        ),
      },
    },
    more: {
      environment: {
        DEVELOPER_DIR: 'decides which programs xcrun and the tools of macOS start',
      },
    },
  },
  {
    names: ['sips'],
    does: 'Shows what pictures are, or changes them.',
    why: 'changes pictures',
    syntax: wholeNames,
    whole: { options: '-g|--getProperty= -h --help -v --version', operands: reads },
  },
];

const metrics = `${quietly} -a|--all-branches -T|--all-tags --all-commits --json --md -R|--recursive --precision= --all --no-path`;
const data: readonly Looker[] = [
  {
    // Its settings can name libraries, and files that it writes.
    names: ['mysqldump', 'mariadb-dump'],
    does: 'Prints a whole database.',
    why: 'prints a database',
    syntax: { ...gnu, name: 'my_getopt' },
    whole: {
      options: `-? --help -V --version -A|--all-databases -B|--databases --tables --ignore-table= -w|--where= -d|--no-data
        -t|--no-create-info -n|--no-create-db --add-drop-database --add-drop-table --skip-add-drop-table --add-locks
        --skip-add-locks -c|--complete-insert -e|--extended-insert --skip-extended-insert --replace --insert-ignore
        --hex-blob --compact -i|--comments --skip-comments --dump-date --skip-dump-date --order-by-primary
        --single-transaction -q|--quick -l|--lock-tables --skip-lock-tables -x|--lock-all-tables -R|--routines -E|--events
        --triggers --skip-triggers -y|--no-tablespaces --set-gtid-purged= --column-statistics= --default-character-set=
        --skip-set-charset --opt --skip-opt -f|--force -v|--verbose -C|--compress --protocol= -P|--port= -u|--user=
        --max-allowed-packet= --net-buffer-length= -K|--disable-keys -Q|--quote-names -X|--xml --ssl-mode=`,
      roles: {
        '-p --password': { ...optional(inert), kind: 'secret' },
        '-h --host': reaches('sends'),
        '-r --result-file': writes,
      },
      operands: inert,
      project: true,
    },
    more: { elsewhere: true },
  },
  {
    names: ['dvc'],
    does: 'Keeps data and models beside a repository.',
    why: 'fetches, sends, deletes or makes data, or runs what a project says',
    syntax: argparse,
    front: quietly,
    looks: {
      status: {
        options: `${quietly} -a|--all-branches -T|--all-tags --all-commits -d|--with-deps -R|--recursive --json --no-updates`,
        operands: only(revision, 'dvc is led elsewhere'),
      },
      diff: {
        options: `${quietly} --json --show-hash --md --hide-missing`,
        operands: only(revision, 'dvc is led elsewhere'),
      },
      dag: {
        options: `${quietly} --dot --mermaid --md --full -o|--outs --collapse-foreach-matrix`,
        operands: only(revision, 'dvc is led elsewhere'),
      },
      'data status': { options: `${quietly} --granular --unchanged --json` },
      'metrics show': { options: metrics, operands: reads },
      'metrics diff': { options: metrics, operands: only(revision, 'dvc is led elsewhere') },
      'params diff': {
        options: `${quietly} --all --deps --json --md --no-path`,
        operands: only(revision, 'dvc is led elsewhere'),
      },
      'stage list': { options: `${quietly} --all -R|--recursive --names-only`, operands: reads },
      root: {},
      'version|doctor': {},
    },
    more: { environment: { DVC_PAGER: 'names a program that dvc starts' } },
  },
  ...['csvstat', 'csvcut', 'csvlook', 'csvgrep'].map((name): Looker => {
    const own: Readonly<Record<string, string>> = {
      csvstat: `--csv --json -i|--indent= -n|--names -c|--columns= --type --nulls --non-nulls --unique --min --max --sum --mean
        --median --stdev --len --max-precision= --freq --freq-count= --count --decimal-format= -G|--no-grouping-separator -y|--snifflimit= -I|--no-inference`,
      csvcut: '-n|--names -c|--columns= -C|--not-columns= -x|--delete-empty-rows',
      csvlook:
        '--max-rows= --max-columns= --max-column-width= --max-precision= --no-number-ellipsis -y|--snifflimit= -I|--no-inference',
      csvgrep: '-n|--names -c|--columns= -m|--match= -r|--regex= -i|--invert-match -a|--any-match',
    };
    return {
      names: [name],
      does: 'Shows parts of a table or what it comes to.',
      why: 'does more than it is known for',
      syntax: argparse,
      whole: {
        options: `-h|--help -d|--delimiter= -t|--tabs -q|--quotechar= -u|--quoting= -b|--no-doublequote -p|--escapechar= -z|--maxfieldsize=
          -e|--encoding= -L|--locale= -S|--skipinitialspace --blanks --date-format= --datetime-format= -H|--no-header-row -K|--skip-lines=
          -v|--verbose -l|--linenumbers --zero -V|--version ${own[name] ?? ''}`,
        ...(name === 'csvgrep' ? { roles: { '-f --file': reads } } : {}),
        operands: reads,
      },
    };
  }),
  {
    names: ['jupyter'],
    does: 'Works on notebooks.',
    why: 'runs code that notebooks and settings hold',
    syntax: { ...argparse, name: 'traitlets', abbreviates: false },
    front: '--paths --config-dir --data-dir --runtime-dir --json',
    looks: {
      'kernelspec list': { options: '--json --debug' },
      nbconvert: {
        options: '--stdout --no-input --no-prompt',
        roles: {
          '--to': only(
            /^(?:script|python|markdown|html|rst|asciidoc|latex|slides|notebook)$/,
            'jupyter loads what writes the notebook',
          ),
          '--execute': executes('jupyter runs the code of the notebook'),
        },
        operands: projectFile,
        // The settings for it are code, and may lie in the folder.
        finish: ({ options }) =>
          options.some(({ name }) => name === '--stdout')
            ? {}
            : { doubts: [doubt('jupyter writes files with names of its own')] },
        project: true,
      },
    },
  },
];

/** Programs for devices with Android and of Apple, and for data. */
export const devicePrograms: readonly ProgramRecord[] = [...android, ...apple, ...data].map(looker);
