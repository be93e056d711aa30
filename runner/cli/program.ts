import { runCommandLine, wholeProgram } from './command-line.ts';
import type { CommandModule, CommandName } from './command-table.ts';
import { nodeOf } from './command-tree.ts';
import type { CommandNode } from './command-tree.ts';
import type { Io } from './io.ts';
import { processIo, untilClosed } from './process-io.ts';

/** How each command is loaded; its file is read only when it is used. */
export const commands: Readonly<Record<CommandName, () => Promise<CommandModule>>> = {
  up: async () => import('./commands/up.ts'),
  run: async () => import('./commands/run.ts'),
  check: async () => import('./commands/check.ts'),
  pending: async () => ({ declare: (await import('./commands/asks.ts')).pendingCommand }),
  approve: async () => ({ declare: (await import('./commands/asks.ts')).approveCommand }),
  deny: async () => ({ declare: (await import('./commands/asks.ts')).denyCommand }),
  approvals: async () => import('./commands/approvals.ts'),
  agents: async () => import('./commands/agents.ts'),
  secret: async () => import('./commands/secret.ts'),
  network: async () => import('./commands/network.ts'),
  tool: async () => import('./commands/tool.ts'),
  advisor: async () => import('./commands/advisor.ts'),
  wrap: async () => import('./commands/wrap.ts'),
  policy: async () => import('./commands/policy.ts'),
  session: async () => ({ declare: (await import('./commands/sessions.ts')).sessionCommand }),
  sessions: async () => ({ declare: (await import('./commands/sessions.ts')).sessionsCommand }),
  events: async () => import('./commands/events.ts'),
  device: async () => import('./commands/device.ts'),
  lockout: async () => import('./commands/lockout.ts'),
  unlock: async () => import('./commands/unlock.ts'),
  passphrase: async () => import('./commands/passphrase.ts'),
  pause: async () => import('./commands/pause.ts'),
  resume: async () => import('./commands/resume.ts'),
  undo: async () => import('./commands/undo.ts'),
  audit: async () => import('./commands/audit.ts'),
  status: async () => import('./commands/status.ts'),
  install: async () => import('./commands/install.ts'),
  uninstall: async () => import('./commands/uninstall.ts'),
  doctor: async () => import('./commands/doctor.ts'),
  'self-test': async () => import('./commands/self-test.ts'),
  init: async () => import('./commands/init.ts'),
  home: async () => import('./commands/home.ts'),
  runner: async () => import('./commands/runner.ts'),
  trust: async () => import('./commands/trust.ts'),
  config: async () => import('./commands/config.ts'),
  schema: async () => import('./commands/schema.ts'),
  sandbox: async () => import('./commands/sandbox.ts'),
  box: async () => import('./commands/box.ts'),
  service: async () => import('./commands/service.ts'),
  rpc: async () => import('./commands/rpc.ts'),
  ui: async () => import('./commands/ui.ts'),
  hook: async () => import('./commands/hook.ts'),
  mcp: async () => import('./commands/mcp.ts'),
  acp: async () => import('./commands/acp.ts'),
  'app-server': async () => import('./commands/app-server.ts'),
  node: async () => import('./commands/node.ts'),
  fleet: async () => import('./commands/fleet.ts'),
  openclaw: async () => import('./commands/openclaw.ts'),
  completion: async () => import('./completion.ts'),
};

/**
 * Runs the command line `args` (without node and script). Resolves with the exit status; it never
 * rejects, and it never ends the process itself.
 */
export async function runCli(args: readonly string[], io: Io): Promise<number> {
  return runCommandLine(args, io, async (name) => commands[name as CommandName]());
}

/** The same for the process that this is; `packageRoot` is the folder of its package. */
export async function runProcess(args: readonly string[], packageRoot: string): Promise<void> {
  // The runner's own log goes there too.
  untilClosed(process.stdout);
  untilClosed(process.stderr);
  process.exitCode = await runCli(args, processIo(packageRoot));
}

/** Every command with all that it takes. */
export async function commandTree(io: Io): Promise<CommandNode> {
  return nodeOf(await wholeProgram(io, async (name) => commands[name as CommandName]()));
}
