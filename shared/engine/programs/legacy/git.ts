import type { Argument } from '../../plan/expand.ts';
import { gitCommands, gitOptions } from './git-commands.ts';
import { carriedText, carriedWords, mayBecomeOption, open, pinned, type Finding } from './judge.ts';
import { judgeOptions } from './option-risks.ts';

/** Options in front of the command that take an argument and only choose a directory or a name. */
const valued: ReadonlySet<string> = new Set(['-C', '--namespace']);
const plain: ReadonlySet<string> = new Set([
  '--no-pager',
  '-P',
  '--no-replace-objects',
  '--literal-pathspecs',
  '--glob-pathspecs',
  '--noglob-pathspecs',
  '--icase-pathspecs',
  '--no-optional-locks',
  '--no-lazy-fetch',
  '--no-advice',
]);

/** These only say something and end. */
const informative: ReadonlySet<string> = new Set([
  '--version',
  '-v',
  '--help',
  '-h',
  '--exec-path',
  '--html-path',
]);

/** Helpers named in an address, and programs named for the other side. */
const transport = /^[A-Za-z][A-Za-z0-9+.-]*::|^--(?:upload|receive)-pack/;

/** Git, whose options, aliases, transports and settings can all start programs. */
export function judgeGit(args: readonly Argument[]): Finding {
  let at = 0;
  for (; at < args.length; at++) {
    const text = args[at]?.text ?? '';
    if (!text.startsWith('-')) break;
    if (informative.has(text) && args.length === 1) return open;
    if (valued.has(text)) at++;
    else if (!plain.has(text) && !/^--(?:namespace|attr-source)=/.test(text))
      return pinned(`git takes settings or programs from ${text.split('=', 1)[0] ?? text}`);
  }
  const command = args[at];
  if (command === undefined) return open;
  if (command.live !== null || !gitCommands.has(command.text))
    return pinned(`git ${command.text} may be an alias or a program of its own`);
  const rest = args.slice(at + 1);
  return judgeCommand(command.text, rest);
}

/** The directory in which git looks for its repository; null where it cannot be known. */
export function gitDirectory(args: readonly Argument[], cwd: string | null): string | null {
  let directory = cwd;
  for (let at = 0; args[at]?.text.startsWith('-') === true; at++) {
    if (!valued.has(args[at]?.text ?? '')) continue;
    const to = args[at + 1];
    if (args[at++]?.text !== '-C' || to === undefined || to.text === '') continue;
    if (to.live !== null) return null;
    if (to.text.startsWith('/')) directory = to.text;
    else if (directory !== null) directory = `${directory}/${to.text}`;
  }
  return directory;
}

/** Commands that look at no repository. */
const withoutRepository: ReadonlySet<string> = new Set([
  '--version',
  '-v',
  '--help',
  '-h',
  'version',
]);

export function usesRepository(args: readonly Argument[]): boolean {
  return args.length > 0 && !withoutRepository.has(args[0]?.text ?? '');
}

function judgeCommand(command: string, args: readonly Argument[]): Finding {
  const first = args.find((arg) => !arg.text.startsWith('-'))?.text;
  if (mayBecomeOption(args)) return pinned('the name of a file could be taken for an option');
  if (args.some(({ text }) => transport.test(text)))
    return pinned('a transport of git can start programs');
  switch (command) {
    case 'config':
      return isReadingConfig(args)
        ? open
        : pinned('settings of git can name programs that it starts later');
    case 'bisect':
      if (first === 'run')
        return pinned(
          'git bisect runs a program',
          carriedWords(args.slice(args.findIndex((arg) => arg.text === 'run') + 1)),
        );
      return first === 'visualize' || first === 'view'
        ? pinned('git bisect starts a viewer')
        : open;
    case 'submodule':
      if (first === 'foreach') return judgeForeach(args);
      return open;
    case 'difftool':
    case 'merge-index':
    case 'for-each-repo':
    case 'maintenance':
    case 'interpret-trailers':
    case 'bugreport':
    case 'diagnose':
      return pinned(`git ${command} starts programs`);
    default:
  }
  const own = Object.hasOwn(gitOptions, command) ? gitOptions[command] : undefined;
  const finding = judgeOptions(args, {
    why: `an option of git ${command} starts programs or writes files`,
    long: ['output', 'ext-diff', 'textconv', ...(own?.long ?? [])],
    fine: ['tex', 'text', 'exclude', 'o', 'e', 's', 'c', 'u', 'i', 't'],
    short: own?.short ?? '',
    valued: own?.valued ?? 'mFCSGOLnU',
  });
  const carries = args.flatMap(({ text }, index) =>
    text === '-x' || text === '--exec'
      ? carriedText(args[index + 1]?.text)
      : carriedText(/^--exec=(.*)$/s.exec(text)?.[1]),
  );
  return carries.length === 0 ? finding : { ...finding, carries };
}

function judgeForeach(args: readonly Argument[]): Finding {
  const rest = args.slice(args.findIndex((arg) => arg.text === 'foreach') + 1);
  const inner = rest.filter((arg, index) => index > 0 || !arg.text.startsWith('-'));
  const carries = inner.length === 1 ? carriedText(inner[0]?.text) : carriedWords(inner);
  return pinned('git submodule foreach runs a command', carries);
}

function isReadingConfig(args: readonly Argument[]): boolean {
  const words = args.map((arg) => arg.text);
  const reading =
    /^(?:get|list|--get|--get-all|--get-regexp|--list|-l|--get-urlmatch|--get-color|--get-colorbool)$/;
  const source =
    /^(?:--global|--local|--system|--worktree|--show-origin|--show-scope|--name-only|-z|--null|--type=.*|--bool|--int)$/;
  const first = words.find((word) => !source.test(word));
  if (first === undefined) return false;
  if (reading.test(first))
    return !words.some((word) => /^--(?:file|blob|replace|unset|add|edit)|^-[fe]/.test(word));
  // `git config NAME` prints; a second operand would set.
  const operands = words.filter((word) => !source.test(word));
  return operands.length === 1 && !first.startsWith('-') && first.includes('.');
}
