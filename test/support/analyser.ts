import { createAnalyser } from '../../shared/engine/plan/analyse.ts';
import type { Analyser } from '../../shared/engine/plan/analyse.ts';
import { loadGrammar } from '../../shared/home/machine.ts';

let loading: Promise<Analyser> | undefined;

/** The analysis alone, for tests of what it makes of a text; the product has it in the engine. */
export function loadAnalyser(): Promise<Analyser> {
  loading ??= loadGrammar().then(createAnalyser);
  return loading;
}
