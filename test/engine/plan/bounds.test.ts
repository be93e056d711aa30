import { describe, expect, test } from 'vitest';
import { createAnalyser } from '../../../shared/engine/plan/analyse.ts';
import type { GrammarParser } from '../../../shared/engine/parse/grammar.ts';
import type { FileView } from '../../../shared/engine/plan/types.ts';
import { loadGrammar } from '../../../shared/home/machine.ts';
import { seeded } from '../../fuzz/random.ts';
import { randomLine } from '../../fuzz/differential/lines.ts';
import { analyse, machine, workspace } from './support/machine.ts';
import { shapes, size } from './support/shapes.ts';

/** A shell that is told to run a shell, so many times. */
function shellsIn(depth: number): string {
  if (depth === 0) return 'ls';
  return `bash -c '${shellsIn(depth - 1).replaceAll("'", `'\\''`)}'`;
}

/** Files that count how often they are asked. */
function counted(): { files: FileView; asked: () => number } {
  let count = 0;
  const counting =
    <A extends unknown[], R>(look: (...args: A) => R) =>
    (...args: A): R => {
      count++;
      return look(...args);
    };
  const { files } = machine;
  return {
    files: {
      realPath: counting((path: string) => files.realPath(path)),
      facts: counting((path: string) => files.facts(path)),
      head: counting((path: string, bytes: number) => files.head(path, bytes)),
      isLink: counting((path: string) => files.isLink(path)),
      readLink: counting((path: string) => files.readLink(path)),
    },
    asked: () => count,
  };
}

describe('no text of 64 KB makes the analysis throw, hang or search without end', () => {
  test.each(Object.entries(shapes))('%s', async (_, shape) => {
    let parsed = 0;
    let open = 0;
    const grammar = await loadGrammar();
    const parser: GrammarParser = {
      parse(text) {
        parsed += text.length;
        const tree = grammar.parse(text);
        if (tree === null) return null;
        open++;
        return { rootNode: tree.rootNode, delete: () => (open--, tree.delete()) };
      },
    };
    const { files, asked } = counted();
    const command = shape(size - 16).slice(0, size);
    const analysis = createAnalyser(parser).analyse(
      { command, cwd: workspace },
      { ...machine, files },
    );
    expect(typeof analysis.ok).toBe('boolean');
    // The text, what nested shells are given of it, and an outline of each: never more than this.
    expect(parsed).toBeLessThanOrEqual(size * 24);
    expect(asked()).toBeLessThan(20_000);
    expect(open).toBe(0);
  });

  test('a longer text is not read', () => {
    const analysis = analyse(`ls ${'x'.repeat(size)}`);
    expect(analysis).toMatchObject({ ok: false, reason: 'too-long', stages: [] });
  });

  test.each([
    [`${'('.repeat(1)} ls ${')'.repeat(1)}`, true],
    [`${'( '.repeat(24)} ls ${') '.repeat(24)}`, true],
    [`${'( '.repeat(25)} ls ${') '.repeat(25)}`, false],
    [`${'{ '.repeat(24)} ls ${'; }'.repeat(24)}`, true],
    [`${'{ '.repeat(25)} ls ${'; }'.repeat(25)}`, false],
    [`${'nice '.repeat(8)} ls`, true],
    [`${'nice '.repeat(9)} ls`, false],
    [shellsIn(4), true],
    [shellsIn(9), false],
  ])('nesting has a bound: %#', (command, ok) => {
    const analysis = analyse(command);
    expect(analysis.ok).toBe(ok);
    if (!analysis.ok) expect(analysis.reason).toBe('too-deep');
  });

  test('random lines, random texts and cut ones are answered', () => {
    const random = seeded(7);
    for (let count = 0; count < 1000; count++) {
      const line = randomLine(random);
      const text = random.chance(50) ? line : line.slice(random.below(line.length + 1));
      expect(() => analyse(text)).not.toThrow();
      const noise = Array.from({ length: random.below(40) }, () =>
        String.fromCharCode(random.chance(80) ? 32 + random.below(95) : random.below(0x3000)),
      ).join('');
      expect(() => analyse(noise)).not.toThrow();
    }
  });

  test('a file system that throws is not trusted', () => {
    const broken = (): never => {
      throw new Error('no such disk');
    };
    const files: FileView = {
      realPath: broken,
      facts: broken,
      head: broken,
      isLink: broken,
      readLink: broken,
    };
    expect(analyse('ls', { files })).toMatchObject({ ok: false, stages: [] });
  });
});
