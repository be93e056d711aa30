import { beforeAll, describe, expect, it } from 'vitest';
import type { Analysis } from '../../../shared/engine/plan/types.ts';
import { analyserOn } from '../../support/machine.ts';
import { decide } from '../../../shared/engine/decide/decide.ts';
import { propose, withRules } from '../../../shared/engine/proposals/propose.ts';
import { allow, cwd, inputFor, verdictOn } from '../../support/stages.ts';

let analyse: (command: string) => Analysis;
beforeAll(async () => {
  analyse = await analyserOn({ [`${cwd}/src`]: null });
});

function decision(command: string, writes: string, security: 'allowlist' | 'full' = 'allowlist') {
  const rules = [allow('**', ['...'], { writes: [writes] })];
  return verdictOn(analyse(command), { rules, security, request: { command } }).decision;
}

describe('a rule whose glob covers every file of the project', () => {
  it.each([
    'echo x > Makefile',
    'echo x >> package.json',
    'echo x > AGENTS.md',
    'echo x > Dockerfile',
    'echo x > src/Makefile',
    'cat a > src/../Makefile',
    'cat <<EOF > vite.config.ts\nx\nEOF\n',
    'cd src && echo x > package.json',
    '> Makefile',
    'sort a | tee b > go.mod',
  ])('does not let a redirection write what its commands run: %s', (command) => {
    expect(decision(command, `${cwd}/**`)).toBe('ask');
  });

  it.each(['echo x > src/a.ts', 'echo x > out.txt', 'sort a > a.out', 'date >> notes.md'])(
    'lets it write other files: %s',
    (command) => {
      expect(decision(command, `${cwd}/**`)).toBe('allow');
    },
  );
});

it('a rule that names the file lets it be written', () => {
  expect(decision('echo x > Makefile', `${cwd}/Makefile`)).toBe('allow');
  expect(decision('echo x > Makefile', `${cwd}/Make*`)).toBe('ask');
});

it('who lets everything run lets that', () => {
  expect(decision('echo x > Makefile', `${cwd}/**`, 'full')).toBe('allow');
});

describe('"always" for a command that writes what later commands run', () => {
  it.each([
    'echo x > Makefile',
    'echo x >> package.json',
    'sort a > AGENTS.md',
    'cat a | tee Makefile',
    'cp a Makefile',
    'cp a src/x.mk',
    'echo x > .newtool/config',
    'git mv a Makefile',
  ])('is offered only as a rule that covers it when it comes again: %s', (command) => {
    const input = inputFor(analyse(command), { request: { command } });
    const proposals = propose(input, decide(input));
    for (const proposal of proposals) {
      const again = withRules(inputFor(analyse(command), { request: { command } }), proposal.rules);
      expect(decide(again).decision).toBe('allow');
    }
    // A file that steers what comes later is named by a person who writes a rule.
    expect(proposals.length > 0).toBe(!command.includes('>'));
  });
});
