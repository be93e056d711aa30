import type { Command } from 'commander';
import type { Io } from './io.ts';

/** What a command file offers: its declaration, whose action resolves with the exit status. */
export interface CommandModule {
  readonly declare: (io: Io, done: (exitCode: number) => void) => Command;
}

/** Every command by name, in the order of the help, with what the help says of it. */
export const commandSummaries = {
  up: 'start the runner and the best approver there is',
  run: 'run one command through the gate',
  check: 'what the policy would say; runs nothing',
  pending: 'what waits for a person',
  approve: 'allow what waits, from a terminal',
  deny: 'refuse what waits, from a terminal',
  approvals: 'read and edit the policy',
  policy: 'who decides how a command is decided',
  agents: 'agents with keys of their own',
  secret: 'secrets that tools use and agents never see',
  network: 'which hosts the sandbox reaches',
  tool: 'tools that run with secrets for agents',
  advisor: 'programs that look at asks before you do',
  wrap: 'an agent with its own key from the store',
  session: 'what one session has other than its agent',
  sessions: 'say that a session of an agent is over',
  events: 'what happened to the commands of a session',
  device: 'phones that answer: pair, list, revoke',
  lockout: 'stop everything, refuse everything',
  unlock: 'end a lockout; asks for the passphrase',
  passphrase: 'set or change the passphrase that unlocks',
  pause: 'refuse new commands until "resume"',
  resume: 'end a pause',
  undo: 'take back what a command changed',
  audit: 'read and check the record',
  status: 'what is running and waiting',
  install: 'put an agent behind the gate',
  uninstall: 'take an agent out from behind the gate',
  doctor: 'what is unsafe or broken, and how to mend it',
  'self-test': 'try on this machine what the gate is for',
  init: 'make INTERLOCK_HOME with a first policy',
  home: 'the version of INTERLOCK_HOME: upgrade, rollback',
  runner: 'the runner alone, in the foreground',
  trust: 'who counts as what, and why',
  config: 'check config.json',
  schema: 'the JSON Schema of one of our files, for an editor',
  sandbox: 'what of a kernel sandbox this machine can do',
  box: 'named sandboxes that stay, each with an agent in a terminal',
  service: 'the runner as a service: install, uninstall, status',
  rpc: 'agents that share only a folder with this machine',
  node: 'other machines: pair them, be one, look at them',
  fleet: 'many other machines, over a nats-server',
  ui: 'an approver alone; brings a running one to the front',
  hook: 'answer the hook of an agent host',
  mcp: 'the gate as an MCP server',
  acp: 'an ACP agent with the gate in front',
  'app-server': "Codex's app-server with the gate in front",
  openclaw: "answer OpenClaw's asks here",
  completion: 'completion for a shell, or the manual page',
} as const;

export type CommandName = keyof typeof commandSummaries;
