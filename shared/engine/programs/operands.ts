import { doubt, merge, ofValue } from './forms.ts';
import type { Grammar, Operand, Operands, Use, Yield } from './types.ts';

/** Uses that it does no harm to mix up: which of them a pattern falls to need not be known. */
function isMild({ kind, level }: Use): boolean {
  return level === undefined && (kind === 'inert' || kind === 'reads');
}

/** What the operands of a grammar come to, each by its place. */
export function operandYield(grammar: Grammar, operands: readonly Operand[], label: string): Yield {
  const places = grammar.operands;
  if (places === undefined) {
    const [one] = operands;
    if (one === undefined || grammar.finish !== undefined) return {};
    return grammar.commands === undefined
      ? { doubts: [doubt(`${label} takes no operands`, one.word)] }
      : {};
  }
  const moved = firstThatMoves(places, operands);
  return merge(
    operands.map((operand, index) => {
      const use = useAt(places, index, operands.length);
      if (use === undefined)
        return { doubts: [doubt(`${label} takes fewer operands`, operand.word)] };
      const own = ofValue(use, operand.text, operand.word, {
        label,
        live: operand.live !== null,
        dashIsFile: grammar.dashIsFile === true,
      });
      const unsure = moved !== -1 && index >= moved && !allMild(places);
      return unsure
        ? merge([
            own,
            { doubts: [doubt('a pattern may change which operand is which', operand.word)] },
          ])
        : own;
    }),
  );
}

/** How the operand at a place is used, of so many. */
export function useAt(
  { first = [], rest, last }: Operands,
  index: number,
  count: number,
): Use | undefined {
  if (last !== undefined && count > first.length && index === count - 1) return last;
  return first[index] ?? rest;
}

function allMild({ first = [], rest, last }: Operands): boolean {
  return [...first, rest, last].every((use) => use === undefined || isMild(use));
}

/** The first operand from which on a pattern makes the places uncertain; -1 where none does. */
function firstThatMoves({ first = [], last }: Operands, operands: readonly Operand[]): number {
  return operands.findIndex(
    ({ live }, index) =>
      live === 'pattern' &&
      (index < first.length || (last !== undefined && index === operands.length - 1)),
  );
}
