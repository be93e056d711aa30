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
import { setForLoop } from './assign.ts';
import { expandValue, expandWord } from './expand.ts';
import { mayBePattern, readPattern, substitute } from './expansions.ts';
import { fileNames } from './filenames.ts';
import { planRedirects, renderRedirects } from './redirects.ts';
import { lookupAt, merge, unchanged } from './shell-state.ts';
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
  const values = valuesOf(loop, context, place);
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
function valuesOf(loop: ForLoop, context: PlanContext, place: Place): readonly string[] {
  const lookup = lookupAt(context, place);
  const { start } = loop;
  const values = loop.words.flatMap((word) =>
    expandWord(word, lookup).flatMap(({ text, live }) => {
      if (live === null) return [text];
      if (live !== 'pattern')
        throw opaque('control-flow', 'What a loop goes through is not known.', start);
      if (place.cwd === null || context.changed || context.linked)
        throw opaque(
          'control-flow',
          'Which files a loop goes through is not known before an earlier part has run.',
          word.start,
          word.end,
        );
      const { files } = context.surroundings;
      const found = fileNames(text, { files, cwd: place.cwd });
      if (found === null)
        throw opaque(
          'control-flow',
          'Which files a loop goes through cannot be told.',
          word.start,
          word.end,
        );
      return found.length === 0 ? [text] : found;
    }),
  );
  if (values.length > mostRounds)
    throw opaque('too-long', `A loop has more than ${mostRounds} rounds.`, start);
  return values;
}

/** Loops without a bound are planned this deep in each other; each is planned twice. */
const deepestLoop = 3;

/**
 * How often it goes round is not known, so nothing that the shell remembers may change in it. What a
 * round changes on the disk holds for all parts of the next.
 */
function planWhile(loop: WhileLoop, context: PlanContext, place: Place): Body {
  const plan = (): { condition: Planned; body: Planned; left: readonly State[] } => {
    const states: State[] = [];
    const at = { ...place, loop: { leave: 'break', left: states, skipped: states } as const };
    const condition = context.planList(loop.condition, context, at);
    const entry = loop.kind === 'while' ? condition.flow.ok : condition.flow.failed;
    const body = context.planList(loop.body, context, reached(at, entry));
    return { condition, body, left: states };
  };
  const { condition, body, left } = settled(context, plan);
  const ends = [condition, body].flatMap(({ flow }) => [flow.ok, flow.failed]);
  for (const end of [...ends, ...left])
    if (end !== undefined && (end.cwd !== place.cwd || end.variables !== place.variables))
      throw opaque(
        'control-flow',
        'What the shell remembers changes in a loop without a known end.',
        loop.start,
      );
  return {
    text: `${loop.kind} ${condition.text}; do ${body.text}; done`,
    flow: unchanged(place),
  };
}

/** Plans twice, the second time with what the first has found to change. */
export function settled<T>(context: PlanContext, plan: () => T): T {
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
  const value = quoteWord(expandValue(subject, lookupAt(context, place)));
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
