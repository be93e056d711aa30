import { isHarmless, recordedVariable } from '../programs/environment.ts';
import { isBelow } from './paths.ts';

/**
 * How names of variables end whose value programs start, load or take their settings from. Tools
 * invent such names all the time (`ESBUILD_BINARY_PATH`, `CMAKE_C_COMPILER_LAUNCHER`), so no list of
 * whole names is ever complete.
 */
const endings: readonly (readonly [ending: RegExp, why: string])[] = [
  [
    /_(?:BINARY|EXECUTABLE|EXE|PROG|PROGRAM|COMMAND|CMD|LAUNCHER|WRAPPER|COMPILER|LINKER|RUNNER|INTERPRETER)(?:_PATH)?$/,
    'seems to name a program that others start',
  ],
  [
    /_(?:SHELL|PAGER|EDITOR|VISUAL|BROWSER|ASKPASS|RSH)$/,
    'seems to name a program that others start',
  ],
  [
    /_(?:MIRROR|BINARY_(?:SITE|HOST)(?:_URL|_MIRROR)?|DOWNLOAD_(?:HOST|URL|SITE)|DIST_SERVER|REGISTRY_URL|REPOSITOR(?:Y|IES)(?:_\w+)?_URL|INDEX_URL)$/,
    'seems to decide from where code is taken',
  ],
  [
    /_(?:CA_?BUNDLE|CA_?CERTS?|CACERT|CERT(?:_PATH|_FILE|_DIR)?|CERTS?_DIR|INSECURE|SKIP_VERIFY|NO_VERIFY|TLS_VERIFY|PASSFILE)$/,
    'seems to decide whom a program trusts',
  ],
  [/_PROXY(?:_URL|_COMMAND)?$/, 'sends traffic through another machine'],
  [
    /_(?:HISTFILE|HISTORY|LOG_(?:FILE|PATH)|LOGFILE|TRACE_FILE)$|^FFREPORT$/,
    'seems to name a file that is written',
  ],
  [/[A-Z0-9_](?:OPTS?|OPTIONS|ARGS|ARGV)$/, 'seems to hold options of a program'],
  [/_FLAGS$/, 'seems to hold options of a program'],
  [
    /_(?:PRELOAD|PLUGINS?|PLUGIN_(?:PATH|DIRS?)|LOADER|HOOKS?|MODULE_PATH)$/,
    'seems to name code that is loaded',
  ],
  [
    /(?:^|_)(?:\w*RC|RCFILE|CONFIG|CONFIG_(?:FILE|PATH|DIR|HOME)|TOOLCHAIN(?:_FILE)?)$/,
    'seems to name settings of a program',
  ],
  [
    /^\w*(?:C|CXX|CPP|LD|AS|AR|F|FC|Y|L)FLAGS$/,
    'holds options of compilers, which can load plug-ins',
  ],
];

/** Why a name that no list holds is not harmless, or null. The name is in upper case. */
function unsafeEnding(name: string): string | null {
  return endings.find(([ending]) => ending.test(name))?.[1] ?? null;
}

/** Exact names, and what a program can be made to do with each. Matched without regard to case. */
const exact: Readonly<Record<string, string>> = {
  PATH: 'decides which programs are found by name',
  POSIXLY_CORRECT: 'changes how programs read their options',
  HOME: 'decides where programs look for their settings, and settings can name programs',
  XDG_CONFIG_HOME: 'decides where programs look for their settings, and settings can name programs',
  XDG_CONFIG_DIRS: 'decides where programs look for their settings, and settings can name programs',
  XDG_DATA_HOME: 'decides where programs look for plug-ins and desktop entries',
  XDG_DATA_DIRS: 'decides where programs look for plug-ins and desktop entries',
  SHELL: 'names the shell that programs start',
  EDITOR: 'names a program that others start',
  VISUAL: 'names a program that others start',
  PAGER: 'names a program that others start',
  BROWSER: 'names a program that others start',
  TERMINAL: 'names a program that others start',
  TERMINFO: 'names a file that terminal programs load',
  TERMINFO_DIRS: 'names files that terminal programs load',
  TERMCAP: 'holds terminal codes that programs send',
  CVS_RSH: 'names a program that cvs starts',
  CPP: 'names a program that builds start',
  GCONV_PATH: 'decides which libraries the C library loads',
  LOCPATH: 'decides which locale files the C library loads',
  NLSPATH: 'decides which message files programs load',
  HOSTALIASES: 'changes which machine a name stands for',
  LOCALDOMAIN: 'changes which machine a name stands for',
  RES_OPTIONS: 'changes how names are looked up',
  RESOLV_HOST_CONF: 'names settings for looking names up',
  MALLOC_TRACE: 'names a file that programs write',
  NIS_PATH: 'changes where the system looks accounts up',
  TMPDIR: 'decides where programs put files that they trust',
  TZDIR: 'names files that the C library loads',
  SSLKEYLOGFILE: 'makes programs write their session keys into a file',
  SSL_CERT_FILE: 'makes programs trust other certificates',
  SSL_CERT_DIR: 'makes programs trust other certificates',
  INPUTRC: 'names key bindings, which can run commands',
  DBUS_SESSION_BUS_ADDRESS: 'decides which services programs talk to, and may start one',
  MANPATH: 'decides from where manuals are taken, which can run programs',
  DISPLAY: 'decides which screen programs talk to',
  HTTP_PROXY: 'sends traffic through another machine',
  HTTPS_PROXY: 'sends traffic through another machine',
  ALL_PROXY: 'sends traffic through another machine',
  FTP_PROXY: 'sends traffic through another machine',
  NO_PROXY: 'sends traffic around the machine that should see it',
  COMSPEC: 'names the shell that programs start on Windows',
  PATHEXT: 'decides which files are programs on Windows',
};

/** Whole families, by how the name begins. */
const families: readonly (readonly [prefix: string, why: string])[] = [
  ['LD_', 'decides which libraries are loaded into a program'],
  ['DYLD_', 'decides which libraries are loaded into a program'],
  ['_RLD', 'decides which libraries are loaded into a program'],
  ['LIBPATH', 'decides which libraries are loaded into a program'],
  ['SHLIB_PATH', 'decides which libraries are loaded into a program'],
  ['GLIBC_TUNABLES', 'changes how the C library protects a program'],
  ['GCCGO', 'names a program that builds start'],
  ['M2_', 'decides which code maven loads'],
  ['GROFF_', 'decides what man starts and loads'],
  ['PKG_CONFIG', 'names a program that builds start, and its settings'],
  ['INTERLOCK_', 'belongs to Interlock itself'],
];

/** Names that end as those of settings do, and only name folders in scripts. */
const settled: ReadonlySet<string> = new Set(['rc', 'RC', 'src', 'SRC']);

/** Tools that builds take from a variable of their name, with a suffix for each target too. */
const buildTools =
  /^(?:(?:HOST|TARGET|BUILD)_?)?(?:CC|CXX|CPP|LD|AR|AS|NM|RANLIB|STRIP|OBJCOPY|OBJDUMP|WINDRES|FC|F77|LEX|YACC|FLEX|BISON|PROTOC|MAKE|MAKEOVERRIDES|CMAKE|NINJA|RM|INSTALL|SED|AWK|GREP|LN_S|MKDIR_P|LIBTOOL|NODE|RUSTC|LINKER)(?:_[A-Z0-9_]+)?$/;

/** Names that stand for a file or a folder. */
const placeNames = /(?:^|_)(?:PATH|HOME|DIRS?|DIRECTORY|ROOT|FILE|BIN|LIBS?|PREFIX|SCRIPT)$/i;

/**
 * Why a variable may not have this value where a program is started: one whose name says that it
 * stands for a place is held to the project. The words complete the sentence "NAME …".
 */
export function unsafeValue(name: string, value: string, cwd: string | null): string | null {
  const why = refusedValue(name, value);
  if (why !== null || !placeNames.test(name)) return why;
  const leaves = (part: string): boolean =>
    /^~|(?:^|\/)\.\.(?:\/|$)/.test(part) ||
    (part.startsWith('/') && part !== '/dev/null' && (cwd === null || !isBelow(part, cwd)));
  return value.split(':').some(leaves) ? 'names a place outside of the project' : null;
}

const importPaths: ReadonlySet<string> = new Set(['PYTHONPATH', 'NODE_PATH', 'RUBYLIB']);

/** Whether a variable names folders from which an interpreter takes what code imports. */
export function isImportPath(name: string): boolean {
  return importPaths.has(name);
}

/** Whether it has an interpreter import from folders of the project, and from nowhere else. */
export function importsProject(name: string, value: string, cwd: string | null): boolean {
  if (!isImportPath(name) || cwd === null) return false;
  return value.split(':').every((part) => {
    if (part === '' || /^~|(?:^|\/)\.\.(?:\/|$)/.test(part)) return false;
    return !part.startsWith('/') || isBelow(part, cwd);
  });
}

/** Whether a name stands for a pager: `cat`, or none, keeps a command from waiting for keys. */
export function isPager(name: string): boolean {
  return /^(?:[A-Z]+_)?PAGER$/.test(name);
}

/** Whether a variable is known to change nothing but what a program prints or where it was told to. */
export function isPlainVariable(name: string): boolean {
  return settled.has(name) || isHarmless(name) || isPager(name);
}

/**
 * Options that programs take from a variable, and that choose no program, no file and no code: how much
 * memory, which warnings, which processor.
 */
const tame: Readonly<Record<string, RegExp>> = {
  NODE_OPTIONS: options(
    '--(?:max-old-space-size|max-semi-space-size|stack-trace-limit)=\\d+|--(?:no-warnings|no-deprecation|trace-warnings|trace-deprecation|trace-uncaught|enable-source-maps|experimental-vm-modules|experimental-strip-types|no-experimental-\\w+)|--(?:unhandled-rejections|dns-result-order)=\\w+',
  ),
  RUSTFLAGS: options(
    '-C ?(?:target-cpu=[\\w-]+|(?:opt-level|debuginfo|debug-assertions|overflow-checks|codegen-units|lto|panic|strip|force-frame-pointers)=\\w+|instrument-coverage|target-feature=[\\w,+.-]+)|-[DWA] ?[a-z_:-]+|--cap-lints[ =]\\w+|-g|-O|--cfg[ =]\\w+',
  ),
  RUSTDOCFLAGS: options('-[DWA] ?[a-z_:-]+|--cfg[ =]\\w+'),
  GORACE: options('(?:halt_on_error|history_size|exitcode|atexit_sleep_ms)=\\d+'),
  GOFLAGS: options(
    '-(?:mod=(?:vendor|readonly)|(?:count|p)=\\d+|race|v|x|short|trimpath|tags=[\\w,]+|timeout=\\w+|buildvcs=(?:true|false|auto))',
  ),
  MAVEN_OPTS: options('-X(?:mx|ms|ss)\\d+[kmgKMG]'),
  GRADLE_OPTS: options(
    '-X(?:mx|ms|ss)\\d+[kmgKMG]|-Dorg\\.gradle\\.(?:daemon|parallel|caching)=(?:true|false)',
  ),
};

function options(words: string): RegExp {
  return new RegExp(`^(?:(?:${words})(?: |$))+$`);
}

/** Whether some values of a variable, which else is refused by its name, steer nothing. */
export function hasTameValues(name: string): boolean {
  return Object.hasOwn(tame, name);
}

/** As `unsafeVariable`, for a value that is known. */
export function refusedValue(name: string, value: string): string | null {
  if (Object.hasOwn(tame, name) && tame[name]?.test(value) === true) return null;
  return isPager(name) && (value === 'cat' || value === '') ? null : unsafeVariable(name);
}

/**
 * Why a variable may not be set for a command that rules allow, or null where it may. The words
 * complete the sentence "NAME …". Case is ignored: some programs and platforms ignore it too.
 */
export function unsafeVariable(name: string): string | null {
  if (settled.has(name) || isHarmless(name)) return null;
  const upper = name.toUpperCase();
  const known = Object.hasOwn(exact, upper) ? exact[upper] : undefined;
  if (known !== undefined) return known;
  const recorded = recordedVariable(upper);
  if (recorded !== null) return recorded;
  for (const [prefix, why] of families) if (upper.startsWith(prefix)) return why;
  if (buildTools.test(upper)) return 'names a program that builds start';
  return unsafeEnding(upper);
}
