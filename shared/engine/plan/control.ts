import { opaque } from '../parse/syntax.ts';
import type {
  CaseClause,
  CommandList,
  Compound,
  ForLoop,
  IfClause,
  WhileLoop,
  Word,
} from '../parse/syntax.ts';
import { quoteWord } from '../parse/shell-quote.ts';
import { setForLoop, setUnknown } from './assign.ts';
import { expandLive, expandWord, type RenderedArgument } from './expand.ts';
import { mayBePattern, readPattern, substitute } from './expansions.ts';
import { fileNames } from './filenames.ts';
import { planRedirects, renderRedirects } from './redirects.ts';
import { counting, isSameState, lookupAt, merge, unchanged } from './shell-state.ts';
import type { Flow, Loop, Place, PlanContext, Planned, State } from './shell-state.ts';

type Body = Pick<Planned, 'text' | 'flow'>;

/** Plans a compound command: every list in it, on every way that may lead there. */
export function planCompound(compound: Compound, context: PlanContext, place: Place): Planned {
  const redirects = planRedirects(compound.redirects, context, place);
  const inner: Place = {
    ...place,
    writes: [...place.writes, ...redirects.writes],
    reads: [...place.reads, ...redirects.reads],
  };
  const { text, flow } = planBody(compound, context, inner);
  return { text: text + renderRedirects(redirects, context), argv: null, flow };
}

function planBody(compound: Compound, context: PlanContext, place: Place): Body {
  switch (compound.kind) {
    case 'group': {
      const body = context.planList(compound.body, context, place);
      return { text: `{ ${body.text}; }`, flow: body.flow };
    }
    case 'subshell': {
      const body = context.planList(compound.body, context, { ...place, loop: null });
      return { text: `( ${body.text} )`, flow: unchanged(place) };
    }
    case 'for':
      return planFor(compound, context, place);
    case 'while':
    case 'until':
      return planWhile(compound, context, place);
    case 'if':
      return planIf(compound, context, place);
    default:
      return planCase(compound, context, place);
  }
}

/** At most this many rounds of one loop. */
const mostRounds = 64;

/**
 * Each round is planned by itself, with the value that the variable then has, and written out as a
 * loop of one round: `continue` ends it, and `break` ends one more loop that is put around them all.
 */
function planFor(loop: ForLoop, context: PlanContext, place: Place): Body {
  const lookup = lookupAt(context, place);
  const words = loop.words.flatMap((word) => [...expandWord(word, lookup, { unknownWords: true })]);
  if (words.some(({ live }) => live === 'output'))
    return planUnknownFor(loop, words, { context, place });
  const values = valuesOf(words, loop, { context, place });
  if (values.length === 0) return { text: ':', flow: unchanged(place) };
  const left: State[] = [];
  let state: State = place;
  let flow: Flow = unchanged(place);
  const rounds = values.map((value) => {
    const skipped: State[] = [];
    const at = setForLoop(loop, value, { context, place, state });
    const round: Loop = { leave: 'break 2', left, skipped };
    const body = context.planList(loop.body, context, { ...at, loop: round });
    flow = {
      ok: skipped.reduce(merge, body.flow.ok),
      failed: body.flow.failed,
    };
    state = merge(flow.ok, flow.failed);
    return `for ${loop.name} in ${quoteWord(value)}; do ${body.text}; done`;
  });
  const text = rounds.join('; ');
  const [first = ''] = values;
  flow = { ok: left.reduce(merge, flow.ok), failed: flow.failed };
  if (left.length > 0)
    return { text: `for ${loop.name} in ${quoteWord(first)}; do ${text}; done`, flow };
  return { text: rounds.length === 1 ? text : `{ ${text}; }`, flow };
}

/** What a loop goes through; patterns are looked up now, and what runs is what was found. */
function valuesOf(
  words: readonly RenderedArgument[],
  { start }: ForLoop,
  { context, place }: { context: PlanContext; place: Place },
): readonly string[] {
  const refused = (why: string): Error => opaque('control-flow', why, start);
  const values = words.flatMap(({ text, live }) => {
    if (live === null) return [text];
    if (live !== 'pattern') throw refused('What a loop goes through is not known.');
    if (place.cwd === null || context.changed === 'any' || context.linked !== 'none')
      throw refused('Which files a loop goes through is known only once an earlier part has run.');
    const { files } = context.surroundings;
    const found = fileNames(text, { files, cwd: place.cwd });
    if (found === null) throw refused('Which files a loop goes through cannot be told.');
    return found.length === 0 ? [text] : found;
  });
  if (values.length > mostRounds)
    throw opaque('too-long', `A loop has more than ${mostRounds} rounds.`, start);
  return values;
}

/**
 * How often it goes round is not known. What the shell remembers behind a round may be what it knew
 * before the first, so both are put together before the body is planned for good; what a round
 * changes on the disk holds for all parts of the next.
 */
function planWhile(loop: WhileLoop, context: PlanContext, place: Place): Body {
  const around = (at: Place): Round => {
    const condition = context.planList(loop.condition, context, at);
    const [goes, stops] =
      loop.kind === 'while'
        ? [condition.flow.ok, condition.flow.failed]
        : [condition.flow.failed, condition.flow.ok];
    const body = context.planList(loop.body, context, reached(at, goes));
    const text = `${loop.kind} ${condition.text}; do ${body.text}; done`;
    return { text, again: merge(body.flow.ok, body.flow.failed), stops };
  };
  return planRounds(around, { context, place, start: loop.start });
}

interface Round {
  readonly text: string;
  /** Where the shell stands before the next round, and where the loop ends by itself. */
  readonly again: State;
  readonly stops: State;
}

function planRounds(
  around: (place: Place) => Round,
  { context, place, start }: { context: PlanContext; place: Place; start: number },
): Body {
  let entry: State = place;
  const plan = (): { round: Round; next: State; left: State } => {
    const left: State[] = [];
    const skipped: State[] = [];
    const at = { ...reached(place, entry), loop: { leave: 'break', left, skipped } as const };
    const round = around(at);
    const ends = [round.again, ...skipped];
    const next = counting(ends.reduce(merge, entry), { start: place, entry, ends });
    return { round, next, left: left.reduce(merge, undefined) };
  };
  const first = settled(context, () => {
    const planned = plan();
    const before = entry;
    entry = planned.next;
    return { ...planned, before };
  });
  const { before, next } = first;
  if (before === undefined || next === undefined || !isSameState(before, next))
    throw opaque(
      'control-flow',
      'What the shell remembers changes in a loop without a known end.',
      start,
    );
  const behind = merge(first.round.stops, first.left);
  return { text: first.round.text, flow: { ok: behind, failed: behind } };
}

/** `for` over words that only the shell will know. */
function planUnknownFor(
  loop: ForLoop,
  words: readonly RenderedArgument[],
  at: { context: PlanContext; place: Place },
): Body {
  const { context, place } = at;
  const list = words.map((word) => word.render).join(' ');
  const around = (before: Place): Round => {
    const inside = setUnknown(loop, before, context);
    const body = context.planList(loop.body, context, inside);
    const again = merge(body.flow.ok, body.flow.failed);
    const text = `for ${loop.name} in ${list}; do ${body.text}; done`;
    return { text, again, stops: merge(before, again) };
  };
  return planRounds(around, { context, place, start: loop.start });
}

/** Loops without a bound are planned this deep in each other; each is planned twice. */
const deepestLoop = 3;

/** Plans twice, the second time with what the first has found to change. */
function settled<T>(context: PlanContext, plan: () => T): T {
  if (++context.loops.depth > deepestLoop) throw opaque('too-deep', 'Loops are nested too deeply.');
  const stages = context.stages.length;
  const bodies = [...context.bodies];
  plan();
  context.stages.length = stages;
  context.bodies = bodies;
  const planned = plan();
  context.loops.depth--;
  return planned;
}

/** A place behind a way that leads there, or that none leads to. */
function reached(place: Place, state: State): Place {
  return { ...place, ...(state ?? { cwd: null }) };
}

function planIf({ branches, otherwise }: IfClause, context: PlanContext, place: Place): Body {
  let ok: State;
  let failed: State;
  let at = place;
  let reachable = true;
  let text = '';
  const add = (list: CommandList, from: Place): string => {
    const body = context.planList(list, context, from);
    ok = merge(ok, body.flow.ok);
    failed = merge(failed, body.flow.failed);
    return body.text;
  };
  for (const { condition, body } of branches) {
    const asked = context.planList(condition, context, at);
    const then = add(body, reached(at, asked.flow.ok));
    text += `${text === '' ? 'if' : '; elif'} ${asked.text}; then ${then}`;
    reachable &&= asked.flow.failed !== undefined;
    at = reached(at, asked.flow.failed);
  }
  if (otherwise !== null) text += `; else ${add(otherwise, at)}`;
  // Where no branch is taken the status is that of success.
  else if (reachable) ok = merge(ok, { cwd: at.cwd, variables: at.variables });
  return { text: `${text}; fi`, flow: { ok, failed } };
}

function planCase({ subject, branches }: CaseClause, context: PlanContext, place: Place): Body {
  const value = expandLive(subject, lookupAt(context, place)).render;
  let { ok, failed } = unchanged(place);
  let text = `case ${value} in`;
  for (const { patterns, body } of branches) {
    const written = patterns.map((pattern) => casePattern(pattern, context, place)).join(' | ');
    if (body.length === 0) {
      text += ` ${written}) ;;`;
      continue;
    }
    const planned = context.planList(body, context, place);
    ok = merge(ok, planned.flow.ok);
    failed = merge(failed, planned.flow.failed);
    text += ` ${written}) ${planned.text};;`;
  }
  return { text: `${text} esac`, flow: { ok, failed } };
}

/** A pattern of a `case`: no braces, no files, and no split. */
function casePattern(word: Word, context: PlanContext, place: Place): string {
  const chunks = substitute(word, lookupAt(context, place), true);
  const odd = chunks.some(
    (chunk) => chunk.kind !== 'text' || (!chunk.quoted && /[~{}]/.test(chunk.text)),
  );
  if (odd || chunks.length === 0)
    throw opaque('control-flow', 'A pattern of a `case` is unusual.', word.start, word.end);
  const pattern = mayBePattern(chunks) ? readPattern(chunks) : null;
  if (pattern !== null) return pattern.render;
  return quoteWord(chunks.map((chunk) => (chunk.kind === 'text' ? chunk.text : '')).join(''));
}
