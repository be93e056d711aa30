import { literal, type Argument } from '../../plan/expand.ts';
import { skipOptions, type OptionGrammar } from '../../plan/wrappers.ts';
import { isInterpreter } from './interpreters.ts';
import { carriedWords, never, pinned, type Finding } from './judge.ts';

const options: OptionGrammar = {
  flags: '0rtpxoile',
  valued: 'aEdILnPsRSJ',
  long: {
    null: 'none',
    'no-run-if-empty': 'none',
    verbose: 'none',
    interactive: 'none',
    exit: 'none',
    'arg-file': 'value',
    delimiter: 'value',
    eof: 'maybe',
    replace: 'maybe',
    'max-lines': 'maybe',
    'max-args': 'value',
    'max-procs': 'value',
    'max-chars': 'value',
    'open-tty': 'none',
    'show-limits': 'none',
  },
};

/** Programs that only read and print, whatever words the input makes of their arguments. */
const readers: ReadonlySet<string> = new Set(
  `basename cat cut dirname du echo egrep fgrep grep head ls md5sum nl readlink realpath rev
  sha1sum sha256sum stat tac tail wc`.split(/\s+/),
);

/**
 * `xargs`, whose input becomes arguments: a rule must pin all that can be pinned. Where it runs one
 * of the readers above, it is enough to pin which one.
 */
export function judgeXargs(args: readonly Argument[]): Finding {
  const at = skipOptions([literal('xargs'), ...args], options);
  if (at === null) return never('xargs is called with options that are not understood');
  const inner = args.slice(at - 1);
  const own = args.slice(0, at - 1);
  const replaces = own.some(({ text }) => /^-\w*[Ii]|^--r/.test(text));
  if (replaces && inner.some(({ text }) => isInterpreter(text)))
    return never('xargs makes its input a part of code', carriedWords(inner));
  const reads = readers.has(inner[0]?.text ?? '');
  const leading = reads ? own.length + 1 : undefined;
  return pinned('xargs builds commands from its input', carriedWords(inner), leading);
}
