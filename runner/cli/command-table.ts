import type { Command } from 'commander';
import type { Io } from './io.ts';

/** What a command file offers: its declaration, whose action resolves with the exit status. */
export interface CommandModule {
  readonly declare: (io: Io, done: (exitCode: number) => void) => Command;
}

/** What the list of commands says of one, and how to load it. */
export interface CommandEntry {
  readonly summary: string;
  readonly load: () => Promise<CommandModule>;
}

/**
 * Every command by name, in the order of the help. A command's file is read only when it is used,
 * so that `interlock run` starts fast, and so does the help that lists them all.
 */
export const commandTable: Readonly<Record<string, CommandEntry>> = {
  up: {
    summary: 'start the runner and the best approver there is',
    load: async () => import('./commands/up.ts'),
  },
  run: {
    summary: 'run one command through the gate',
    load: async () => import('./commands/run.ts'),
  },
  check: {
    summary: 'what the policy would say; runs nothing',
    load: async () => import('./commands/check.ts'),
  },
  pending: {
    summary: 'what waits for a person',
    load: async () => import('./commands/pending.ts'),
  },
  approve: {
    summary: 'allow what waits, from a terminal',
    load: async () => import('./commands/approve.ts'),
  },
  deny: {
    summary: 'refuse what waits, from a terminal',
    load: async () => import('./commands/deny.ts'),
  },
  approvals: {
    summary: 'read and edit the policy',
    load: async () => import('./commands/approvals.ts'),
  },
  agents: {
    summary: 'agents with keys of their own',
    load: async () => import('./commands/agents.ts'),
  },
  sessions: {
    summary: 'say that a session of an agent is over',
    load: async () => import('./commands/sessions.ts'),
  },
  lockout: {
    summary: 'stop everything, refuse everything',
    load: async () => import('./commands/lockout.ts'),
  },
  unlock: {
    summary: 'end a lockout; asks for the passphrase',
    load: async () => import('./commands/unlock.ts'),
  },
  passphrase: {
    summary: 'set or change the passphrase that unlocks',
    load: async () => import('./commands/passphrase.ts'),
  },
  pause: {
    summary: 'refuse new commands until "resume"',
    load: async () => import('./commands/pause.ts'),
  },
  resume: {
    summary: 'end a pause',
    load: async () => import('./commands/resume.ts'),
  },
  audit: {
    summary: 'read and check the record',
    load: async () => import('./commands/audit.ts'),
  },
  status: {
    summary: 'what is running and waiting',
    load: async () => import('./commands/status.ts'),
  },
  install: {
    summary: 'put an agent behind the gate',
    load: async () => import('./commands/install.ts'),
  },
  uninstall: {
    summary: 'take an agent out from behind the gate',
    load: async () => import('./commands/uninstall.ts'),
  },
  doctor: {
    summary: 'what is unsafe or broken, and how to mend it',
    load: async () => import('./commands/doctor.ts'),
  },
  init: {
    summary: 'make INTERLOCK_HOME with a first policy',
    load: async () => import('./commands/init.ts'),
  },
  runner: {
    summary: 'the runner alone, in the foreground',
    load: async () => import('./commands/runner.ts'),
  },
  service: {
    summary: 'the runner as a service: install, uninstall, status',
    load: async () => import('./commands/service.ts'),
  },
  ui: {
    summary: 'an approver alone; brings a running one to the front',
    load: async () => import('./commands/ui.ts'),
  },
  hook: {
    summary: 'answer the hook of an agent host',
    load: async () => import('./commands/hook.ts'),
  },
  mcp: {
    summary: 'the gate as an MCP server',
    load: async () => import('./commands/mcp.ts'),
  },
  acp: {
    summary: 'an ACP agent with the gate in front',
    load: async () => import('./commands/acp.ts'),
  },
  'app-server': {
    summary: "Codex's app-server with the gate in front",
    load: async () => import('./commands/app-server.ts'),
  },
  openclaw: {
    summary: "answer OpenClaw's asks here",
    load: async () => import('./commands/openclaw.ts'),
  },
};
