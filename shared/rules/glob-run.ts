import { takes } from './glob-steps.ts';
import type { GlobStep } from './glob-steps.ts';

const slash = 0x2f;

/**
 * Whether the steps match the whole text. All possible positions are carried along at once, so the
 * time is bounded by the product of both lengths whatever the pattern.
 */
export function runSteps(steps: readonly GlobStep[], text: string): boolean {
  // Twice the positions: an odd one stands for "inside `directories`", where only a slash leads out.
  let here = new Uint8Array(2 * steps.length + 2);
  let next = new Uint8Array(here.length);
  enter(steps, here, 0);
  for (const point of text) {
    const code = point.codePointAt(0) ?? 0;
    next.fill(0);
    let alive = false;
    for (let index = 0; index < steps.length; index += 1) {
      if (here[2 * index] === 1) alive = advance(steps, next, index, code) || alive;
      if (here[2 * index + 1] === 1) alive = advance(steps, next, index, code) || alive;
    }
    if (!alive) return false;
    [here, next] = [next, here];
  }
  return here[2 * steps.length] === 1;
}

/** Marks a position and all that can be reached from it without a character. */
function enter(steps: readonly GlobStep[], set: Uint8Array, from: number): void {
  for (let index = from; set[2 * index] !== 1; index += 1) {
    set[2 * index] = 1;
    const kind = steps[index]?.kind;
    if (kind !== 'star' && kind !== 'all' && kind !== 'directories') return;
  }
}

function advance(
  steps: readonly GlobStep[],
  next: Uint8Array,
  index: number,
  code: number,
): boolean {
  const step = steps[index];
  if (step === undefined) return false;
  switch (step.kind) {
    case 'all':
      enter(steps, next, index);
      return true;
    case 'star':
      if (code === slash) return false;
      enter(steps, next, index);
      return true;
    case 'directories':
      next[2 * index + 1] = 1;
      if (code === slash) enter(steps, next, index + 1);
      return true;
    default:
      if (!takes(step, code)) return false;
      enter(steps, next, index + 1);
      return true;
  }
}
