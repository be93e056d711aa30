import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { RunnerProcess } from './runner-process.ts';
import { timed } from './spawn.ts';

/** Median wall-clock times in milliseconds, of whole processes. */
export interface HookFigures {
  readonly trueMs: number;
  readonly nodeMs: number;
  /** The hook of an agent without a key, and of one that signs. */
  readonly plainMs: number;
  readonly signedMs: number;
  /** The native client in front of the same lines; null where none was built. */
  readonly clientMs: number | null;
  readonly clientSignedMs: number | null;
  /** The native client in front of the hook that sees what is typed, for words that are not for the gate. */
  readonly clientPromptMs: number | null;
}

const input = JSON.stringify({
  session_id: 'bench',
  cwd: '/tmp',
  hook_event_name: 'PreToolUse',
  tool_name: 'Bash',
  tool_input: { command: 'true', description: 'Nothing' },
  tool_use_id: 'toolu_1',
});

const prompt = JSON.stringify({
  session_id: 'bench',
  cwd: '/tmp',
  hook_event_name: 'UserPromptSubmit',
  prompt: 'What does this project do?',
});

/** What a host waits for on each use of a tool that the policy allows, taken in turns. */
export function measureHook(dist: string, { env }: RunnerProcess, rounds = 25): HookFigures {
  const folder = join(dist, 'runner');
  const cli = join(folder, 'cli', 'main.js');
  const { status, stderr } = spawnSync(process.execPath, [cli, 'agents', 'add', 'signer'], {
    env,
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`interlock agents add failed: ${stderr}`);
  const hook = (program: string, agent: string) => [
    join(folder, 'hook', program),
    'claude',
    '--agent',
    agent,
    '--wait',
    '30',
  ];
  const node = process.execPath;
  const client = join(dist, 'native', 'interlock-client');
  const native = existsSync(client);
  const expected = { input, stdout: '"permissionDecision":"allow"' };
  const typed = { input: prompt, stdout: '' };
  const rows = Array.from({ length: rounds }, () => ({
    trueMs: timed('true', [], env),
    nodeMs: timed(node, ['-e', '0'], env),
    plainMs: timed(node, hook('main.cjs', 'claude'), env, expected),
    signedMs: timed(node, hook('main.cjs', 'signer'), env, expected),
    clientMs: native ? timed(client, [node, ...hook('main.cjs', 'claude')], env, expected) : 0,
    clientSignedMs: native
      ? timed(client, [node, ...hook('main.cjs', 'signer')], env, expected)
      : 0,
    clientPromptMs: native
      ? timed(client, [node, ...hook('main.cjs', 'signer'), '--prompt'], env, typed)
      : 0,
  }));
  const middle = (field: keyof (typeof rows)[0]): number =>
    rows.map((row) => row[field]).toSorted((a, b) => a - b)[Math.floor(rounds / 2)] ?? NaN;
  return {
    trueMs: middle('trueMs'),
    nodeMs: middle('nodeMs'),
    plainMs: middle('plainMs'),
    signedMs: middle('signedMs'),
    clientMs: native ? middle('clientMs') : null,
    clientSignedMs: native ? middle('clientSignedMs') : null,
    clientPromptMs: native ? middle('clientPromptMs') : null,
  };
}
