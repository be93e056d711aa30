import { disclosed, saysItDiscloses } from './disclosing.ts';
import { recordOf } from './list.ts';
import { mayBecomeOption } from './patterns.ts';
import type { Argument } from './types.ts';
import type { IsInside } from './judge.ts';
import { carriedWords, named, open, pinned, strictest, type Finding } from './finding.ts';

/** Pinned when an argument of a project tool names something outside of the working directory. */
export function judgeReach(
  args: readonly Argument[],
  program: string,
  isInside: IsInside,
): Finding {
  return args.some(({ text }) => reaches(text, isInside))
    ? pinned(`${program} does what files say, and an argument leads out of the project`)
    : open;
}

/** Also behind the `=` of an option or a setting, and right behind the letters of an option. */
function reaches(text: string, isInside: IsInside): boolean {
  const value = text.startsWith('-')
    ? (/^-+[A-Za-z0-9_.-]*?[=:]?((?:\/|\.\.(?:\/|$)).*)$/s.exec(text)?.[1] ?? '')
    : (/^[\w.-]+=(.*)$/s.exec(text)?.[1] ?? text);
  if (/^file:/i.test(value)) return true;
  if (/(?:^|\/)\.\.(?:\/|$)/.test(value)) return !/^\.\.\.(?:\/|$)/.test(value);
  return value.startsWith('/') && !value.startsWith('//') && !isInside(value);
}

/** First words by which programs start what the next words name, or change what others start. */
const starting: ReadonlySet<string> = new Set(
  `exec execute dlx eval run-script runner console shell repl ssh sh foreach forall alias runlabel try-repo
  configure`.split(/\s+/),
);

/** First words by which programs send what the project made. */
const sending = /^(?:publish|upload|deploy|release|submit|push|gh-deploy)$/;

const startingOption = /^--(?:exec|execute|eval|command|cmd|app|tf-path|doctorTest)(?:=|$)/;

/** Parts of names of options whose value a program starts, loads or takes its settings from. */
const loading: ReadonlySet<string> = new Set(
  `exec execute command cmd shell pager editor browser plugin plugins preload require loader load hook
  hooks wrapper launcher filter rsh ssh renderer engine askpass script eval runner program prog
  config module interpreter agent helper viewer handler remotecmd tool runtool linker preprocessor driver
  executable resume conf cfg rc rcfile rcfiles generator restore classpath javaagent agentlib agentpath
  provider providerpath providerclass rulesdir view prepipe prepipex jar`.split(/\s+/),
);

function judgeStarting(args: readonly Argument[], program: string): Finding {
  const option = args.find(({ text }) => startingOption.test(text));
  const words = args.map(({ text }) => text).filter((text) => !text.startsWith('-'));
  const word = option?.text ?? words.slice(0, 3).find((text) => starting.has(text));
  return word === undefined ? open : pinned(`${program} ${word} starts what its arguments name`);
}

/** What is known of a machine's programs, for words that may name one. */
export type IsProgram = (word: string) => boolean;

/** Names of programs that are more often the name of a command of another one. */
const commandsToo: ReadonlySet<string> = new Set(
  `apply check clean clear compare convert copy cut dir diff edit expand file fold fmt format get group groups head help info init install join kill last link ln locale log look ls make merge mount mv open patch paste print pull push reset rev run set show size sort split stat start stop strip sum sync tag tail test top touch tree type update users view wait which who write yes`.split(
    /\s+/,
  ),
);

/** The loader of the system, by the names that it has on different machines. */
const loader = /^ld(?:-linux.*|-musl.*|64)?\.so(?:\.\d+)*$/;

/** The loader, which starts the program that it is given. */
function judgeLoader(args: readonly Argument[]): Finding {
  const at = args.findIndex((arg) => !arg.text.startsWith('-'));
  return pinned(
    'the loader starts any file as a program',
    at === -1 ? [] : carriedWords(args.slice(at)),
  );
}

/**
 * What can be told of a program without a record. A rule must name it, and even then not cover an
 * option whose name says that it starts or loads something, an argument that is itself a program, or
 * one that may be code.
 */
export function judgeUnrecorded(
  program: string,
  args: readonly Argument[],
  { isProgram, isInside }: { readonly isProgram: IsProgram; readonly isInside: IsInside },
): Finding {
  if (loader.test(program)) return judgeLoader(args);
  const option = args.find(({ text }) => loadsSomething(text));
  const handed = args.find(({ text }) =>
    /^(?:---|-J).|^-[\w-]+=(?:--[a-z]|.*\.(?:jar|so|dylib|dll)$)/i.test(text),
  );
  if (handed !== undefined) return pinned(`${program} may load what ${handed.text} names`);
  if (option !== undefined)
    return pinned(
      `${option.text.split('=', 1)[0]} of ${program} seems to name something that it starts or loads`,
    );
  const first = args.find(({ text }) => !text.startsWith('-'))?.text ?? '';
  if (/^(?:run|x|eval|shell|sh|cmd|do)$/.test(first))
    return pinned(`${program} ${first} starts what its arguments name`);
  if (sending.test(first)) return pinned(`${program} ${first} may send work to another machine`);
  const inner = args.find(
    ({ text, live }, index) =>
      live === null &&
      !text.startsWith('-') &&
      (!commandsToo.has(text) || index > 0) &&
      isProgram(text),
  );
  if (inner !== undefined)
    return pinned(
      `${program} may start ${inner.text}, a program that its arguments name`,
      carriedWords(args.slice(args.indexOf(inner))),
    );
  const code = args.find(({ text }, at) => holdsCode(text, args[at - 1]?.text ?? ''));
  if (code !== undefined) return pinned(`${program} may run what stands in its arguments`);
  const script = args.find(({ text }) => isForeignScript(text, isInside));
  if (script !== undefined)
    return pinned(`${program} may run ${script.text}, a script outside of the project`);
  const list = args.find(({ text }) => /^@(?![\w.-]+\/[\w.-]+(?:@.*)?$)./.test(text));
  if (list !== undefined)
    return pinned(`${program} may take further options from ${list.text.slice(1)}`);
  const words = args.map(({ text }) => text);
  if (disclosed(program, words) !== null || saysItDiscloses(words))
    return pinned(`${program} prints or uses credentials`);
  return strictest(judgeStarting(args, program), named(`nothing is known of ${program}`));
}

/** A shell by its name or path, among other words. */
const aShell = /(?:^|[\s;|&{(`!"'])(?:\/[\w./-]*\/)?(?:ba|da|z|k)?sh(?:[\s;|&)}"'`]|$)/;

/** How languages start a program. */
const aStart =
  /\b(?:system|exec\w*|popen\w*|spawn\w*|eval|execute|ProcessBuilder|getRuntime|subprocess|child_process|shell)\s*[.(]/;

/** A call, a statement or a block. */
const aStatement = /[;`|{}\n]|\$[({]|\w\s*\(.*\)|^\(.*\s.*\)$/s;

/**
 * Whether a word is code in the language of a program of which nothing is known: it names a shell or
 * a way to start a program, or it is a statement where languages take one (`-e`, `-c`, `-x`, `-r`).
 */
function holdsCode(text: string, before: string): boolean {
  const attached = /^-[ecxr](.+)$/is.exec(text)?.[1];
  const value = /^--?[\w-]+=(.*)$/s.exec(text)?.[1] ?? attached ?? text;
  // A pipe in the place of a file.
  if (value.startsWith('|')) return true;
  if (/\W/.test(value) && (aShell.test(value) || aStart.test(value))) return true;
  return (attached !== undefined || /^-[ecxr]$/i.test(before)) && aStatement.test(value);
}

const aScript =
  /\.(?:ba|da|z|k|fi)?sh$|\.(?:py|rb|pl|pm|lua|[cm]?[jt]s|php|tcl|r|jl|scm|el|vim|ps1|groovy|jar|class|so|dylib|dll)$/i;

/** A file of code that is none of the project, of which anybody may have put it there. */
function isForeignScript(text: string, isInside: IsInside): boolean {
  const value = /^--?[\w-]+=(.*)$/s.exec(text)?.[1] ?? text;
  return /^[/~]|(?:^|\/)\.\.\//.test(value) && aScript.test(value) && !isInside(value);
}

function loadsSomething(text: string): boolean {
  const name = /^--?([A-Za-z][\w-]+)/.exec(text)?.[1];
  if (name === undefined) return false;
  if (!text.startsWith('--') && !/^-[A-Za-z-]{4,}$/.test(text.split('=')[0] ?? '')) return false;
  return name
    .replaceAll(/([a-z])([A-Z])/g, '$1-$2')
    .toLowerCase()
    .split(/[-_]/)
    .some((part) => loading.has(part));
}

/** Which files a pattern stands for is known only where the folder is: it may hold secrets. */
export function judgeUnknownFolder(args: readonly Argument[], cwd: string | null): Finding {
  const isOpen = args.some(({ text, live }) => live === 'pattern' && !text.startsWith('/'));
  return cwd === null && isOpen
    ? pinned('a pattern stands for files of a folder that is not known')
    : open;
}

/** A record finds these by itself; here for those that have none. */
export function judgePatterns(names: readonly string[], args: readonly Argument[]): Finding {
  if (names.every((name) => recordOf(name) !== null)) return open;
  const end = args.findIndex(({ text, live }) => live === null && text === '--');
  return args.slice(0, end === -1 ? args.length : end).some(mayBecomeOption)
    ? pinned('the name of a file could be taken for an option')
    : open;
}
