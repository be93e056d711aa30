const shells = new Set(['sh', 'bash', 'zsh', 'dash', 'ksh', 'fish']);
const textFlags = new Set(['-c', '-lc', '-cl']);

/**
 * Whether the text that a client shows for a command says the same as its argv. Some clients show
 * the text and run the argv: a difference would let one command pass as another.
 */
export function rawCommandFits(raw: string | null, argv: readonly string[]): boolean {
  const shown = raw?.trim() ?? '';
  if (shown === '') return true;
  return shown === argv.join(' ') || shown === quoted(argv) || shown === shellText(argv);
}

/** Words joined by spaces; those with white space or double quotes in double quotes. */
function quoted(argv: readonly string[]): string {
  return argv
    .map((word) =>
      word === '' || /[\s"]/.test(word) ? `"${word.replaceAll('"', String.raw`\"`)}"` : word,
    )
    .join(' ');
}

/** The text of `sh -c TEXT`, with nothing after it that the shell would see too. */
function shellText(argv: readonly string[]): string | null {
  const [program, flag, text, ...rest] = argv;
  if (program === undefined || flag === undefined || text === undefined || rest.length > 0) {
    return null;
  }
  const name = program.slice(program.lastIndexOf('/') + 1);
  return shells.has(name) && textFlags.has(flag) ? text.trim() : null;
}
