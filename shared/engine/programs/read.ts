import { doubtsInEveryRecord, inEveryRecord } from './classes.ts';
import { compile, compileBelow, type Table } from './compile.ts';
import { disclosed } from './disclosing.ts';
import { takesCode } from './list.ts';
import { doubt, merge, ofLevel, ofValue, risk } from './forms.ts';
import { operandYield } from './operands.ts';
import { bundled, Scanner } from './scan.ts';
import type {
  Argument,
  CustomReading,
  Grammar,
  ProgramRecord,
  Reading,
  Taken,
  Yield,
} from './types.ts';

/**
 * Reads the arguments of a program (its own name not among them) as the program itself would, by
 * the grammar of its record. Never throws; what the record does not name is a doubt.
 */
export function readArguments(record: ProgramRecord, args: readonly Argument[]): Reading {
  const key = keyOf(args);
  const known = readings.get(record)?.get(key);
  if (known !== undefined) return known;
  const reading = readAnew(record, args);
  if (key.length <= longestKept) keep(record, key, reading);
  return reading;
}

/**
 * A reading depends on nothing but the record and the words. One command is read several times, by
 * the plan, by the risk findings and by the proposals, and the same commands come all day.
 */
const readings = new Map<ProgramRecord, Map<string, Reading>>();
const mostKept = 1024;
const longestKept = 512;
let kept = 0;

function keep(record: ProgramRecord, key: string, reading: Reading): void {
  if (++kept > mostKept) {
    readings.clear();
    kept = 1;
  }
  const own = readings.get(record) ?? new Map<string, Reading>();
  readings.set(record, own.set(key, reading));
}

/** With the length of each word, so that no word can look like several. */
function keyOf(args: readonly Argument[]): string {
  let key = '';
  for (const { text, live } of args) key += `${text.length}${live ?? ''}:${text}`;
  return key;
}

function readAnew(record: ProgramRecord, args: readonly Argument[]): Reading {
  const reading = withFilledCode(readAll(record, args));
  const what = disclosed(
    reading.program,
    args.map(({ text }) => text),
    record.discloses,
  );
  const shown = what === null ? [] : [risk('credential-path', 'high', `Prints ${what}.`)];
  const found = [...(record.finds?.(reading, args) ?? []), ...inEveryRecord(reading, args)];
  const doubts = doubtsInEveryRecord(reading, args, record);
  if (shown.length + found.length + doubts.length === 0) return reading;
  return {
    ...reading,
    doubts: [...reading.doubts, ...doubts],
    risks: [...reading.risks, ...found, ...shown],
  };
}

/** Code that names of files or an input become a part of may be theirs. */
function withFilledCode(reading: Reading): Reading {
  if (!reading.effects.some((effect) => effect.kind === 'command')) return reading;
  const doubts = reading.effects.flatMap((effect) =>
    effect.kind === 'command' &&
    effect.filled !== undefined &&
    effect.words.some(({ text }) => takesCode(text))
      ? [doubt(effect.filled, effect.word, 'never')]
      : [],
  );
  return doubts.length === 0 ? reading : { ...reading, doubts: [...reading.doubts, ...doubts] };
}

function readAll(record: ProgramRecord, args: readonly Argument[]): Reading {
  if (record.grammar.syntax.bundle !== true) return readWords(record, args);
  const { words, from } = bundled(args, compile(record.grammar));
  const reading = readWords(record, words);
  return from === null ? reading : moved(reading, (word) => from[word] ?? -1);
}

function readWords(record: ProgramRecord, words: readonly Argument[]): Reading {
  const program = record.names[0] ?? '';
  const path: string[] = [];
  const commandWords: number[] = [];
  const options: Taken[] = [];
  let ownOptions = 0;
  let table = compile(record.grammar);
  let at = 0;
  for (;;) {
    const { grammar } = table;
    if (grammar.read !== undefined) {
      const custom = grammar.read(words.slice(at));
      return whole({
        program,
        path,
        commandWords,
        grammar,
        options,
        ownOptions,
        custom,
        shift: at,
      });
    }
    const scanner = new Scanner(words, table, [program, ...path].join(' '));
    const { operands, doubts, taken, end } = scanner.run(at);
    options.push(...taken);
    if (path.length === 0) ownOptions = options.length;
    const commandWord = grammar.commands === undefined ? undefined : words[end];
    const next = commandWord === undefined ? null : commandOf(table, commandWord);
    if (next !== null && operands.length === 0) {
      path.push(next.name);
      commandWords.push(end);
      table = next.table;
      at = end + 1;
      if (doubts.length === 0) continue;
      // Where a word in front is not understood, neither is what the others mean.
      return finished({
        program,
        path,
        commandWords,
        grammar: null,
        options,
        ownOptions,
        operands: [],
        own: { doubts },
      });
    }
    if (commandWord !== undefined && grammar.operands === undefined)
      doubts.push(
        doubt(`${[program, ...path].join(' ')} has no known command ${commandWord.text}`, end),
      );
    const parts = { program, path, commandWords, grammar, options, ownOptions, operands };
    return finished({ ...parts, own: { doubts } });
  }
}

interface Parts {
  readonly program: string;
  readonly path: readonly string[];
  readonly commandWords: readonly number[];
  readonly grammar: Grammar | null;
  readonly options: readonly Taken[];
  readonly ownOptions: number;
  readonly operands: Reading['operands'];
  readonly own: Yield;
}

function finished({
  program,
  path,
  commandWords,
  grammar,
  options,
  ownOptions,
  operands,
  own,
}: Parts): Reading {
  const label = [program, ...path].join(' ');
  const parts = merge([
    ...options.map((taken) => optionYield(taken, label, grammar)),
    grammar === null ? {} : operandYield(grammar, operands, label),
    own,
  ]);
  const reading: Reading = {
    program,
    command: path,
    commandWords,
    options,
    ownOptions,
    operands,
    grammar,
    ...parts,
  };
  if (grammar?.finish === undefined) return reading;
  return { ...reading, ...merge([parts, grammar.finish(reading)]) };
}

function optionYield(taken: Taken, label: string, grammar: Grammar | null): Yield {
  const { use, name, value, negated, live, word, valueWord } = taken;
  if (negated) return {};
  const risks =
    use.risk === undefined ? [] : [{ ...use.risk, words: [...new Set([word, valueWord])] }];
  if (value === null) {
    return { risks, doubts: ofLevel(use, `${label} ${name} asks for a look`, word) };
  }
  const more = { label: `${label} ${name}`, live, dashIsFile: grammar?.dashIsFile === true };
  return merge([{ risks }, ofValue(use, value, valueWord, more)]);
}

function whole({
  program,
  path,
  commandWords,
  grammar,
  options,
  ownOptions,
  custom,
  shift,
}: {
  readonly program: string;
  readonly path: readonly string[];
  readonly commandWords: readonly number[];
  readonly grammar: Grammar;
  readonly options: readonly Taken[];
  readonly ownOptions: number;
  readonly custom: CustomReading;
  readonly shift: number;
}): Reading {
  const { effects = [], doubts = [], risks = [] } = custom;
  const own = {
    program,
    command: path,
    commandWords: [],
    grammar,
    ownOptions,
    effects,
    doubts,
    risks,
    ...custom,
  };
  const inPlace = shift === 0 ? own : moved(own, (word) => (word === -1 ? -1 : word + shift));
  // What stands in front of the subcommand was read by the grammar of the program itself.
  const label = [program, ...path].join(' ');
  const front = merge(options.map((taken) => optionYield(taken, label, null)));
  return {
    ...inPlace,
    effects: [...front.effects, ...inPlace.effects],
    doubts: [...front.doubts, ...inPlace.doubts],
    risks: [...front.risks, ...inPlace.risks],
    ownOptions: path.length === 0 ? custom.options.length : ownOptions,
    commandWords,
    options: [...options, ...inPlace.options],
  };
}

/** The same reading of words that stand elsewhere. */
function moved(reading: Reading, to: (word: number) => number): Reading {
  const move = <T extends { readonly word: number }>(one: T): T => ({ ...one, word: to(one.word) });
  return {
    ...reading,
    options: reading.options.map((one) => ({ ...move(one), valueWord: to(one.valueWord) })),
    commandWords: reading.commandWords.map(to),
    operands: reading.operands.map(move),
    effects: reading.effects.map(move),
    doubts: reading.doubts.map(move),
    risks: reading.risks.map((one) => ({ ...one, words: one.words.map(to) })),
  };
}

const commandNames = new WeakMap<Grammar, ReadonlyMap<string, string>>();

/** The subcommand that a word names; a word that is still to be expanded names none. */
function commandOf(
  parent: Table,
  word: Argument,
): { readonly name: string; readonly table: Table } | null {
  const { commands = {} } = parent.grammar;
  let names = commandNames.get(parent.grammar);
  if (names === undefined) {
    names = new Map(
      Object.keys(commands).flatMap((key) => key.split(' ').map((name) => [name, key] as const)),
    );
    commandNames.set(parent.grammar, names);
  }
  const key = word.live === null ? names.get(word.text) : undefined;
  const command = key === undefined ? undefined : commands[key];
  if (key === undefined || command === undefined) return null;
  const [name = key] = key.split(' ');
  return { name, table: compileBelow(parent, key, command) };
}
