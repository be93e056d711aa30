import type { Argument } from '../types.ts';
import type { Assignment } from '../../plan/types.ts';
import {
  carriedGuesses,
  carriedText,
  carriedWords,
  never,
  open,
  pinned,
  type Finding,
} from './judge.ts';
import { judgeOptions, type OptionRisk } from './option-risks.ts';

const tarRisk: OptionRisk = {
  why: 'tar starts programs that its options name',
  long: [
    'checkpoint-action',
    'use-compress-program',
    'to-command',
    'rsh-command',
    'rmt-command',
    'info-script',
    'new-volume-script',
    'absolute-names',
    'files-from',
  ],
  fine: [
    'checkpoint',
    'absolute-names',
    'file',
    'files',
    'f',
    'a',
    'to',
    'no',
    'n',
    'c',
    'u',
    'i',
    'r',
  ],
  short: 'IF',
  valued: 'fbCTXgHKLNV',
  // An archive on another machine.
  operand: /^(?:-?[A-Za-z]*f|--file=)?[\w.@-]+:/,
};

/** `tar`, whose options can start programs; its first word may hold letters without a dash. */
export function judgeTar(args: readonly Argument[]): Finding {
  const [first] = args;
  const letters = first !== undefined && first.live === null && /^[A-Za-z0-9]+$/.test(first.text);
  if (letters && /[IF]/.test(first.text)) return pinned(tarRisk.why);
  const finding = judgeOptions(args, tarRisk);
  const carries = args.flatMap(({ text }) =>
    carriedText(/^--[a-z-]+=(?:exec=)?(.+)$/s.exec(text)?.[1]),
  );
  return finding.trust.level === 'open' ? finding : { ...finding, carries };
}

/** Names whose value make takes for something it starts, or options that bring in more rules. */
const makeRisk = /^(?:-[A-Za-df-hj-z0-9.]*[fCIEWoe].*|--(?:f|m|d|i|e|w|o).*|[^-=][^=]*[:+?!]?=.*)$/;

/** `make`: targets are plain, but variables, other files and other directories can be anything. */
export function judgeMake(args: readonly Argument[]): Finding {
  const risky = args.some(
    ({ text }) =>
      text.includes('=') ||
      // Names of targets stand in recipes, which a shell reads.
      !/^[\w./@%+:,-]*$/.test(text) ||
      (makeRisk.test(text) &&
        !/^--(?:dry-run|ignore-errors|warn-undefined-variables|output-sync.*)$/.test(text)),
  );
  return risky ? pinned('make runs commands that its variables and files hold') : open;
}

/** Make expands the variables of its environment, and recipes hand them to a shell. */
export function judgeMakeVariables(assignments: readonly Assignment[]): Finding {
  return assignments.every(({ value }) => /^[\w./@%+:, -]*$/.test(value))
    ? open
    : never('make expands what its variables hold, and recipes hand it to a shell');
}

/** `just`, `task`, `rake`: recipes by name are plain, other files and shells are not. */
export function judgeTask(args: readonly Argument[]): Finding {
  const risky = args.some(
    ({ text }) =>
      /^-(?!-)[A-Za-z]*[fdcerEbIpgMR]|^--(?:build-file|settings-file|include-build|gradle-user-home|libdir|justfile|working-directory|shell|command|set|chooser|taskfile|dir|rakefile|require|execute|eval|init-script|project-dir)/.test(
        text,
      ) || text.includes('='),
  );
  return risky ? pinned('a task runner runs commands that its options name') : open;
}

/** `busybox` and `toybox`: the first word is the program. */
export function judgeBox(args: readonly Argument[], program: string): Finding {
  return pinned(`${program} is many programs in one, a shell among them`, carriedWords(args));
}

/** The loader, which starts the program that it is given. */
export function judgeLoader(args: readonly Argument[]): Finding {
  const at = args.findIndex((arg) => !arg.text.startsWith('-'));
  return pinned(
    'the loader starts any file as a program',
    at === -1 ? [] : carriedWords(args.slice(at)),
  );
}

/** `env` where it is not looked through. */
export function judgeEnv(args: readonly Argument[]): Finding {
  // Without a command it only prints.
  if (args.every(({ text: word, live }) => live === null && /^[A-Za-z_]\w*=/.test(word)))
    return open;
  const { text = '' } = args.find(({ text: word }) => /^-\w*S|^--s/.test(word)) ?? {};
  const split = text.replace(/^(?:-\w*S|--[a-z-]+=?)/, '');
  return {
    trust: { level: 'never', reason: 'env changes how a command is found, split or run' },
    carries: split === '' ? carriedGuesses(args) : carriedText(split),
  };
}

/** `crontab`, which lists, or installs commands that run later. */
export function judgeCrontab(args: readonly Argument[]): Finding {
  const listing = args.length === 1 && args[0]?.live === null && args[0].text === '-l';
  return listing ? open : pinned('crontab installs commands that run later');
}
