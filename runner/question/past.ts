import type { Analyser } from '../../shared/analysis/analyse.ts';
import type { Surroundings } from '../../shared/analysis/types.ts';
import type { PastCommand } from '../../shared/proposals/propose.ts';
import type { DecideInput } from '../../shared/verdict/input.ts';

const mostAnalysed = 50;

/** What an agent ran lately, analysed as it would be now, to show what a new rule would have covered. */
export function pastInputs(
  past: readonly { readonly command: string; readonly cwd: string }[],
  input: DecideInput,
  tools: { readonly analyser: Analyser; readonly surroundings: Surroundings },
): readonly PastCommand[] {
  return past.slice(0, mostAnalysed).map(({ command, cwd }) => {
    const request = { command, cwd };
    const analysis = tools.analyser.analyse(request, tools.surroundings);
    return { command, input: { ...input, request, analysis } };
  });
}
