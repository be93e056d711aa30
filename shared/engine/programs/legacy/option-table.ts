import type { OptionRisk } from './option-risks.ts';

/** Where a compiler takes its own programs from, and what it hands to the linker. */
const compilerOption =
  /^(?:-B|-fplugin|-fuse-ld=|--prefix|-Xlinker|-Xassembler|-Wl,.*(?:plugin|@)|-Wa,@|@)/;

const imageMagick: OptionRisk = {
  why: 'ImageMagick runs scripts and programs that names of files stand for',
  single: ['-script', '-process', '-write'],
  operand:
    /^(?:[|@]|(?:msl|mvg|ephemeral|url|https?|ftp|text|caption|label|inline|pango|x|show|win):)/i,
};

const binutils: OptionRisk = {
  why: 'the tools for object files load the plug-in in --plugin',
  long: ['plugin'],
  single: ['-plugin'],
  operand: /^@/,
};

/** Programs that are what their name says, but for some of their options. */
export const optionRisks: Readonly<Record<string, OptionRisk>> = {
  split: { why: 'split starts the command in --filter', long: ['filter'], valued: 'abClnt' },
  rsync: {
    why: 'rsync starts the programs in -e and --rsync-path, and a daemon can run scripts',
    long: ['rsh', 'rsync-path', 'daemon', 'config', 'early-input', 'remote-option'],
    short: 'eM',
    valued: 'fBT',
  },
  scp: {
    why: 'scp starts the program in -S, and ssh options can name commands',
    short: 'SoFD',
    valued: 'ciJlP',
  },
  'ssh-keygen': {
    why: 'ssh-keygen loads the library in -D',
    short: 'Dw',
    valued: 'fCNPtbOaEIJKLmMnRrsSTVWYZz',
  },
  'ssh-add': { why: 'ssh-add loads the library in -s', short: 'sS', valued: 'tEhH' },
  cpio: {
    why: 'cpio starts the program in --rsh-command',
    long: ['rsh-command', 'to-stdout-command'],
  },
  zip: {
    why: 'zip starts the command in -TT',
    long: ['unzip-command'],
    single: ['-TT'],
    operand: /^-[A-Za-z]*TT/,
  },
  unzip: { why: 'unzip can be made to overwrite without asking', long: [] },
  ag: { why: 'ag starts the program in --pager', long: ['pager'], fine: ['parallel'] },
  ack: {
    why: 'ack starts the program in --pager and reads --ackrc',
    long: ['pager', 'ackrc', 'output'],
  },
  bat: {
    why: 'bat starts the program in --pager',
    long: ['pager', 'config-file', 'diff-command'],
    fine: ['paging'],
  },
  batcat: {
    why: 'bat starts the program in --pager',
    long: ['pager', 'config-file'],
    fine: ['paging'],
  },
  delta: { why: 'delta starts the program in --pager', long: ['pager'], fine: ['paging'] },
  eza: { why: 'eza is what its name says', long: [] },
  sdiff: { why: 'sdiff starts the program in --diff-program', long: ['diff-program'], short: 'o' },
  diff3: { why: 'diff3 starts the program in --diff-program', long: ['diff-program'] },
  patch: {
    why: 'patch can hand a script to ed',
    long: ['ed', 'get'],
    short: 'eg',
    valued: 'dDFipBorVYz',
  },
  install: { why: 'install starts the program in --strip-program', long: ['strip-program'] },
  less: {
    why: 'less runs commands from its arguments',
    long: ['lesskey-file', 'lesskey-src', 'lesskey-content', 'log-file', 'LOG-FILE'],
    short: 'koO',
    operand: /^\+/,
  },
  more: { why: 'more runs commands from its arguments', operand: /^\+/ },
  most: { why: 'most runs commands from its arguments', operand: /^\+/ },
  man: {
    why: 'man starts the pager, browser or formatter in its options',
    long: [
      'pager',
      'html',
      'preprocessor',
      'config-file',
      'gxditview',
      'troff-device',
      'local-file',
      'ditroff',
    ],
    short: 'PHpCXTZl',
    valued: 'LmMSsERr',
  },
  wget: {
    why: 'wget runs settings from its options and starts the program in --use-askpass',
    long: ['use-askpass', 'execute', 'config'],
    fine: ['connect-timeout', 'continue', 'compression', 'content-disposition', 'content-on-error'],
    short: 'e',
    valued: 'aiBtOSTwQPUDAlRIoX',
  },
  tcpdump: { why: 'tcpdump starts the program in -z', short: 'z', long: ['postrotate-command'] },
  nmap: {
    why: 'nmap runs the scripts in --script',
    long: ['script', 'script-args', 'script-args-file', 'datadir'],
    single: ['-sC', '-A'],
  },
  nc: {
    why: 'nc starts a program with -e or -c',
    short: 'ec',
    long: ['exec', 'sh-exec', 'lua-exec'],
    valued: 'ipqsTwxX',
  },
  netcat: {
    why: 'netcat starts a program with -e or -c',
    short: 'ec',
    long: ['exec'],
    valued: 'ipqsTwxX',
  },
  ncat: {
    why: 'ncat starts a program with -e or -c',
    short: 'ec',
    long: ['exec', 'sh-exec', 'lua-exec'],
    valued: 'ipqsTwxX',
  },
  gcc: {
    why: 'the compiler starts the programs and loads the plug-ins in its options',
    single: ['-wrapper', '-specs', '--specs', '--spec', '--spe'],
    operand: compilerOption,
  },
  cc: {
    why: 'the compiler starts the programs and loads the plug-ins in its options',
    single: ['-wrapper', '-specs', '--specs', '--spec', '--spe'],
    operand: compilerOption,
  },
  'g++': {
    why: 'the compiler starts the programs and loads the plug-ins in its options',
    single: ['-wrapper', '-specs', '--specs', '--spec', '--spe'],
    operand: compilerOption,
  },
  clang: {
    why: 'the compiler starts the programs and loads the plug-ins in its options',
    operand:
      /^(?:-B|-fplugin|-fpass-plugin|-load|-mllvm|-Xclang|-Xlinker|-ccc-|-Wl,.*(?:plugin|@)|--gcc-toolchain|-resource-dir|--ld-path|-fuse-ld=|--config|@)/,
  },
  ld: { why: 'the linker loads the plug-in in its options', operand: /^(?:--?plugin|@)/ },
  nm: binutils,
  ar: binutils,
  ranlib: binutils,
  strip: binutils,
  size: binutils,
  as: binutils,
  rustc: {
    why: 'the compiler starts the linker and loads the code in its options',
    long: ['codegen', 'sysroot', 'extern'],
    short: 'CZL',
    valued: 'lo',
    operand: /^@/,
  },
  rustdoc: {
    why: 'rustdoc starts the programs in its options, and runs tests',
    long: ['test', 'test-builder', 'test-runtool', 'runtool', 'codegen', 'sysroot', 'extern'],
    short: 'CZL',
    operand: /^@/,
  },
  javac: {
    why: 'the compiler runs the processors and plug-ins in its options',
    operand: /^(?:-J|-processor|--processor|-Xplugin|@)/,
  },
  kotlinc: { why: 'the compiler loads plug-ins and runs scripts', operand: /^(?:-script|-X|-J|@)/ },
  scalac: { why: 'the compiler loads the plug-ins in its options', operand: /^(?:-Xplugin|-J|@)/ },
  ghc: {
    why: 'the compiler starts programs, loads plug-ins and runs code',
    operand: /^(?:-e|-F|-pgm|-fplugin|-opt|@|--interactive|--run)/,
  },
  pandoc: {
    why: 'pandoc runs the filters, writers and programs in its options',
    long: ['filter', 'lua-filter', 'pdf-engine', 'defaults', 'data-dir', 'template'],
    short: 'FLd',
    valued: 'ftorV',
    operand: /\.lua(?:[+-]|$)/,
  },
  pytest: {
    why: 'pytest loads the plug-in in -p',
    short: 'po',
    valued: 'kmcrnW',
    long: ['override-ini', 'pdbcls'],
  },
  mypy: {
    why: 'mypy starts the program in --python-executable',
    long: ['python-executable', 'custom-typing-module', 'install-types'],
  },
  pylint: { why: 'pylint runs the code in --init-hook', long: ['init-hook', 'load-plugins'] },
  virtualenv: { why: 'virtualenv starts the program in --python', long: ['python'], short: 'p' },
  meson: { why: 'meson starts the programs in its options', long: ['wrapper', 'gdb-path'] },
  rspec: { why: 'rspec loads the code in -r', long: ['require'], short: 'r', valued: 'Ietf' },
  rubocop: { why: 'rubocop loads the code in -r', long: ['require', 'plugin'], short: 'r' },
  groff: {
    why: 'groff runs the commands of a document with -U',
    short: 'US',
    valued: 'dDfFIKLmMnoPrTwWE',
  },
  coverage: { why: 'coverage run runs a script or module', operand: /^run$/ },
  pdm: { why: 'pdm run runs a program', operand: /^(?:run|config|self|plugin)$/ },
  rails: {
    why: 'rails runs code from its arguments',
    operand: /^(?:r|runner|c|console|db|dbconsole)$/,
  },
  bazel: {
    why: 'bazel runs programs and takes settings from its options',
    operand:
      /^(?:run|coverage|--(?:bazelrc|host_jvm|run_under|action_env|output_base|override|registry))/,
  },
  hg: {
    why: 'hg starts the programs and takes the settings in its options',
    long: ['config', 'ssh', 'remotecmd', 'command', 'tool', 'cwd', 'repository', 'editor', 'edit'],
    short: 'eR',
    operand: /^(?:extdiff|histedit|serve)$/,
  },
  jj: {
    why: 'jj starts the programs in its settings',
    long: ['config', 'tool', 'repository'],
    short: 'R',
    operand: /^(?:util|config)$/,
  },
  svn: {
    why: 'svn starts the programs in its options',
    long: ['editor-cmd', 'diff-cmd', 'diff3-cmd', 'config-dir', 'config-option'],
    operand: /^svn\+/,
  },
  convert: imageMagick,
  magick: imageMagick,
  identify: imageMagick,
  mogrify: imageMagick,
  ctags: {
    why: 'ctags reads options from files',
    long: ['options', 'options-maybe', '_run'],
    operand: /^@/,
  },
  gpg: {
    why: 'gpg starts the programs in its options',
    long: [
      'agent-program',
      'dirmngr-program',
      'photo-viewer',
      'options',
      'keyserver-options',
      'homedir',
      'gpgconf-program',
      'exec-path',
      'keyboxd-program',
    ],
    fine: ['output'],
  },
  openssl: {
    why: 'openssl loads the library in -engine or -provider-path',
    single: ['-engine', '-provider-path', '-provider', '-config', 'engine'],
    operand: /^engine$/,
  },
  apt: {
    why: 'apt runs commands from its settings',
    long: ['option', 'config-file'],
    short: 'oc',
    valued: 't',
  },
  'apt-get': {
    why: 'apt-get runs commands from its settings',
    long: ['option', 'config-file'],
    short: 'oc',
    valued: 't',
  },
  dpkg: {
    why: 'dpkg runs scripts of packages and hooks from its options',
    long: [
      'pre-invoke',
      'post-invoke',
      'status-logger',
      'admindir',
      'root',
      'instdir',
      'install',
      'configure',
      'unpack',
      'log',
    ],
    short: 'i',
    valued: 'D',
  },
  pip: {
    why: 'pip takes another python or other settings from its options',
    long: [
      'python',
      'config-settings',
      'global-option',
      'install-option',
      'build-option',
      'editor',
    ],
    operand: /^config$/,
    fine: ['p'],
  },
  pip3: {
    why: 'pip takes another python or other settings from its options',
    long: ['python', 'config-settings', 'global-option', 'editor'],
    operand: /^config$/,
  },
  date: { why: 'date sets the clock', long: ['set'], short: 's', valued: 'dfrI' },
  hostname: { why: 'hostname sets the name of the machine', long: ['file'], short: 'F' },
  sqlite3: {
    why: 'sqlite3 runs commands of its own that start programs',
    single: ['-init', '-cmd', '--init', '--cmd'],
    // Its own commands begin with a dot; these only show what the database holds.
    operand:
      /^\s*\.(?!\.?\/)(?!(?:tables|schema|indexes|databases|show|(?:headers|mode)[ \t]+\w+)(?:[ \t]+[\w%*.-]+)?\s*$)|[\n;][ \t]*\.|load_extension|readfile|writefile|edit\s*\(|\battach\b|\bvacuum\b.*\binto\b/is,
  },
  psql: {
    why: 'psql runs commands of its own that start programs',
    long: ['file', 'variable', 'set', 'output', 'log-file'],
    short: 'fvoL',
    // Its own commands begin with a backslash; these only describe what the database holds.
    operand: /\\(?!(?:d[a-zA-Z]{0,3}\+?|l\+?|conninfo)(?:[ \t]+[\w.*]+)*\s*$)|program/i,
  },
  mysql: {
    why: 'mysql runs commands of its own that start programs',
    long: ['init-command', 'pager', 'plugin-dir', 'tee', 'defaults-file', 'defaults-extra-file'],
    operand: /\\!|\bsystem\b|\\P/i,
  },
  jq: {
    why: 'jq reads its program and modules from files',
    long: ['from-file', 'library-path'],
    short: 'fL',
  },
  cmake: {
    why: 'cmake runs scripts and commands',
    single: ['-P', '-E', '-C'],
    long: ['toolchain', 'open', 'workflow'],
    operand:
      /^(?:-D)?[A-Z_a-z0-9]*(?:COMMAND|LAUNCHER|COMPILER|PROGRAM|TOOLCHAIN|INCLUDE|MODULE_PATH|LINKER)[A-Z_]*[:=]|^SHELL=/,
  },
  yq: {
    why: 'yq runs programs with --security-enable-system-operator',
    long: ['security-enable-system-operator', 'from-file', 'expression-file'],
    operand: /\bsystem\s*\(/,
  },
  ffmpeg: {
    why: 'ffmpeg loads filters and reads other files',
    operand: /^(?:concat|subfile|data|http):/,
  },
  tree: { why: 'tree is what its name says', long: [] },
};
