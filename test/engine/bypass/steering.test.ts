import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { fallBack } from '../../../shared/engine/decide/decide.ts';
import { propose } from '../../../shared/engine/proposals/propose.ts';
import { compileRule } from '../../../shared/engine/rules/compiled-rule.ts';
import type { Analysis } from '../../../shared/engine/plan/types.ts';
import type { AgentPolicy } from '../../../shared/engine/policy/types.ts';
import { analyserOn } from '../../support/machine.ts';
import { allow, cwd, home, inputFor, rule, verdictOn } from '../../support/stages.ts';

const lines = readFileSync(new URL('../../fixtures/bypass/steering.txt', import.meta.url), 'utf8')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'));

let analyse: (command: string) => Analysis;

beforeAll(async () => {
  const names = lines.map((line) => line.split(' ')[0] ?? '');
  analyse = await analyserOn({
    ...Object.fromEntries(names.map((name) => [`/usr/bin/${name}`, '\u007fELF'])),
    [`${home}/.interlock/exec-approvals.json`]: '{}',
    [`${home}/.claude/settings.json`]: '{}',
    [`${home}/.gitconfig`]: '',
    [`${cwd}/.claude/settings.json`]: '{}',
    ...Object.fromEntries(
      [
        '.gemini',
        '.opencode/plugins',
        '.opencode/plugin',
        '.codex',
        '.cursor',
        '.factory',
        '.kilo/plugin',
      ]
        .concat([
          '.github/hooks',
          '.qwen',
          '.vscode',
          '.devcontainer',
          '.husky',
          '.github/workflows',
        ])
        .concat(['.cargo', '.git/info'])
        .map((folder) => [`${cwd}/${folder}/there`, '']),
    ),
    [`${cwd}/.git/HEAD`]: 'ref: refs/heads/main\n',
    [`${cwd}/.git/hooks/x.sample`]: '',
    [`${cwd}/.env`]: '',
    [`${cwd}/.env.local`]: '',
    [`${cwd}/x.json`]: '',
  });
});

const everything = ['...'];

/** Each program of the command may be given any arguments and write anything. */
function wildcards(analysis: Analysis, fields: object = {}) {
  const stages = analysis.ok ? analysis.plan.stages : analysis.stages;
  const names = [...new Set(stages.map(({ executable }) => executable.name))];
  return names.map((name) =>
    allow(name.replaceAll(/[[\]]/g, String.raw`\$&`), everything, { writes: ['**'], ...fields }),
  );
}

function verdict(command: string, policy: AgentPolicy = {}, fields: object = {}) {
  const analysis = analyse(command);
  return verdictOn(analysis, {
    rules: wildcards(analysis, fields),
    request: { command, cwd },
    ...policy,
  });
}

describe('files that steer, secrets and what is ours', () => {
  it.each(lines)('are not reached by a wildcard: %s', (line) => {
    expect(verdict(line).decision).toBe('ask');
  });

  it.each(lines)('are not reached by "full": %s', (line) => {
    expect(verdict(line, { security: 'full' })).toMatchObject({
      decision: 'ask',
      reason: 'guarded-place',
    });
  });

  it.each(lines)('are denied where asking is off, and where nobody can be asked: %s', (line) => {
    expect(verdict(line, { security: 'full', ask: 'off' }).decision).toBe('deny');
    const asked = verdict(line, { security: 'full', askFallback: 'full' });
    expect(fallBack(asked).decision).toBe('deny');
  });

  it.each(lines)('are offered no "always", and reached by none: %s', (line) => {
    const analysis = analyse(line);
    const input = inputFor(analysis, { rules: [], request: { command: line, cwd } });
    const asked = verdictOn(analysis, { rules: [], request: { command: line, cwd } });
    expect(propose(input, asked)).toEqual([]);
    const stages = analysis.ok ? analysis.plan.stages : [];
    for (const source of ['allow-always', 'grant', 'import'])
      for (const stage of stages) {
        const exact = rule(stage.argv[0] ?? '', {
          source,
          args: stage.argv.slice(1),
          writes: [...stage.writes],
        });
        const compiled = compileRule(exact, 0, { home, platform: 'linux' });
        for (const use of stage.guarded) expect(compiled.namesGuarded(use, 'program')).toBe(false);
      }
  });

  it('says which file it is, and why it matters', () => {
    const { message, risk } = verdict('echo x > .claude/settings.local.json', { security: 'full' });
    expect(message).toBe(
      `It changes ${cwd}/.claude/settings.local.json, which holds the hooks that ask Interlock. Only a rule that names it allows that.`,
    );
    expect(risk.level).toBe('high');
  });

  it('are reached by a rule that names them', () => {
    const named = (command: string, ...rules: ReturnType<typeof allow>[]) =>
      verdictOn(analyse(command), { rules, request: { command, cwd } }).decision;
    const ci = `${cwd}/.github/workflows/**`;
    expect(
      named('echo x > .github/workflows/ci.yml', allow('echo', everything, { writes: [ci] })),
    ).toBe('allow');
    expect(named('cat .env', allow('cat', ['.env']))).toBe('allow');
    expect(named('cat .env', allow('cat', ['.en*']))).toBe('ask');
    expect(named('cat .env', allow('cat', everything))).toBe('ask');
  });

  it.each([
    'cat src/a.ts',
    'echo x > src/a.ts',
    'rm -rf node_modules',
    'git add .',
    'grep -rn token src',
    'sed -i s/a/b/ package.json',
  ])('leave the rest alone: %s', (line) => {
    expect(verdict(line, { security: 'full' }).decision).toBe('allow');
  });
});
