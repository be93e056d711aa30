import { beforeAll, describe, expect, it } from 'vitest';
import type { Analysis } from '../../../shared/engine/plan/types.ts';
import { analyserOn } from '../../support/machine.ts';
import { allow, cwd, verdictOn } from '../../support/stages.ts';

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
