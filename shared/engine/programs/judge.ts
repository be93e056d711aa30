import { holds } from './forms.ts';
import { recordOf } from './list.ts';
import { readArguments } from './read.ts';
import type { Argument, Effect, Offer, ProgramRecord, Reading, RiskOf, Use } from './types.ts';

/** As `Trust` in the analysis: how far a rule may trust these arguments. */
export type TrustOf =
  | { readonly level: 'open' }
  | { readonly level: 'pinned'; readonly reason: string; readonly leading?: number }
  | { readonly level: 'never'; readonly reason: string };

/** What the program would run through its arguments. */
export type Carries =
  | { readonly kind: 'words'; readonly words: readonly Argument[] }
  | { readonly kind: 'text'; readonly text: string };

/** What the arguments name, as written. */
export interface NamedEffects {
  readonly paths: readonly Extract<Effect, { kind: 'path' }>[];
  readonly starts: readonly (string | null)[];
  readonly reaches: readonly Extract<Effect, { kind: 'reaches' }>[];
  readonly network: boolean;
}

export interface Judged {
  readonly trust: TrustOf;
  readonly carries: readonly Carries[];
  readonly effects: NamedEffects;
  readonly risks: readonly RiskOf[];
}

/** Translates a reading into trust: what starts or loads something pins, and so does each doubt. */
export function judge(reading: Reading): Judged {
  return {
    trust: trustOf(reading),
    carries: reading.effects.flatMap(carried),
    effects: effectsOf(reading),
    risks: reading.risks,
  };
}

function trustOf({ effects, doubts }: Reading): TrustOf {
  const worst = doubts.find(({ level }) => level === 'never');
  if (worst !== undefined) return { level: 'never', reason: worst.why };
  const active = effects.filter((effect) => 'why' in effect).filter((one) => !onlyReads(one));
  const [one, another] = active;
  if (one !== undefined) {
    const alone = another === undefined && doubts.length === 0 && one.kind === 'command';
    const leading = alone ? one.leading : undefined;
    return { level: 'pinned', reason: one.why, ...(leading === undefined ? {} : { leading }) };
  }
  const [first] = doubts;
  return first === undefined ? { level: 'open' } : { level: 'pinned', reason: first.why };
}

/** A command for each file (`find -exec grep`) that is itself open and reads, but changes nothing. */
function onlyReads(effect: Effect): boolean {
  if (effect.kind !== 'command' || effect.file === undefined) return false;
  const [program, ...words] = effect.words;
  const record = program === undefined || program.live !== null ? null : recordOf(program.text);
  if (record === null) return false;
  const { file } = effect;
  const args = words.map((word) => (word.text === file ? { text: './file', live: null } : word));
  const inner = readArguments(record, args);
  return (
    inner.doubts.length === 0 &&
    inner.effects.every((one) => one.kind === 'path' && one.use === 'reads')
  );
}

function carried(effect: Effect): readonly Carries[] {
  if (effect.kind === 'command')
    return effect.words.length === 0 ? [] : [{ kind: 'words', words: effect.words }];
  if (effect.kind === 'shell')
    return effect.text === '' ? [] : [{ kind: 'text', text: effect.text }];
  if (effect.kind === 'starts' && effect.program !== null && effect.program !== '')
    return [{ kind: 'text', text: effect.program }];
  return [];
}

/** The paths, programs and machines that the arguments name. */
export function effectsOf({ effects }: Reading): NamedEffects {
  const reached = effects.filter((effect) => effect.kind === 'reaches');
  return {
    paths: effects.filter((effect) => effect.kind === 'path'),
    starts: effects.flatMap((effect) => {
      if (effect.kind === 'starts') return [effect.program];
      if (effect.kind === 'command') return [effect.words[0]?.text ?? null];
      return effect.kind === 'shell' ? [null] : [];
    }),
    reaches: reached,
    network: reached.length > 0,
  };
}

/** What "always" may offer for a reading. */
export interface ProposalShape {
  readonly offer: Offer;
  /** Subcommand words that such a rule begins with. */
  readonly words: readonly string[];
  /**
   * The same words can stand for reading and for changing (`git branch`): a rule of these words
   * alone covers both, so it must hold the arguments to readings of the same offer.
   */
  readonly mixed: boolean;
}

/** The widest offer that fits; whatever is not open gets the exact words. */
export function proposalShape(reading: Reading): ProposalShape {
  const offers = reading.grammar?.offers ?? 'exact';
  const mixed = typeof offers === 'function';
  const offer = typeof offers === 'function' ? offers(reading) : offers;
  const isOpen = trustOf(reading).level === 'open';
  return { offer: isOpen ? offer : 'exact', words: reading.command, mixed };
}

/** Spellings of a program's options whose values are secret, those of its subcommands among them. */
export function secretOptions(record: ProgramRecord): readonly string[] {
  const found = new Set<string>();
  const look = (grammar: ProgramRecord['grammar']): void => {
    for (const [spellings, use] of Object.entries(grammar.options ?? {}))
      if (isSecret(use)) spellings.split(' ').forEach((name) => found.add(name));
    Object.values(grammar.commands ?? {}).forEach(look);
  };
  look(record.grammar);
  return [...found];
}

function isSecret({ kind }: Use): boolean {
  return kind === 'secret';
}

/** Variables that steer a program, with the reason; GNU parsers all heed one. */
export function environmentOf({
  environment = {},
  grammar,
}: ProgramRecord): Readonly<Record<string, string>> {
  return grammar.syntax.name === 'gnu' || grammar.syntax.name === 'tar'
    ? { POSIXLY_CORRECT: 'changes which words are options', ...environment }
    : environment;
}

/** One sentence on what these arguments do: the subcommand's own, else the program's. */
export function doesOf(record: ProgramRecord, { grammar }: Reading): string {
  return grammar !== null && 'does' in grammar && typeof grammar.does === 'string'
    ? grammar.does
    : record.does;
}

/** Whether the reading only prints help or a version. */
export function isHelp(reading: Reading): boolean {
  return holds(reading, '--help', '--version');
}
