import type { Command } from 'commander';
import type { Io } from './io.ts';

/** What a command file offers: its declaration, whose action resolves with the exit status. */
export interface CommandModule {
  readonly declare: (io: Io, done: (exitCode: number) => void) => Command;
}

/**
 * Every command by name, in the order of the help. A command's file is read only when it is used,
 * so that `interlock run` starts fast.
 */
export const commandTable: Readonly<Record<string, () => Promise<CommandModule>>> = {
  up: async () => import('./commands/up.ts'),
  run: async () => import('./commands/run.ts'),
  check: async () => import('./commands/check.ts'),
  pending: async () => import('./commands/pending.ts'),
  approve: async () => import('./commands/approve.ts'),
  deny: async () => import('./commands/deny.ts'),
  approvals: async () => import('./commands/approvals.ts'),
  agents: async () => import('./commands/agents.ts'),
  sessions: async () => import('./commands/sessions.ts'),
  lockout: async () => import('./commands/lockout.ts'),
  unlock: async () => import('./commands/unlock.ts'),
  passphrase: async () => import('./commands/passphrase.ts'),
  pause: async () => import('./commands/pause.ts'),
  resume: async () => import('./commands/resume.ts'),
  audit: async () => import('./commands/audit.ts'),
  status: async () => import('./commands/status.ts'),
  install: async () => import('./commands/install.ts'),
  uninstall: async () => import('./commands/uninstall.ts'),
  doctor: async () => import('./commands/doctor.ts'),
  init: async () => import('./commands/init.ts'),
  runner: async () => import('./commands/runner.ts'),
  service: async () => import('./commands/service.ts'),
  ui: async () => import('./commands/ui.ts'),
  hook: async () => import('./commands/hook.ts'),
  mcp: async () => import('./commands/mcp.ts'),
  acp: async () => import('./commands/acp.ts'),
  'app-server': async () => import('./commands/app-server.ts'),
  openclaw: async () => import('./commands/openclaw.ts'),
};
