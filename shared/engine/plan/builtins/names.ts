/**
 * Every builtin of bash 5 and dash 0.5. A shell runs these before it looks for a file, so none of
 * them may be taken for a file, and those that are not in the table of safe ones are opaque.
 */
export const builtinNames: ReadonlySet<string> = new Set(
  `. : [ alias bg bind break builtin caller cd chdir command compgen complete compopt continue
  declare dirs disown echo enable eval exec exit export false fc fg getopts hash help history jobs
  kill let local logout mapfile popd printf pushd pwd read readarray readonly return set shift shopt
  source suspend test times trap true type typeset ulimit umask unalias unset wait`.split(/\s+/),
);

/** Builtins that set variables. */
export const declaring: ReadonlySet<string> = new Set([
  'export',
  'declare',
  'typeset',
  'local',
  'readonly',
  'unset',
]);
