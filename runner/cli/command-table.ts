import type { Command } from 'commander';
import type { Io } from './io.ts';

/** What a command file offers: its declaration, whose action resolves with the exit status. */
export interface CommandModule {
  readonly declare: (io: Io, done: (exitCode: number) => void) => Command;
}

/**
 * Every command with what the help says of it, under the headings of the help and in its order: what one
 * needs first stands first.
 */
export const commandGroups = {
  'Setting up': {
    up: 'start the runner and the best approver available',
    init: 'create INTERLOCK_HOME with a first policy',
    install: 'put an agent behind the gate',
    uninstall: 'take an agent out from behind the gate',
    status: 'show what is running and what waits',
    doctor: 'find what is unsafe or broken, and how to fix it',
    'self-test': 'try on this machine what the gate is for',
  },
  'Running commands': {
    run: 'run one command through the gate',
    check: 'show what the policy would decide; runs nothing',
    undo: 'take back what a command changed',
  },
  Answering: {
    pending: 'list what waits for a person',
    approve: 'allow what waits, from a terminal',
    deny: 'refuse what waits, from a terminal',
    ui: 'start an approver alone, or bring the running one to the front',
    device: 'pair, list and revoke phones that can answer',
  },
  Stopping: {
    lockout: 'stop everything and refuse everything',
    unlock: 'end a lockout; asks for the passphrase',
    passphrase: 'set or change the passphrase that unlocks',
    pause: 'refuse new commands until "resume"',
    resume: 'end a pause',
  },
  Policy: {
    approvals: 'read and edit the rules',
    policy: 'explain which layer decides, and trust a project',
    agents: 'manage agents with keys of their own',
    trust: 'show who is trusted how far, and why',
    advisor: 'list and try programs that look at asks before you do',
    config: 'check config.json',
    schema: "print the JSON Schema of one of Interlock's files",
  },
  Record: {
    audit: 'read, search and verify the record',
    events: "show what happened to a session's commands",
  },
  'Sandboxes, network and secrets': {
    sandbox: 'show what kernel sandbox this machine offers',
    box: 'keep named sandboxes, each with an agent in a terminal',
    network: 'show and try which hosts the sandbox may reach',
    secret: 'keep secrets that tools use and agents never see',
    tool: 'manage tools that run with secrets on behalf of agents',
    wrap: 'start an agent with its own key from the store',
  },
  'Other machines': {
    node: 'pair other machines, or be one',
    fleet: 'manage many machines over a nats-server',
    rpc: 'serve agents that share only a folder with this machine',
  },
  'Services and agent hosts': {
    runner: 'start the runner alone, in the foreground',
    service: 'install the runner as a service',
    home: 'show, upgrade or roll back the version of INTERLOCK_HOME',
    session: 'change where and how the commands of one session run',
    sessions: "report that an agent's session has ended",
    hook: 'answer the hook of an agent host',
    mcp: 'serve the gate as an MCP server',
    acp: 'start an ACP agent with the gate in front',
    'app-server': "start Codex's app-server with the gate in front",
    openclaw: "answer OpenClaw's asks here",
    completion: 'print completion for a shell, or the manual page',
  },
} as const;

type Groups = typeof commandGroups;
export type CommandName = { [G in keyof Groups]: keyof Groups[G] }[keyof Groups];

/** What the help says of each command, by its name. */
export const commandSummaries: Readonly<Record<CommandName, string>> = Object.assign(
  {},
  ...Object.values(commandGroups),
);
