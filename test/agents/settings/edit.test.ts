import { describe, expect, test } from 'vitest';
import {
  findHooks,
  hookCommand,
  hookPlan,
  hookProgramPath,
} from '../../../shared/agents/hook-command.ts';
import { restored, withHooks, withoutHooks } from '../../../shared/agents/edit-settings.ts';
import { claudeFormat as claude } from '../../../shared/agents/claude/hook.ts';
import { codexFormat as codex } from '../../../shared/agents/codex/hook.ts';
import { cursorFormat as cursor } from '../../../shared/agents/cursor/hook.ts';
import { geminiFormat as gemini } from '../../../shared/agents/gemini/hook.ts';
import { UnfitText } from '../../../shared/agents/edit-settings.ts';
import type { HookPlan } from '../../../shared/agents/hook-entries.ts';

const line = hookCommand({
  node: '/usr/bin/node',
  program: `/opt/interlock/${hookProgramPath}`,
  host: 'claude',
  agent: 'claude',
  home: null,
  wait: 135,
});
const plan: HookPlan = { command: line, seconds: 150, tools: ['shell', 'edit', 'fetch', 'mcp'] };
const ours = {
  matcher: '*',
  hooks: [{ type: 'command', command: line, timeout: 150, onFailure: 'block' }],
};
const end = { hooks: [{ type: 'command', command: line, timeout: 3 }] };

const layouts: Readonly<Record<string, string>> = {
  'two spaces': '{\n  "model": "opus",\n  "permissions": { "allow": ["Bash(ls)"] }\n}\n',
  'four spaces and no line break at the end': '{\n    "model": "opus"\n}',
  tabs: '{\n\t"model": "opus",\n\t"hooks": {\n\t\t"Stop": []\n\t}\n}\n',
  'one line': '{"model":"opus"}',
  'carriage returns': '{\r\n  "model": "opus"\r\n}\r\n',
  nothing: '{}',
  'nothing, in lines': '{\n}\n',
  'hooks of others':
    '{\n  "hooks": {\n    "PreToolUse": [\n      { "matcher": "Bash", "hooks": [{ "type": "command", "command": "guard.sh" }] }\n    ]\n  },\n  "$schema": "https://x.example"\n}\n',
  'empty lists': '{ "hooks": { "PreToolUse": [ ], "SessionEnd": [] } }\n',
};

describe.each(Object.entries(layouts))('settings with %s', (_name, before) => {
  const after = withHooks(before, plan, claude);

  test('have the hooks, and all else as it was', () => {
    const { hooks, ...rest } = JSON.parse(after) as { hooks: Record<string, unknown[]> };
    const { hooks: oldHooks = {}, ...oldRest } = JSON.parse(before) as {
      hooks?: Record<string, unknown[]>;
    };
    expect(rest).toEqual(oldRest);
    expect(hooks).toEqual({
      ...oldHooks,
      PreToolUse: [...(oldHooks['PreToolUse'] ?? []), ours],
      SessionEnd: [...(oldHooks['SessionEnd'] ?? []), end],
    });
  });

  test.runIf(before.includes('\n'))('keep the lines that they had', () => {
    for (const part of before.split(/\r?\n/u).filter((one) => one.includes('opus')))
      expect(after).toContain(part.replace(/[}\s]+$/u, ''));
  });

  test('stay the same when the same is installed again', () => {
    expect(withHooks(after, plan, claude)).toBe(after);
  });

  test('come back byte for byte', () => {
    expect(restored(after, before, claude)).toBe(before);
  });

  test('keep what was changed since, without the hooks', () => {
    const changed = after.replace('{', '{ "since": true,');
    const left = restored(changed, before, claude) ?? '';
    expect(JSON.parse(left)).toMatchObject({ since: true });
    expect(left).not.toContain('interlock');
  });
});

test('a new file has the hooks and nothing else, and goes with them', () => {
  const made = withHooks(null, plan, claude);
  expect(JSON.parse(made)).toEqual({ hooks: { PreToolUse: [ours], SessionEnd: [end] } });
  expect(made.endsWith('}\n')).toBe(true);
  expect(restored(made, null, claude)).toBeNull();
});

test('another plan takes the place of the first, where that one stood', () => {
  const first = withHooks('{"hooks":{"PreToolUse":[]}}', plan, claude);
  const grown = first.replace('"PreToolUse": [', '"PreToolUse": [{"hooks":[]},');
  const followed = JSON.parse(grown) as { hooks: { PreToolUse: unknown[] } };
  followed.hooks.PreToolUse.push({ matcher: 'Read', hooks: [{ command: 'other' }] });
  const second = withHooks(JSON.stringify(followed), { ...plan, tools: ['shell', 'mcp'] }, claude);
  expect(JSON.parse(second)).toMatchObject({
    hooks: {
      PreToolUse: [
        { hooks: [] },
        { ...ours, matcher: '^(?:Bash|Monitor|PowerShell|mcp__.*)$' },
        { matcher: 'Read' },
      ],
    },
  });
});

test('a hook that somebody put into the group of another is found and taken out of it', () => {
  const mixed = JSON.stringify({
    hooks: {
      PreToolUse: [
        { matcher: 'Bash', hooks: [ours.hooks[0], { command: 'other' }, ours.hooks[0]] },
        { matcher: 'Edit', hooks: [ours.hooks[0], ours.hooks[0]] },
      ],
    },
  });
  expect(JSON.parse(withHooks(mixed, plan, claude))).toEqual({
    hooks: {
      PreToolUse: [{ matcher: 'Bash', hooks: [{ command: 'other' }] }, ours],
      SessionEnd: [end],
    },
  });
  expect(JSON.parse(withoutHooks(mixed, claude))).toEqual({
    hooks: { PreToolUse: [{ matcher: 'Bash', hooks: [{ command: 'other' }] }] },
  });
});

test('comments and trailing commas stay where the host reads them', () => {
  const before = '{\n  // mine\n  "ui": { "theme": "dark", }, /* why */\n}\n';
  const after = withHooks(before, plan, gemini);
  expect(after).toContain('  // mine\n');
  expect(after).toContain('/* why */');
  expect(restored(after, before, gemini)).toBe(before);
});

test.each([
  ['no JSON', '{ "a": '],
  ['nothing at all', ''],
  ['a comment, for a host that reads none', '{ // x\n}'],
  ['a list', '[]'],
  ['hooks that are a list', '{"hooks":[]}'],
  ['hooks of an event that are not a list', '{"hooks":{"PreToolUse":{}}}'],
  ['"hooks" twice', '{"hooks":{},"hooks":{}}'],
  ['an event twice', '{"hooks":{"PreToolUse":[],"PreToolUse":[]}}'],
  ['conflict marks', '<<<<<<< HEAD\n{}\n=======\n{}\n>>>>>>> x\n'],
])('a file with %s is refused', (_name, text) => {
  expect(() => withHooks(text, plan, claude)).toThrow(UnfitText);
});

test('Codex waits in seconds and takes no field that it does not know', () => {
  expect(JSON.parse(withHooks(null, plan, codex))).toEqual({
    hooks: {
      PreToolUse: [{ matcher: '*', hooks: [{ type: 'command', command: line, timeout: 150 }] }],
      SessionEnd: [end],
    },
  });
});

test('Gemini CLI waits in milliseconds, and has no matcher for all tools', () => {
  const named = { type: 'command', name: 'interlock', command: line };
  expect(JSON.parse(withHooks(null, plan, gemini))).toEqual({
    hooks: {
      BeforeTool: [{ hooks: [{ ...named, timeout: 150_000 }] }],
      SessionEnd: [{ hooks: [{ ...named, timeout: 3000 }] }],
    },
  });
  expect(withHooks(null, { ...plan, tools: ['edit'] }, gemini)).toContain(
    '"^(?:write_file|replace)$"',
  );
});

test('Cursor has a version, which is added where it is missing', () => {
  const hook = { command: line, timeout: 150, failClosed: true };
  const hooks = { beforeShellExecution: [hook], beforeMCPExecution: [hook] };
  expect(JSON.parse(withHooks(null, plan, cursor))).toEqual({ version: 1, hooks });
  expect(JSON.parse(withHooks('{}', plan, cursor))).toEqual({ version: 1, hooks });
  const both = withHooks('{"version":1}', plan, cursor);
  expect(JSON.parse(withHooks(both, { ...plan, tools: ['mcp'] }, cursor))).toEqual({
    version: 1,
    hooks: { beforeMCPExecution: [hook] },
  });
});

test('a hook for prompts stands beside those for tools, comes after them, and goes with them', () => {
  const command = {
    node: '/usr/bin/node',
    program: `/opt/interlock/${hookProgramPath}`,
    host: 'claude',
    agent: 'claude',
    home: null,
    wait: 135,
  } as const;
  const before = '{"hooks":{"UserPromptSubmit":[{"hooks":[{"command":"other"}]}]}}';
  const full = hookPlan(command, plan);
  const after = withHooks(before, full, claude);
  const { hooks } = JSON.parse(after) as { hooks: Record<string, unknown[]> };
  expect(hooks['UserPromptSubmit']).toEqual([
    { hooks: [{ command: 'other' }] },
    { hooks: [{ type: 'command', command: full.prompt, timeout: 150 }] },
  ]);
  expect(findHooks(JSON.parse(after)).map(({ event }) => event)).toEqual([
    'PreToolUse',
    'SessionEnd',
    'UserPromptSubmit',
  ]);
  expect(JSON.parse(withoutHooks(after, claude))).toEqual(JSON.parse(before));
  // Hosts that tell of no prompts get no such hook.
  expect(withHooks(null, full, gemini)).toBe(withHooks(null, plan, gemini));
});
