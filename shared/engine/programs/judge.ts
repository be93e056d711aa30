import { copiers, demandOf } from './demands.ts';
import { recordOf } from './list.ts';
import { readNamed } from './named.ts';
import { offerOf } from './forms.ts';
import { readArguments } from './read.ts';
import type { Argument, Effect, Offer, ProgramRecord, Reading, RiskOf, Use } from './types.ts';

/** As `Trust` in the analysis: how far a rule may trust these arguments. */
type TrustOf =
  | { readonly level: 'open' }
  | { readonly level: 'spelled'; readonly reason: string; readonly words: readonly number[] }
  | {
      readonly level: 'pinned';
      readonly reason: string;
      readonly leading?: number;
      readonly parts?: readonly number[];
    }
  | { readonly level: 'never'; readonly reason: string; readonly input?: true };

/** What the program would run through its arguments. */
type Carries =
  | { readonly kind: 'words'; readonly words: readonly Argument[] }
  | { readonly kind: 'text'; readonly text: string };

/** What the arguments name, as written. */
interface NamedEffects {
  readonly paths: readonly Extract<Effect, { kind: 'path' }>[];
  readonly starts: readonly (string | null)[];
  readonly reaches: readonly Extract<Effect, { kind: 'reaches' }>[];
  readonly network: boolean;
}

export interface Judged {
  readonly trust: TrustOf;
  readonly carries: readonly Carries[];
  /** The file of code that it would run, as written. */
  readonly script?: string;
  readonly effects: NamedEffects;
  readonly risks: readonly RiskOf[];
}

/** Whether a path lies in the project: decided by the caller, who knows folders and links. */
export type IsInside = (path: string, base?: string) => boolean;

/** As far as a name alone tells; one that leads out and back again counts as outside. */
export const staysBelow: IsInside = (path, base = '') =>
  path === '/dev/null' ||
  [base, path].every((part) => !/^[/~]|(?:^|\/)\.\.(?:\/|$)|^file:/i.test(part));

/** Translates a reading into trust: what starts or loads something pins, and so does each doubt. */
export function judge(reading: Reading, isInside: IsInside = staysBelow): Judged {
  const code = reading.effects.find((one) => one.kind === 'code' && one.file !== undefined);
  return {
    trust: trustOf(reading, isInside),
    carries: reading.effects.flatMap(carried),
    ...(code?.kind === 'code' && code.file !== undefined ? { script: code.file } : {}),
    effects: effectsOf(reading),
    risks: reading.risks,
  };
}

/** What cannot be taken back: files that another machine has, printed credentials, lost data. */
const disclosing: Readonly<Record<string, string>> = {
  'data-leaving': 'sends files or work to another machine',
  'credential-path': 'prints or uses credentials',
  'data-loss': 'deletes what cannot be brought back',
  volumes: 'deletes what cannot be brought back',
  privilege: 'gives a program the rights of another user, or of this machine',
  persistence: 'has something run later',
  'stops-programs': 'stops more than one program',
  'force-push': 'replaces or deletes what others have',
  'production-target': 'changes real services without asking again',
};
function trustOf(reading: Reading, isInside: IsInside): TrustOf {
  const { effects, doubts, risks, program } = reading;
  const worst = doubts.find(({ level }) => level === 'never');
  if (worst !== undefined) {
    const isInput = doubts.every(({ level, input }) => level !== 'never' || input === true);
    return { level: 'never', reason: worst.why, ...(isInput && { input: true }) };
  }
  // What does the bidding of a project stays in it with all that it reads and writes.
  const stays = recordOf(program)?.project !== undefined;
  const led = effects.some(
    (effect) =>
      effect.kind === 'path' &&
      (stays || effect.runs === true) &&
      !isInside(effect.path, effect.base),
  );
  const active = effects.filter((effect) => 'why' in effect).filter((one) => !onlyReads(one));
  const [one, another] = active;
  if (one !== undefined) {
    const hasRest = one.kind === 'command' || one.kind === 'code';
    const alone = another === undefined && doubts.length === 0 && hasRest && !led;
    const { leading } = alone ? one : {};
    const parts = alone && one.kind === 'command' ? one.parts : undefined;
    return {
      level: 'pinned',
      reason: one.why,
      ...(leading !== undefined && { leading }),
      ...(parts !== undefined && { parts }),
    };
  }
  const [first] = doubts;
  if (first !== undefined) return { level: 'pinned', reason: first.why };
  const disclosed = risks.find(
    ({ code, level }) =>
      level === 'high' && code in disclosing && !(code === 'data-leaving' && copiers.has(program)),
  );
  if (disclosed !== undefined)
    return { level: 'pinned', reason: `${program} ${disclosing[disclosed.code] ?? ''}` };
  if (led)
    return {
      level: 'pinned',
      reason: `${program} does what files say, and an argument leads out of the project`,
    };
  const demand = demandOf(reading);
  const named = reading.grammar?.named;
  if (demand === null && named !== undefined)
    return { level: 'spelled', reason: `${program} ${named}`, words: reading.commandWords };
  if (demand === null) return { level: 'open' };
  const { reason, words } = demand;
  return words === null ? { level: 'pinned', reason } : { level: 'spelled', reason, words };
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
  // Programs that name no file can still change something: `kill 1`.
  const prints = ['reads', 'files'].includes(offerOf(inner)) && record.project === undefined;
  return (
    prints &&
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
function effectsOf({ effects }: Reading): NamedEffects {
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
interface ProposalShape {
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
export function proposalShape(reading: Reading, isInside: IsInside = staysBelow): ProposalShape {
  const mixed = typeof reading.grammar?.offers === 'function';
  const offer = offerOf(reading);
  const { level } = trustOf(reading, isInside);
  return {
    offer: level === 'open' || level === 'spelled' ? offer : 'exact',
    words: reading.command,
    mixed,
  };
}

/** Whether the record of a program, by its base name, knows these words to print and change nothing. */
export function onlyPrints(
  name: string,
  args: readonly string[],
  open: readonly number[],
): boolean {
  const reading = readNamed(name, args, open);
  const asksHere = recordOf(name)?.asksHere;
  return (
    reading !== null &&
    reading.doubts.length === 0 &&
    (asksHere === undefined || asksHere(reading)) &&
    reading.effects.every(
      (effect) =>
        (effect.kind === 'path' && effect.use === 'reads') ||
        (effect.kind === 'reaches' && asksHere !== undefined),
    ) &&
    proposalShape(reading).offer === 'reads'
  );
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
