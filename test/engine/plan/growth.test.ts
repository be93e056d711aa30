import { Session } from 'node:inspector/promises';
import type { Parser } from 'web-tree-sitter';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createAnalyser } from '../../../shared/engine/plan/analyse.ts';
import type { GrammarParser } from '../../../shared/engine/parse/grammar.ts';
import { loadGrammar } from '../../../shared/home/machine.ts';
import { machine, workspace } from './support/machine.ts';
import { shapes, size } from './support/shapes.ts';

/** The engine counts how often each block of our code runs: steps that no other load can change. */
const session = new Session();

let grammar: Parser;

beforeAll(async () => {
  grammar = (await loadGrammar()) as unknown as Parser;
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
  await blocksRun();
});

afterAll(async () => {
  await session.post('Profiler.stopPreciseCoverage');
  session.disconnect();
});

/** Blocks of the engine that ran since the last look. */
async function blocksRun(): Promise<number> {
  const { result } = await session.post('Profiler.takePreciseCoverage');
  let count = 0;
  for (const { url, functions } of result)
    if (url.includes('/shared/engine/'))
      for (const { ranges } of functions) for (const range of ranges) count += range.count;
  return count;
}

/** A parser that counts its own steps as the grammar reports them. */
function countedParser(): { parser: GrammarParser; steps: () => number } {
  let count = 0;
  const progressCallback = (): boolean => {
    count++;
    return false;
  };
  return {
    parser: { parse: (text) => grammar.parse(text, null, { progressCallback }) },
    steps: () => count,
  };
}

/** Between two of these no code of the engine runs, so that nothing else is counted. */
async function stepsFor(command: string): Promise<{ ours: number; grammar: number }> {
  const { parser, steps } = countedParser();
  createAnalyser(parser).analyse({ command, cwd: workspace }, machine);
  return { ours: await blocksRun(), grammar: steps() };
}

describe('work grows no faster than the text, up to its longest length', () => {
  test.each(Object.entries(shapes))('%s', async (_, shape) => {
    const part = await stepsFor(shape(size / 2 - 16));
    const whole = await stepsFor(shape(size - 16));
    expect(part.ours).toBeGreaterThan(0);
    // Twice the text: twice the steps and a little more, where four times would be a square.
    expect(whole.ours).toBeLessThanOrEqual(part.ours * 2.6 + 1000);
    expect(whole.grammar).toBeLessThanOrEqual(part.grammar * 2.6 + 50);
  });

  test('the steps that are counted are those of the text', async () => {
    const short = await stepsFor('ls a');
    const long = await stepsFor(`ls ${'a '.repeat(2000)}`);
    expect(long.ours).toBeGreaterThan(short.ours + 2000);
    expect(long.grammar).toBeGreaterThan(short.grammar);
  });
});
