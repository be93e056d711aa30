import { doubt, inert, parsed, runsInput, isHelp } from '../../forms.ts';
import type { Syntax } from '../../syntax.ts';
import type { Command, Options, ProgramRecord, Reading, Use, Yield } from '../../types.ts';
import { withRoles } from '../shapes.ts';

/**
 * Programs that act on devices, packages, data or other machines, of which some commands only look,
 * check or test. Those stand here with the options that they may have; everything else pins.
 */

export interface Look {
  readonly options?: string;
  readonly roles?: Options;
  readonly operands?: Use;
  readonly finish?: (reading: Reading) => Yield;
  /** It also does what files of the project say. */
  readonly project?: true;
}

export interface Looker {
  readonly names: readonly string[];
  readonly does: string;
  /** A clause that begins behind the name: what it does with everything that is not known here. */
  readonly why: string;
  readonly syntax: Syntax;
  readonly front?: string;
  readonly frontRoles?: Options;
  /** By their words; where there are none, the whole program is one such command. */
  readonly looks?: Readonly<Record<string, Look>>;
  readonly whole?: Look;
  /** Without a command it runs what comes as its input. */
  readonly fed?: true;
  readonly more?: Partial<ProgramRecord>;
}

function grammarOf({ options = '', roles = {}, operands, finish, project }: Look, other: Use) {
  return {
    options: withRoles(options, roles),
    operands: { rest: operands ?? other },
    ...(finish === undefined ? {} : { finish }),
    offers: project === true ? ('exact' as const) : ('reads' as const),
  };
}

type Tree = Map<string, Tree | Look>;

/** `collection list` stands below `collection`. */
function treeOf(looks: Readonly<Record<string, Look>>): Tree {
  const tree: Tree = new Map();
  for (const [key, look] of Object.entries(looks)) {
    const words = key.split(' ');
    let at = tree;
    for (const word of words.slice(0, -1)) {
      const next = at.get(word);
      const below: Tree = next instanceof Map ? next : new Map();
      at.set(word, below);
      at = below;
    }
    at.set(words.at(-1) ?? '', look);
  }
  return tree;
}

export function looker(one: Looker): ProgramRecord {
  const name = one.names[0] ?? '';
  const why = `${name} ${one.why}`;
  const other: Use = { ...inert, level: 'pinned', why };
  const base = { does: one.does, syntax: one.syntax };
  const commandOf = (at: Tree | Look): Command =>
    at instanceof Map
      ? { ...base, commands: commandsOf(at), operands: { rest: other }, finish: unnamed }
      : { ...base, ...grammarOf(at, other) };
  const commandsOf = (tree: Tree): Readonly<Record<string, Command>> =>
    Object.fromEntries([...tree].map(([key, at]) => [key.replaceAll('|', ' '), commandOf(at)]));
  const unnamed = ({ options, operands }: Reading): Yield =>
    options.length + operands.length === 0 ? { doubts: [doubt(why)] } : {};
  const bare = (reading: Reading): Yield =>
    one.fed === true && reading.operands.length === 0 && !isHelp(reading)
      ? { doubts: [runsInput(name)] }
      : unnamed(reading);
  const front = withRoles(`--version --help ${one.front ?? ''}`, one.frontRoles ?? {});
  return {
    names: one.names,
    does: one.does,
    ...one.more,
    grammar:
      one.whole === undefined
        ? {
            syntax: { ...one.syntax, permutes: false, inherits: true },
            options: front,
            commands: commandsOf(treeOf(one.looks ?? {})),
            operands: { rest: other },
            finish: bare,
            offers: 'reads',
          }
        : { syntax: one.syntax, ...grammarOf(one.whole, other) },
  };
}

/** Words of one form, of which another may have the program do more. */
export function only(form: RegExp, why: string): Use {
  return parsed((value, word) => (form.test(value) ? {} : { doubts: [doubt(why, word)] }));
}

export const quietly = '-q|--quiet -v|--verbose';
export const revision = /^(?!\w+:\/)[A-Za-z0-9][\w.@/~^:-]*$/;
