import { expect, test } from 'vitest';
import type { FileView } from '../../../shared/engine/plan/types.ts';
import type { Rule } from '../../../shared/engine/policy/types.ts';
import { propose, withRules } from '../../../shared/engine/proposals/propose.ts';
import { analyseTool } from '../../../shared/engine/tools/analyse.ts';
import type { ToolCall } from '../../../shared/engine/tools/types.ts';
import { decide } from '../../../shared/engine/decide/decide.ts';
import type { DecideInput } from '../../../shared/engine/decide/types.ts';

const files: FileView = {
  realPath: (path) => path,
  facts: () => null,
  head: () => null,
  isLink: () => false,
  readLink: () => null,
};
const cwd = '/home/ada/src';

function inputOf(
  call: Omit<ToolCall, 'detail'>,
  ...rules: readonly Omit<Rule, 'id'>[]
): DecideInput {
  return {
    policy: {
      agent: 'claude',
      security: 'allowlist',
      ask: 'on-miss',
      askFallback: 'deny',
      askTimeoutMs: 1000,
      rules: rules.map((rule, index) => ({ ...rule, id: `r${index}` })),
    },
    analysis: analyseTool(
      { ...call, detail: null },
      {
        files,
        cwd,
        home: '/home/ada',
        platform: 'linux',
      },
    ),
    request: { argv: [call.tool, call.target], cwd },
    kind: call.kind,
    host: 'gateway',
    now: 5,
    platform: 'linux',
    home: '/home/ada',
    hashFile: () => null,
  };
}

const edit = { kind: 'edit', tool: 'Edit', target: '/home/ada/src/a.ts' } as const;
const fetch = { kind: 'fetch', tool: 'WebFetch', target: 'https://docs.example/x/y?q=1' } as const;
const mcp = { kind: 'mcp', tool: 'create_issue', target: 'github/create_issue' } as const;

test.each([
  ['no rule: a person is asked', edit, [], 'ask'],
  ['a folder', edit, [{ kind: 'edit', pattern: '~/src/**' }], 'allow'],
  ['another folder', edit, [{ kind: 'edit', pattern: '~/other/**' }], 'ask'],
  ['a rule for commands says nothing of edits', edit, [{ pattern: '**' }], 'ask'],
  ['another kind', edit, [{ kind: 'fetch', pattern: '**' }], 'ask'],
  ['every file', edit, [{ kind: 'edit', pattern: '**' }], 'allow'],
  ['the tool is named', edit, [{ kind: 'edit', pattern: '**', tool: 'Edit' }], 'allow'],
  ['another tool is named', edit, [{ kind: 'edit', pattern: '**', tool: 'Write' }], 'ask'],
  [
    'a tool pattern that cannot be understood',
    edit,
    [{ kind: 'edit', pattern: '**', tool: '[' }],
    'ask',
  ],
  ['a site', fetch, [{ kind: 'fetch', pattern: 'https://docs.example/**' }], 'allow'],
  ['a site of another name', fetch, [{ kind: 'fetch', pattern: 'https://docs.exampl/**' }], 'ask'],
  ['one star is one folder', fetch, [{ kind: 'fetch', pattern: 'https://docs.example/*' }], 'ask'],
  ['a server', mcp, [{ kind: 'mcp', pattern: 'github/**' }], 'allow'],
  ['some tools of a server', mcp, [{ kind: 'mcp', pattern: 'github/{get,list}_*' }], 'ask'],
  [
    'a denial wins',
    mcp,
    [
      { kind: 'mcp', pattern: 'github/**' },
      { kind: 'mcp', pattern: 'github/create_*', effect: 'deny' },
    ],
    'deny',
  ],
  ['a denial of everything holds', edit, [{ kind: 'edit', pattern: '**', effect: 'deny' }], 'deny'],
] as const)('%s', (_name, call, rules, decision) => {
  expect(decide(inputOf(call, ...rules)).decision).toBe(decision);
});

test('a change to what runs later is a grave risk, whatever the tool is called', () => {
  const { risk } = decide(inputOf({ kind: 'edit', tool: 'cat', target: '/home/ada/.bashrc' }));
  expect(risk.level).toBe('high');
  expect(risk.findings.map(({ code }) => code)).toContain('persistence');
});

test.each([
  [
    'edit',
    edit,
    [
      'Allow Edit on exactly /home/ada/src/a.ts.',
      'Allow changes to any file in /home/ada/src, unless it looks dangerous.',
      'Allow changes to any file in /home/ada/src and below, unless it looks dangerous.',
    ],
  ],
  [
    'fetch',
    fetch,
    [
      'Allow WebFetch on exactly https://docs.example/x/y?q=1.',
      'Allow any address of https://docs.example, unless it looks dangerous.',
    ],
  ],
  [
    'mcp',
    mcp,
    [
      'Allow create_issue on exactly github/create_issue.',
      'Allow every tool of github, unless it looks dangerous.',
    ],
  ],
] as const)('proposals for %s go from narrow to wide, and stick', (_name, call, sentences) => {
  const input = inputOf(call);
  const proposals = propose(input, decide(input));
  expect(proposals.map(({ sentence }) => sentence)).toEqual(sentences);
  for (const { rules } of proposals) expect(decide(withRules(input, rules)).decision).toBe('allow');
});

test('"every file below the folder" does not cover what runs at the next Git command', () => {
  const input = inputOf(edit);
  const widest = propose(input, decide(input)).at(-1)?.rules ?? [];
  const hook = inputOf({ ...edit, target: '/home/ada/src/.git/hooks/pre-commit' });
  expect(decide(withRules(hook, widest)).decision).toBe('ask');
});
