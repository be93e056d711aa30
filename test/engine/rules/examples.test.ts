import { beforeAll, describe, expect, it } from 'vitest';
import type { Analysis } from '../../../shared/engine/plan/types.ts';
import { failedExamples } from '../../../shared/engine/rules/examples.ts';
import { analyserOn } from '../../support/machine.ts';
import { allow, home, rule } from '../../support/stages.ts';

let analyse: (command: string) => Analysis;

beforeAll(async () => {
  analyse = await analyserOn();
});

function failures(one: Parameters<typeof failedExamples>[0]): readonly string[] {
  return failedExamples(one, {
    analyse,
    home,
    platform: 'linux',
    hashFile: () => null,
    now: 5_000,
  });
}

describe('in-file examples', () => {
  it('pass when the rule does what they say', () => {
    const examples = {
      match: ['git status -s', 'cd x && git status'],
      noMatch: ['git push', 'git status $(x)'],
    };
    expect(failures(allow('git', ['status', '...'], { examples }))).toEqual([]);
  });

  it('each say what is wrong', () => {
    const examples = { match: ['git push'], noMatch: ['git status'] };
    expect(failures(allow('git', ['status'], { examples }))).toEqual([
      'It should match "git push".',
      'It should not match "git status".',
    ]);
  });

  it('hold wherever and whenever they are tried', () => {
    const examples = { match: ['git status'] };
    const bound = { cwd: '/elsewhere', host: 'node', expiresAt: 10, examples };
    expect(failures(allow('git', ['status'], bound))).toEqual([]);
  });

  it('of a deny rule also count what is hidden in a command', () => {
    const examples = {
      match: ['ls | xargs rm -rf', 'echo "$(rm -rf x)"'],
      noMatch: ['echo rm -rf'],
    };
    expect(failures(rule('rm', { effect: 'deny', args: ['-rf', '...'], examples }))).toEqual([]);
  });
});
