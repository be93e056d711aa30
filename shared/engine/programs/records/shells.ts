import { doubt, offersOf, path, runsInput } from '../forms.ts';
import { getoptCommand } from '../syntax.ts';
import type { Argument, CustomReading, Effect, ProgramRecord } from '../types.ts';
import type { ShellCall, ShellTraits } from '../traits.ts';
import { guesses } from './shapes.ts';

/** Shells: their own options, then a text behind `-c`, or a script with its arguments. */
function readShell(args: readonly Argument[], name: string): CustomReading {
  const effects: Effect[] = [];
  const bare = { options: [], operands: [] };
  if (args.length === 1 && /^--(?:version|help)$/.test(args[0]?.text ?? '')) return bare;
  const never = {
    ...bare,
    effects,
    doubts: [runsInput(name)],
  };
  // It reads start files, too.
  const interactive = {
    ...never,
    doubts: [doubt(`${name} runs whatever it is given as input`, -1, 'never' as const)],
  };
  // With -n as the only option nothing of the file runs.
  const [check, checked, more] = args;
  if (check?.text === '-n' && checked?.live === null && more === undefined)
    if (/^[\w./]/.test(checked.text) && checked.text !== '/dev/stdin')
      return {
        ...bare,
        operands: [{ ...checked, word: 1 }],
        effects: [path('reads', checked.text, 1)],
      };
  for (let at = 0; at < args.length; at++) {
    const { text, live } = args[at] ?? { text: '', live: null };
    if (live !== null)
      return {
        ...bare,
        effects: guesses(args, `${name} runs a file that a pattern stands for`),
        doubts: [doubt(`${name} runs a file that a pattern stands for`, at)],
      };
    if (/^-[A-Za-z]*i/.test(text)) return interactive;
    if (text === '-' || text === '/dev/stdin' || /^-[A-Za-z]*s/.test(text)) return never;
    if (/^[-+][oO]$/.test(text) || /^--(?:rcfile|init-file)$/.test(text)) {
      at++;
      continue;
    }
    if (/^-[A-Za-z]*[cC]/.test(text) || text === '--command') {
      const code = args.slice(at + 1).find((one) => !/^[-+]/.test(one.text));
      const why = `${name} runs code that stands in its arguments`;
      if (code === undefined)
        return {
          ...bare,
          effects,
          doubts: [doubt(`${name} is given its code by another program`, at, 'never')],
        };
      return {
        ...bare,
        effects: [{ kind: 'shell', text: code.text, why, word: args.indexOf(code) }],
      };
    }
    if (/^[-+]/.test(text)) continue;
    const why = `${name} runs the code in a file that its arguments name`;
    return {
      ...bare,
      operands: [{ text, live, word: at }],
      effects: [
        path('reads', text, at),
        { kind: 'code', language: 'shell', text: null, file: text, why, word: at, leading: at + 1 },
      ],
    };
  }
  return never;
}
const settable: Readonly<Record<string, string>> = {
  errexit: 'set -e',
  nounset: 'set -u',
  xtrace: 'set -x',
  pipefail: 'set -o pipefail',
};

/**
 * A call of the form `sh [-leux] [-o NAME] -c TEXT`, or null for any other. A login shell (`-l`)
 * would read start files first; the text runs in the runner's environment instead.
 */
function readCall(words: readonly Argument[]): ShellCall | null {
  const settings: string[] = [];
  let text: string | null = null;
  let command = false;
  for (let at = 1; at < words.length; at++) {
    const word = words[at];
    if (word === undefined || word.live !== null) return null;
    if (word.text === '--login' || word.text === '--norc' || word.text === '--noprofile') continue;
    if (!/^-[cleuxo]+$/.test(word.text)) {
      text = word.text;
      break;
    }
    for (const letter of word.text.slice(1)) {
      if (letter === 'c') command = true;
      else if (letter === 'o') {
        const name = words[++at];
        const setting = name === undefined || name.live !== null ? undefined : settable[name.text];
        if (setting === undefined) return null;
        settings.push(setting);
      } else if (letter !== 'l') settings.push(`set -${letter}`);
    }
  }
  if (!command || text === null || /^[-+]/.test(text)) return null;
  return {
    text,
    settings: settings.join('; '),
    needsBash: settings.includes('set -o pipefail'),
  };
}

/** What a plan knows of the common ones, by their exact names. */
const traits: Readonly<Record<string, ShellTraits>> = {
  sh: { dialect: 'posix', portable: true, read: readCall },
  dash: { dialect: 'posix', portable: true, read: readCall },
  ash: { dialect: 'posix', read: readCall },
  bash: { dialect: 'bash', portable: true, read: readCall },
  zsh: { dialect: 'bash', read: readCall },
  ksh: { dialect: 'bash', read: readCall },
};
const shells: readonly ProgramRecord[] =
  `sh bash dash rbash zsh ash ksh mksh yash posh lksh loksh sash osh ysh oil rc es ion murex nash scsh fish csh tcsh nu xonsh elvish`
    .split(' ')
    .map((name) => ({
      names: [name],
      versions: true,
      does: 'Runs a script or a text of the shell.',
      runs: 'code',
      ...(traits[name] === undefined ? {} : { shell: traits[name] }),
      environment: {
        'BASH_FUNC_*': 'defines a function in every bash that is started',
        SHELLOPTS: 'switches options of the shell on, tracing with commands in PS4 among them',
        BASHOPTS: 'switches options of bash on',
        BASH_COMPAT: 'changes how bash reads a command',
        BASH_XTRACEFD: 'lets bash write its trace into any open file',
        BASH_LOADABLES_PATH: 'decides from where bash loads builtins',
        EXECIGNORE: 'changes which programs bash finds',
        GLOBIGNORE: 'changes which files a pattern stands for',
        FIGNORE: 'changes which files the shell sees',
        PROMPT_COMMAND: 'holds a command that bash runs',
        PS0: 'may hold commands that a shell runs while it shows it',
        PS1: 'may hold commands that a shell runs while it shows it',
        PS2: 'may hold commands that a shell runs while it shows it',
        PS3: 'may hold commands that a shell runs while it shows it',
        FPATH: 'decides from where zsh loads functions',
        FCEDIT: 'names a program that the shell starts',
        IFS: 'changes how a shell splits words',
        CDPATH: 'changes where `cd` goes',
        BASH_ENV: 'names a file that bash runs at its start',
        ENV: 'names a file that a shell runs at its start',
        XONSHRC: 'names a file that a shell runs at its start',
        ZDOTDIR: 'decides from where zsh reads its start files',
        PS4: 'may hold commands that a shell runs while it traces',
      },
      grammar: {
        syntax: getoptCommand,
        read: (args: readonly Argument[]) => readShell(args, name),
        offers: offersOf,
      },
    }));

const box = (name: string, more: Partial<ProgramRecord> = {}): ProgramRecord => ({
  ...more,
  names: [name],
  versions: true,
  calledAs: true,
  links: 'can',
  does: 'Is many programs in one.',
  runs: 'commands',
  grammar: {
    syntax: getoptCommand,
    read: (args) => {
      const why = `${name} is many programs in one, a shell among them`;
      return {
        options: [],
        operands: [],
        effects: [{ kind: 'command', words: args, why, word: 0 }],
        doubts: [doubt(why)],
      };
    },
    offers: 'exact',
  },
});

export const shellPrograms: readonly ProgramRecord[] = [
  ...shells,
  box('busybox', { takesCode: true, shell: { dialect: 'posix' } }),
  box('toybox', { takesCode: true }),
  box('coreutils'),
];
