import { describe, expect, it } from 'vitest';
import { amendmentFor } from '../../../../runner/ingress/codex-app-server/gateway.ts';
import type { CheckBody } from '../../../../shared/wire/api.ts';
import type { Rule } from '../../../../shared/engine/policy/types.ts';

const rule = (fields: Partial<Rule> = {}): Rule => ({
  id: 'r1',
  pattern: '/usr/bin/git',
  args: ['status', '...'],
  source: 'allow-always',
  createdAt: 1,
  expiresAt: null,
  ...fields,
});

const verdict = (argv: readonly string[], fields: Partial<CheckBody> = {}): CheckBody => ({
  verdict: 'allow',
  reason: 'rule-allow',
  message: '',
  host: 'gateway',
  security: 'allowlist',
  ask: 'on-miss',
  analysis: {
    ok: true,
    reason: null,
    stages: [{ argv, resolvedPath: `/usr/bin/${String(argv[0])}`, ruleId: 'r1', via: [] }],
  },
  risk: { level: 'none', findings: [] },
  canonical: null,
  ...fields,
});

const status = verdict(['git', 'status', '-s']);

describe('the rule that Codex may keep', () => {
  it('is the literal beginning of a rule with anything after it', () => {
    expect(amendmentFor(status, [rule()])).toEqual(['git', 'status']);
    const program = rule({ pattern: '/usr/bin/ls' });
    const { args: _args, ...anything } = program;
    expect(amendmentFor(verdict(['ls', '-l']), [anything])).toEqual(['ls']);
  });

  it.each<[string, Partial<Rule>]>([
    ['an exact command: a prefix would allow more', { args: ['status'] }],
    ['a glob', { args: ['stat*', '...'] }],
    ['alternatives', { args: [['status', 'diff'], '...'] }],
    ['one folder', { cwd: '/w/**' }],
    ['an end', { expiresAt: 5 }],
    ['a level of risk', { maxRisk: 'none' }],
    ['a pattern of arguments', { argPattern: 'x' }],
    ['one content of the program', { sha256: 'ab' }],
    ['one host', { host: 'sandbox' }],
    ['a hand that wrote it', { source: 'import' }],
    ['a field of a later release', { upTo: 3 } as Partial<Rule>],
    ['another kind', { kind: 'edit' }],
  ])('is none for a rule with %s', (_what, fields) => {
    expect(amendmentFor(status, [rule(fields)])).toBeNull();
  });

  it.each([
    ['bash', '-c'],
    ['/usr/bin/python3', 'x.py'],
    ['env', 'X=1'],
    ['sudo', 'ls'],
    ['node', 'x.js'],
    ['xargs', 'ls'],
  ])('is none for a shell, an interpreter or a wrapper: %s', (...argv) => {
    const { args: _args, ...anything } = rule();
    expect(amendmentFor(verdict(argv), [anything])).toBeNull();
  });

  it.each([
    ['the rules did not decide', { reason: 'security-full' }],
    ['it was not allowed', { verdict: 'ask' as const }],
    ['it was not understood', { analysis: { ...status.analysis, ok: false } }],
    [
      'there are several programs',
      { analysis: { ...status.analysis, stages: [0, 1].flatMap(() => status.analysis.stages) } },
    ],
  ])('is none when %s', (_what, fields) => {
    expect(amendmentFor({ ...status, ...fields }, [rule()])).toBeNull();
  });

  it('is none while another rule holds anything back, since Codex would not ask any more', () => {
    for (const effect of ['deny', 'ask'] as const)
      expect(amendmentFor(status, [rule(), rule({ id: 'r2', effect, args: ['push'] })])).toBeNull();
    const edits = rule({ id: 'r2', effect: 'deny', kind: 'edit', pattern: '/etc/**' });
    expect(amendmentFor(status, [rule(), edits])).toEqual(['git', 'status']);
  });

  it('is none for words that the command itself does not begin with', () => {
    expect(amendmentFor(verdict(['git', '-C', 'x', 'status']), [rule()])).toBeNull();
  });
});
