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

const steering =
  `.claude/settings.local.json .claude/settings.json .claude/commands/x.md .gemini/settings.json
  .opencode/plugins/x.js .codex/hooks.json .codex/config.toml .cursor/hooks.json opencode.json .mcp.json
  .git/hooks/pre-commit .git/config .envrc .vscode/tasks.json .github/workflows/ci.yml .npmrc .env
  sub/.claude/settings.json .CLAUDE/settings.json .claude/../.claude/settings.json .husky/pre-commit
  .devcontainer/devcontainer.json lefthook.yml .github/hooks/x.json .factory/hooks.json crush.json`.split(
    /\s+/,
  );

test.each(
  steering.flatMap((target) =>
    ['Write', 'Edit', 'apply_patch', 'write_file', 'NotebookEdit'].map(
      (tool) => [tool, target] as const,
    ),
  ),
)(
  '%s of %s is asked about under any wildcard, under full, and is denied unasked',
  (tool, target) => {
    const call = { kind: 'edit', tool, target } as const;
    const rules = [
      { kind: 'edit', pattern: `${cwd}/**` } as const,
      { kind: 'edit', pattern: '**' } as const,
    ];
    const input = inputOf(call, ...rules);
    expect(decide(input)).toMatchObject({ decision: 'ask', reason: 'guarded-place' });
    // What is secret in a project is no way to run anything.
    expect(decide(input).risk.level).toBe(target === '.env' ? 'low' : 'high');
    expect(propose(input, decide(input))).toEqual([]);
    const full = { ...input, policy: { ...input.policy, security: 'full' as const } };
    expect(decide(full)).toMatchObject({ decision: 'ask', reason: 'guarded-place' });
    const silent = { ...full, policy: { ...full.policy, ask: 'off' as const } };
    expect(decide(silent).decision).toBe('deny');
    const more = { kind: 'edit', tool, target: 'src/a.ts', moreTargets: [target] } as const;
    expect(decide(inputOf(more, ...rules)).decision).toBe('ask');
  },
);

test('a rule that writes the file out lets a tool change it, unless it was made in passing', () => {
  const call = { kind: 'edit', tool: 'Edit', target: '.github/workflows/ci.yml' } as const;
  const named = { kind: 'edit', pattern: `${cwd}/.github/workflows/**` } as const;
  expect(decide(inputOf(call, named)).decision).toBe('allow');
  expect(decide(inputOf(call, { ...named, source: 'allow-always' })).decision).toBe('ask');
  const hooks = { kind: 'edit', tool: 'Edit', target: '.claude/settings.json' } as const;
  const folder = { kind: 'edit', pattern: `${cwd}/.claude/**` } as const;
  const file = { kind: 'edit', pattern: `${cwd}/.claude/settings.json` } as const;
  expect(decide(inputOf(hooks, folder)).decision).toBe('ask');
  expect(decide(inputOf(hooks, file)).decision).toBe('allow');
});

test('a recipe is the project’s own: its rule covers it', () => {
  const call = { kind: 'edit', tool: 'Edit', target: 'package.json' } as const;
  expect(decide(inputOf(call, { kind: 'edit', pattern: `${cwd}/**` })).decision).toBe('allow');
});
