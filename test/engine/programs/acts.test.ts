import { describe, expect, it } from 'vitest';
import { doingOf } from '../../../shared/engine/programs/acts.ts';
import { analyse } from '../plan/support/machine.ts';

function doing(command: string) {
  const analysis = analyse(command);
  const stages = analysis.ok ? analysis.plan.stages : analysis.stages;
  return stages.map(doingOf);
}

describe('what a stage does', () => {
  it.each([
    ['tail -n 20 log.txt', [{ act: 'reads', of: ['log.txt'] }]],
    [
      'sort -o out.txt in.txt',
      [
        { act: 'reads', of: ['in.txt'] },
        { act: 'writes', of: ['out.txt'] },
      ],
    ],
    ['rm a b', [{ act: 'deletes', of: ['a', 'b'] }]],
  ])('is told with its files: %s', (command, acts) => {
    const [only] = doing(command);
    expect(only?.acts).toEqual(expect.arrayContaining(acts));
    expect(only?.does).toMatch(/\.$/);
  });

  it('is the sentence of the subcommand where there is one', () => {
    const [status] = doing('git status');
    const [commit] = doing('git commit -m x');
    expect(status?.does).not.toBe(commit?.does);
  });

  it('is nothing where no record says it', () => {
    expect(doing('no-such-program x')).toEqual([{ does: null, acts: [] }]);
  });

  it('names no more things than a person reads, and none of them at length', () => {
    const names = Array.from({ length: 40 }, (_, index) => `${index}${'x'.repeat(300)}`);
    const [only] = doing(`rm ${names.join(' ')}`);
    const [act] = only?.acts ?? [];
    expect(act?.of).toHaveLength(6);
    expect(Math.max(...(act?.of ?? []).map(({ length }) => length))).toBeLessThan(130);
  });
});
