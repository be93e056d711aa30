import { describe, expect, it } from 'vitest';
import { changesOf, formatOf, previewOf, readRules } from '../../../shared/agents/import.ts';
import { editPolicy } from '../../../shared/engine/policy/edit.ts';
import type { Imported } from '../../../shared/wire/agent-import.ts';
import type { PolicyDocument, Rule } from '../../../shared/engine/policy/types.ts';

const document: PolicyDocument = {
  version: 1,
  agents: {
    '*': { allowlist: [{ id: 'a', pattern: 'ls', note: 'old', lastUsedAt: 5 }] },
    claude: { security: 'deny', allowlist: [{ id: 'b', effect: 'deny', pattern: 'rm' }] },
  },
};

function imported(text: string): Imported {
  const parsed = readRules(text);
  if (!parsed.ok) throw new Error(parsed.error);
  return parsed.imported;
}

const nothingFails = (): readonly string[] => [];

describe('a preview of an import', () => {
  it('marks what is there for the agent or for all, and what comes twice', () => {
    const { rules } = previewOf(
      imported(
        '{"permissions":{"allow":["Bash(ls:*)","Bash(jq:*)","Bash(jq:*)"],"deny":["Bash(rm:*)"]}}',
      ),
      { document, check: nothingFails },
    );
    expect(rules.map(({ sentence, duplicate }) => [sentence, duplicate])).toEqual([
      ['rm with any arguments', true],
      ['ls with any arguments', true],
      ['jq with any arguments', false],
      ['jq with any arguments', true],
    ]);
  });

  it('is added without its duplicates, under fresh ids, with no mode changed', () => {
    const { rules } = previewOf(imported('{"permissions":{"allow":["Bash(ls:*)","Bash(jq:*)"]}}'), {
      document,
      check: nothingFails,
    });
    const edited = editPolicy(
      document,
      changesOf(rules, () => 'fresh'),
      { check: nothingFails },
    );
    expect(edited).toEqual({
      ok: true,
      document: {
        version: 1,
        agents: {
          ...document.agents,
          claude: {
            security: 'deny',
            allowlist: [
              { id: 'b', effect: 'deny', pattern: 'rm' },
              { id: 'fresh', effect: 'allow', pattern: 'jq', source: 'import' },
            ],
          },
        },
      },
    });
  });

  const codex = (decision: string): string =>
    `prefix_rule(pattern=["git"], decision="${decision}", match=["git a", "git b"], not_match=["git c"])`;
  const failing =
    (...commands: readonly string[]) =>
    ({ examples }: Rule): readonly string[] =>
      [...(examples?.match ?? []), ...(examples?.noMatch ?? [])].filter((command) =>
        commands.includes(command),
      );

  it('leaves out an allow rule that matches what its source rules out', () => {
    const preview = previewOf(imported(codex('allow')), {
      document: null,
      check: failing('git c'),
    });
    expect(preview.rules).toEqual([]);
    expect(preview.skipped).toMatchObject([{ why: expect.stringContaining('"git c"') as string }]);
  });

  it('keeps a rule that holds back, less the examples that do not hold here', () => {
    const { rules } = previewOf(imported(codex('forbidden')), {
      document: null,
      check: failing('git a', 'git c'),
    });
    expect(rules[0]?.rule.examples).toEqual({ match: ['git b'], noMatch: [] });
    expect(rules[0]?.note).toContain('"git a", "git c"');
  });
});

describe('the format of a rule file', () => {
  it.each([
    ['{"permissions":{}}', 'claude'],
    ['{"version":1,"agents":{}}', 'openclaw'],
    ['# rules\nprefix_rule(pattern=["ls"])', 'codex'],
    ['prefix_ruler()', null],
    ['[]', null],
    ['', null],
    ['hello', null],
  ])('of %s is %s', (text, format) => {
    expect(formatOf(text)).toBe(format);
    if (format === null) expect(readRules(text).ok).toBe(false);
  });
});

describe('an approvals file of OpenClaw', () => {
  it('gives its rules agent by agent, and says what stays behind', () => {
    const text = JSON.stringify({
      version: 1,
      socket: { path: '~/.openclaw/exec-approvals.sock', token: 'never-shown' },
      defaults: { security: 'full', ask: 'off' },
      agents: {
        main: {
          autoAllowSkills: true,
          allowlist: [
            '/usr/bin/rg',
            { id: '1', pattern: '/usr/bin/git', lastUsedAt: 1, argPattern: '^status' },
            { id: '2', pattern: '=command:0123456789abcdef' },
            { id: '3', pattern: '/usr/bin/npm', argPattern: 'sha256:argv:00' },
            { id: '4', pattern: '/usr/bin/x', argPattern: '(' },
          ],
          mcpTools: [{ server: 's', tool: 't', source: 'allow-always', addedAt: 1 }],
        },
        default: { allowlist: [{ pattern: '/bin/ls' }] },
      },
    });
    const { rules, skipped } = imported(text);
    expect(rules.map(({ agent, rule }) => [agent, rule.pattern])).toEqual([
      ['main', '/usr/bin/rg'],
      ['main', '/usr/bin/git'],
      ['main', '/bin/ls'],
    ]);
    expect(skipped.map(({ from }) => from)).toEqual([
      'defaults: security full, ask off',
      'main: autoAllowSkills true',
      'main: =command:0123456789abcdef',
      'main: /usr/bin/npm',
      'main: /usr/bin/x',
      'main: mcpTools',
    ]);
    expect(JSON.stringify([rules, skipped])).not.toContain('never-shown');
  });
});
