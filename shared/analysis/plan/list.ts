import { opaque } from '../parse/opaque.ts';
import type { Command, CommandList, Compound, Pipeline } from '../parse/syntax.ts';
import type { PlanContext, Place, Rendered } from './context.ts';
import { merge, unchanged, type Flow, type State } from './flow.ts';
import { planRedirects, renderRedirects } from './redirects.ts';
import { planSimple } from './simple.ts';

/** A rendering, and where the shell stands behind it. */
export interface Planned extends Rendered {
  readonly flow: Flow;
}

/** Plans a list in order, following what the shell remembers along every way through it. */
export function planList(list: CommandList, context: PlanContext, place: Place): Planned {
  let flow: Flow = unchanged(place);
  let joiner = ';';
  let text = '';
  let argv: readonly string[] | null = null;
  list.forEach((item, index) => {
    const last = index === list.length - 1;
    const entry: State =
      joiner === '&&' ? flow.ok : joiner === '||' ? flow.failed : merge(flow.ok, flow.failed);
    const guarded = item.joiner === ';' && !last;
    const planned = planPipeline(item.pipeline, context, {
      place: { ...place, ...(entry ?? { cwd: null }) },
      guarded,
    });
    flow = follow(joiner, flow, planned.flow);
    joiner = item.joiner;
    argv = list.length === 1 ? planned.argv : null;
    text += planned.text;
    if (!last) text += item.joiner === ';' ? '; ' : ` ${item.joiner} `;
  });
  return { text, argv, flow };
}

function follow(joiner: string, before: Flow, now: Flow): Flow {
  if (joiner === '&&') return { ok: now.ok, failed: merge(before.failed, now.failed) };
  if (joiner === '||') return { ok: merge(before.ok, now.ok), failed: now.failed };
  return now;
}

function planPipeline(
  pipeline: Pipeline,
  context: PlanContext,
  at: { place: Place; guarded: boolean },
): Planned {
  const { commands, withErrors, negated, timed } = pipeline;
  const { place } = at;
  const alone = commands.length === 1 && !negated && timed === null;
  let text = prefixOf(pipeline, context);
  const linkedBefore = context.linked;
  const parts = commands.map((command) => {
    // Parts of a pipeline run at the same time, so none sees what those left of it changed first.
    context.linked = linkedBefore;
    const firstStage = context.stages.length;
    const planned = planCommand(command, context, { place, guarded: at.guarded && alone });
    const stages = context.stages.slice(firstStage);
    return {
      planned,
      writes: stages.some((stage) => stage.writes.length > 0),
      linked: context.linked,
    };
  });
  context.linked = parts.some((part) => part.linked);
  for (const part of parts)
    if (part.writes && parts.some((other) => other !== part && other.linked))
      throw opaque(
        'redirect',
        'A redirection is not understood: another part of the pipeline may turn the file into a link.',
        pipeline.start,
      );
  parts.forEach(({ planned }, index) => {
    text += planned.text;
    if (index < parts.length - 1) text += withErrors[index] === true ? ' 2>&1 | ' : ' | ';
  });
  const only = parts[0]?.planned;
  if (commands.length > 1 || only === undefined)
    return { text, argv: null, flow: unchanged(place) };
  const { ok, failed } = only.flow;
  return {
    text,
    argv: alone ? only.argv : null,
    flow: negated ? { ok: failed, failed: ok } : only.flow,
  };
}

function prefixOf({ negated, timed, start }: Pipeline, { surroundings }: PlanContext): string {
  if (timed !== null && !surroundings.shell.endsWith('bash'))
    throw opaque('unsupported-syntax', '`time` is a word of bash, which is not here.', start);
  return `${timed === null ? '' : `${timed} `}${negated ? '! ' : ''}`;
}

function planCommand(
  command: Command,
  context: PlanContext,
  at: { place: Place; guarded: boolean },
): Planned {
  if (command.kind === 'simple') return planSimple(command, context, at);
  return planCompound(command, context, at.place);
}

function planCompound(compound: Compound, context: PlanContext, place: Place): Planned {
  const redirects = planRedirects(compound.redirects, context, place);
  const inner: Place = {
    ...place,
    writes: [...place.writes, ...redirects.writes],
    reads: [...place.reads, ...redirects.reads],
  };
  const body = planList(compound.body, context, inner);
  const subshell = compound.kind === 'subshell';
  const text = subshell ? `( ${body.text} )` : `{ ${body.text}; }`;
  return {
    text: text + renderRedirects(redirects, context),
    argv: null,
    flow: subshell ? unchanged(place) : body.flow,
  };
}
