import { risk } from '../forms.ts';
import type { Argument, ProgramRecord, Reading, RiskNote, RiskOf } from '../types.ts';

type Finds = NonNullable<ProgramRecord['finds']>;

/** The same finding whenever the program is used, but not where some word is of this form. */
export function told(
  code: string,
  text: string,
  but = /^--(?:help|version)$/,
  level: RiskNote['level'] = 'high',
): Finds {
  return (_reading, args) =>
    args.some((arg) => but.test(arg.text)) ? [] : [risk(code, level, text)];
}

/** Why an option of a program pins that may have it do anything. */
export function chooses(program: string): string {
  return `an option of ${program} chooses settings, code or programs`;
}

/** The words of a line that are not options, nor the value of one of these, joined by blanks. */
export function lineOf(args: readonly Argument[], valued?: RegExp): string {
  return args
    .map(({ text }) => text)
    .filter((text, at, all) => !text.startsWith('-') && valued?.test(all[at - 1] ?? '') !== true)
    .join(' ');
}

/** What was packed is in the archive, and no longer where it was. */
export function packedAway(words: readonly number[]): RiskOf {
  const text = 'Deletes the files that it has packed.';
  return { ...risk('recursive-delete', 'low', text, words), kept: true };
}

/** A mode that has a program run with the rights of its owner or group. */
export function lendsRights(mode: string | undefined, word: number): readonly RiskOf[] {
  const special = (mode ?? '')
    .split(',')
    .some((one) => /^[ugoa]*[-+=]?0*[2-7][0-7]{3}$|[+=][rwxXt]*s/.test(one));
  return special
    ? [risk('privilege', 'high', 'Lets a program run with the rights of its owner.', [word])]
    : [];
}

type Line = readonly [line: RegExp, code: string, text: string, level?: RiskNote['level']];

/** By the line of words: for programs of many commands. The first of each code counts. */
export function byLine(lines: readonly Line[], valued?: RegExp): Finds {
  return (_reading, args) => {
    const line = lineOf(args, valued);
    const found = new Map<string, RiskOf>();
    for (const [pattern, code, text, level = 'high'] of lines)
      if (pattern.test(line) && !found.has(code)) found.set(code, risk(code, level, text));
    return [...found.values()];
  };
}

/** Several ways to find something, each of which counts. */
export function both(...all: readonly Finds[]): Finds {
  return (reading, args) => all.flatMap((finds) => finds(reading, args));
}

const foreign =
  /^(?:https?:|(?:git|hg|svn|bzr)[+@:]|ssh:|github:|gitlab:|bitbucket:|gist:|file:\/)|\.git(?:#|$)|@\s*(?:https?|git)|^[\w-]+\/[\w.-]+(?:#|$)/i;
const only = /^--?(?:dry-run|ignore-scripts|simulate|just-print|recon|no-act|no-install)$/;

/** Where packages may come from: operands, and values of options. */
export function wordsOf({ operands, options }: Reading): readonly string[] {
  return [...operands.map(({ text }) => text), ...options.flatMap(({ value }) => value ?? [])];
}

/** What installs packages: their scripts run on this machine, and an address is nobody's registry. */
export function packages(words: readonly string[], by = 'Installs packages'): readonly RiskOf[] {
  const from = words.find((word) => foreign.test(word));
  return [
    from === undefined
      ? risk('package-install', 'low', `${by}, whose scripts run on this machine.`)
      : risk('package-install', 'high', `Installs code straight from ${from}.`),
  ];
}

/** Commands, by their words, of a package manager: those that install, and those that publish. */
export function packager(installs: RegExp, publishes?: RegExp): Finds {
  return (reading, args) => {
    if (args.some(({ text }) => only.test(text) || text === '-s')) return [];
    const line = lineOf(args);
    if (publishes?.test(line) === true)
      return [
        risk(
          'data-leaving',
          'high',
          `Publishes with ${reading.program} ${line.split(' ')[0] ?? ''}.`,
        ),
      ];
    return installs.test(line) ? packages(line.split(' ').slice(1)) : [];
  };
}

/** Tasks of Ruby projects. */
export const dropsDatabase: Finds = (_reading, args) =>
  args.some(({ text }) => /^db:(?:drop|reset|purge)/.test(text))
    ? [risk('data-loss', 'low', 'Deletes the database of the project.')]
    : [];
