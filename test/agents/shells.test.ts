import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { hookCommand } from '../../shared/agents/hook-command.ts';
import { startRunnerProcess } from '../runner/service/support.ts';
import { recordedInput } from './support/recorded.ts';
import { setStage } from './support/stage.ts';
import type { Stage } from './support/stage.ts';

vi.setConfig({ testTimeout: 240_000 });

type Asking = 'claude' | 'codex' | 'gemini';

/** The command that the real hook program puts in the place of the agent's. */
function rewritten(stage: Stage, host: Asking, command: string): string {
  const line = hookCommand({ ...stage.hookFor(host), node: process.execPath });
  const recorded = recordedInput(host);
  const { stdout } = spawnSync('/bin/sh', ['-c', line], {
    cwd: stage.work,
    encoding: 'utf8',
    input: JSON.stringify({ ...recorded, cwd: stage.work, tool_input: { command } }),
  });
  return /"command":("(?:[^"\\]|\\.)*")/u.exec(stdout)?.[1] ?? '';
}

/** What the shell of a host gets out of it: status, both streams, and where it stands at the end. */
function inShell(stage: Stage, host: Asking, command: string): string {
  const text = JSON.parse(rewritten(stage, host, command)) as string;
  const line = `eval "$1" < /dev/null && { printf 'at '; pwd -P; }`;
  const { status, stdout, stderr } = spawnSync('/bin/bash', ['-c', line, 'bash', text], {
    cwd: stage.work,
    encoding: 'utf8',
  });
  return `${String(status)} ${stdout}${stderr}`.replaceAll(stage.work, 'WORK').trim();
}

test('the shell of Claude Code ends where the command ended, and with its status; others stay', async () => {
  const stage = await setStage({ policy: { security: 'full', ask: 'off' } });
  mkdirSync(join(stage.work, "it's a sub"));
  await startRunnerProcess(stage.paths);
  expect(inShell(stage, 'claude', `cd "it's a sub" && echo in`)).toBe("0 in\nat WORK/it's a sub");
  expect(inShell(stage, 'claude', `cd "it's a sub"; exit 7`)).toBe('7');
  expect(inShell(stage, 'claude', 'echo $(pwd) >&2')).toBe('0 at WORK\nWORK');
  expect(inShell(stage, 'codex', `cd "it's a sub"`)).toBe('0 at WORK');
});

test('a host that shows one text gets both streams in order', async () => {
  const stage = await setStage({ policy: { security: 'full', ask: 'off' } });
  await startRunnerProcess(stage.paths);
  const text = 'for i in 1 2; do echo out; echo err >&2; done';
  for (const host of ['codex', 'gemini'] as const)
    expect(inShell(stage, host, text)).toBe('0 out\nerr\nout\nerr\nat WORK');
});

test('a hook that only decides has the host run the command as it came, and the record says so', async () => {
  const stage = await setStage({ policy: { allowlist: [{ id: 'r1', pattern: 'mktemp' }] } });
  await startRunnerProcess(stage.paths);
  const said = (host: Asking, command: string): string => {
    const line = hookCommand({ ...stage.hookFor(host), node: process.execPath, decideOnly: true });
    const input = { ...recordedInput(host), cwd: stage.work, tool_input: { command } };
    return spawnSync('/bin/sh', ['-c', line], {
      encoding: 'utf8',
      input: JSON.stringify(input),
    }).stdout;
  };
  expect(said('codex', stage.command)).toBe('');
  expect(JSON.parse(said('claude', stage.command))).toEqual({
    hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: 'allow' },
  });
  expect(JSON.parse(said('gemini', stage.command))).toEqual({ decision: 'allow' });
  for (const host of ['codex', 'claude', 'gemini'] as const)
    expect(said(host, 'curl example.org')).toContain('deny');
  const handed = ['allow rule-allow by policy', 'handed-over null'];
  expect(stage.recorded().slice(0, 6)).toEqual([...handed, ...handed, ...handed]);
  expect(stage.timesRun()).toBe(0);
});
