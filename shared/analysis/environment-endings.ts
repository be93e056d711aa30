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
  [/_(?:OPTS|OPTIONS|ADDOPTS|ARGS|ARGV)$/, 'seems to hold options of a program'],
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
export function unsafeEnding(name: string): string | null {
  return endings.find(([ending]) => ending.test(name))?.[1] ?? null;
}
