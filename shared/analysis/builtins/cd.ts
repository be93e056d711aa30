import { quoteWord } from '../quote.ts';
import { realTarget } from '../resolve/targets.ts';
import { lookupAt, type PlanContext } from '../plan/context.ts';
import type { Argument } from '../plan/expand.ts';
import type { BuiltinPlace, SafeBuiltin } from './builtin.ts';

/**
 * `cd`, with or without a directory. The directory is known when it exists now and no program ran
 * before it that could have put something else in its place; the rendering then names its real
 * path. Otherwise what follows stands in an unknown place.
 */
export function planCd(
  args: readonly Argument[],
  context: PlanContext,
  at: BuiltinPlace,
): SafeBuiltin | null {
  const operands = args[0]?.text === '--' ? args.slice(1) : args;
  const [operand] = operands;
  if (operands.length > 1 || operand?.live === 'pattern' || operand?.live === 'status') return null;
  const { place } = at;
  const path = operand?.text ?? lookupAt(context, place)('HOME');
  if (typeof path !== 'string' || path === '' || path.startsWith('-')) return null;
  const { files } = context.surroundings;
  const real = realTarget(files, place.cwd, path);
  const exists = real !== null && files.facts(real)?.kind === 'directory';
  const { cwd, variables } = place;
  const failed = { cwd, variables };
  if (!exists || context.changed) {
    // CDPATH must not lead a relative name elsewhere.
    const written = path.startsWith('/') || path.startsWith('.') ? path : `./${path}`;
    return { text: `cd ${quoteWord(written)}`, flow: { ok: { cwd: null, variables }, failed } };
  }
  if (at.guarded)
    return {
      text: `{ cd ${quoteWord(real)} || exit; }`,
      flow: { ok: { cwd: real, variables }, failed: undefined },
    };
  return { text: `cd ${quoteWord(real)}`, flow: { ok: { cwd: real, variables }, failed } };
}
