import { spawn } from 'node:child_process';
import { hookCommand } from '../../../shared/agents/hook-command.ts';
import type { AgentHost } from '../../../shared/agents/list.ts';
import type { Agent } from './agent.ts';
import { recordedInput } from './recorded.ts';
import type { Fields } from './recorded.ts';
import type { Stage } from './stage.ts';

interface Ended {
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: number | null;
}

/** How one host is told of a command, and what it makes of an answer. */
interface Contract {
  /** A recorded input, with our command and folder in it. */
  readonly input: (recorded: Fields, command: string, cwd: string) => Fields;
  /** The command that the host goes on to run, or null where it runs none. */
  readonly runs: (end: Ended, command: string) => string | null;
}

/**
 * A host that keeps to the letter of its contract, its weak sides included: what it was seen to
 * take for no answer lets the agent's own command run. So a hook that answers wrongly shows.
 */
export function byContract(host: AgentHost & keyof typeof contracts): Agent {
  return {
    host,
    start: async (stage) => Promise.resolve({ ended: obey(contracts[host], stage, host) }),
  };
}

async function obey(contract: Contract, stage: Stage, host: AgentHost): Promise<string> {
  const input = JSON.stringify(contract.input(recordedInput(host), stage.command, stage.work));
  const end = await shell(hookCommand(stage.hookFor(host)), stage, input);
  const command = contract.runs(end, stage.command);
  return command === null ? end.stderr : JSON.stringify(await shell(command, stage, ''));
}

export async function shell(
  line: string,
  { work }: Pick<Stage, 'work'>,
  input: string,
): Promise<Ended> {
  const child = spawn('/bin/sh', ['-c', line], { cwd: work });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  child.stdin.on('error', () => undefined);
  child.stdin.end(input);
  const exitCode = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return { stdout, stderr, exitCode };
}

const withCommand = (recorded: Fields, command: string, cwd: string): Fields => ({
  ...recorded,
  cwd,
  tool_input: { ...(recorded['tool_input'] as object), command },
});

const contracts = {
  // With `onFailure: "block"`, as the installer sets it, only exit 0 with unreadable words lets go.
  claude: {
    input: withCommand,
    runs: ({ stdout, exitCode }, command) => {
      if (exitCode !== 0) return null;
      const { permissionDecision, updatedInput } = fieldOf(json(stdout), 'hookSpecificOutput');
      if (permissionDecision === 'deny') return null;
      return commandIn(updatedInput) ?? command;
    },
  },
  codex: {
    input: withCommand,
    runs: ({ stdout, stderr, exitCode }, command) => {
      if (exitCode === 2 && stderr.trim() !== '') return null;
      const output = fieldOf(json(stdout), 'hookSpecificOutput');
      const { permissionDecision, permissionDecisionReason, updatedInput } = output;
      if (exitCode !== 0) return command;
      if (permissionDecision === 'deny' && permissionDecisionReason !== '') return null;
      return permissionDecision === 'allow' ? (commandIn(updatedInput) ?? command) : command;
    },
  },
  gemini: {
    input: withCommand,
    runs: ({ stdout, exitCode }, command) => {
      if (exitCode === 2) return null;
      const said = json(stdout);
      if (exitCode !== 0) return command;
      if (said['decision'] === 'deny' || said['decision'] === 'block') return null;
      return commandIn(fieldOf(said, 'hookSpecificOutput')['tool_input']) ?? command;
    },
  },
  // Words that it does not know, or that are not JSON, let go; a hook that fails does not.
  copilot: {
    input: (recorded, command, cwd) => ({
      ...recorded,
      cwd,
      toolArgs: { ...(recorded['toolArgs'] as object), command },
    }),
    runs: ({ stdout, exitCode }, command) => {
      if (exitCode !== 0) return null;
      const { permissionDecision, modifiedArgs } = json(stdout);
      if (permissionDecision === 'deny' || permissionDecision === 'ask') return null;
      return commandIn(modifiedArgs) ?? command;
    },
  },
  // The yes of a project's hook is taken to come after ours: only the status of ours counts.
  droid: {
    input: withCommand,
    runs: ({ stdout, exitCode }, command) => {
      if (exitCode === 2) return null;
      if (exitCode !== 0) return command;
      return commandIn(fieldOf(json(stdout), 'hookSpecificOutput')['updatedInput']) ?? command;
    },
  },
} as const satisfies Readonly<Record<string, Contract>>;

function json(text: string): Fields {
  try {
    const value = JSON.parse(text) as unknown;
    return typeof value === 'object' && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}

function fieldOf(fields: Fields, name: string): Fields {
  const value = fields[name];
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

function commandIn(input: unknown): string | undefined {
  const command = fieldOf({ input }, 'input')['command'];
  return typeof command === 'string' ? command : undefined;
}
