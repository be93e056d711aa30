/**
 * What only reads, and needs no credential and nothing of the host: it runs where it is called. It is
 * no judgement of safety. The sandbox runs its own programs anyway, and this saves a way through the
 * folder; what is not here goes to the host, which decides.
 */
const readers: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  Object.entries({
    git: new Set(
      'blame cat-file describe diff for-each-ref grep log ls-files ls-tree merge-base name-rev rev-list rev-parse shortlog show show-ref status var whatchanged'.split(
        ' ',
      ),
    ),
    docker: new Set(['version']),
    kubectl: new Set(['version']),
  }),
);

const about: ReadonlySet<string> = new Set(['--version', '--help', '-h', 'help', 'version']);

/** Whether a call of a tool stays in the sandbox. */
export function staysHere(tool: string, args: readonly string[]): boolean {
  const [first = ''] = args;
  if (about.has(first) && (first.startsWith('-') || args.length === 1)) return true;
  return readers.get(tool)?.has(first) === true;
}
