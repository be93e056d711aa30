import { describe, expect, it } from 'vitest';
import { decide } from '../../shared/engine/decide/decide.ts';
import { commandCases, measureCommands } from './commands.bench.ts';
import { benchInputs, decisionRate } from './rules.bench.ts';

describe('the benchmark of decisions', () => {
  it.each(['exact', 'mixed'] as const)(
    'measures what it says: %s rules allow, allow twice, and miss',
    (mix) => {
      expect(benchInputs(100, mix).map((input) => decide(input).decision)).toEqual([
        'allow',
        'allow',
        'ask',
      ]);
    },
  );

  it('counts decisions against the clock that it is given', () => {
    let now = 0;
    const rate = decisionRate(10, 'exact', { milliseconds: 10, clock: () => (now += 1) });
    expect(rate.microseconds * rate.perSecond).toBeCloseTo(1_000_000);
  });
});

describe('the benchmark of commands', () => {
  const cases = commandCases(new URL('../..', import.meta.url).pathname);

  it('holds the whole everyday corpus, and hostile commands of the longest length', () => {
    expect(cases[0]?.commands.length).toBeGreaterThan(480);
    const lengths = cases.slice(4).map(({ commands }) => commands[0]?.length ?? 0);
    expect(lengths.length).toBeGreaterThan(12);
    expect(Math.max(...lengths)).toBeGreaterThan(63_000);
    expect(Math.max(...lengths)).toBeLessThanOrEqual(64 * 1024);
  });

  it('measures each command, warm, against the clock that it is given', () => {
    let now = 0;
    const judged: string[] = [];
    const [first] = cases;
    if (first === undefined) throw new Error('no cases');
    const one = { ...first, commands: ['ls', 'pwd'] };
    const options = { milliseconds: 0, clock: () => (now += 1) };
    const figures = measureCommands(one, (command) => judged.push(command), options);
    expect(judged).toEqual(['ls', 'pwd', 'ls', 'pwd']);
    expect(figures).toMatchObject({ median: 1000, slowest: 1000, perSecond: 1000 });
  });
});
