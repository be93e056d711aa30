import { spawn } from 'node:child_process';
import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { readFileSync, readdirSync, rmSync, mkdtempSync, realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import type { AuditRow } from '../../../runner/audit/rows.ts';
import type { ExecEvent } from '../../../shared/wire/api.ts';
import type { ExecRequest } from '../../../shared/wire/requests.ts';
import type { Decision } from '../../../shared/engine/ask.ts';
import { initHome } from '../../../shared/home/init.ts';
import { homePaths } from '../../../shared/home/paths.ts';
import type { HomePaths } from '../../../shared/home/paths.ts';
import { readPolicyFile } from '../../../shared/home/policy-file.ts';
import { writePolicyFile } from '../../../shared/home/policy-file.ts';
import type { AgentPolicy, PolicyDocument } from '../../../shared/engine/policy/types.ts';
import { streamEvents } from '../../../shared/ipc/runner-client.ts';
import { decisionOn, listenAsApprover } from '../../support/scripted-approver.ts';
import type { AskedMessage } from '../../support/scripted-approver.ts';

export const root = fileURLToPath(new URL('../../../', import.meta.url));
const uid = process.getuid?.() ?? -1;

/** A home of the test's own, as `interlock init` makes it, with the wildcard's modes changed. */
export async function makeHome(wildcard: AgentPolicy = {}): Promise<HomePaths> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'il-')));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const paths = homePaths({ INTERLOCK_HOME: join(folder, 'home') });
  await initHome(paths, { uid, now: Date.now });
  const { document, hash } = readPolicy(paths);
  const agents = { '*': { ...document.agents?.['*'], ...wildcard } };
  await writePolicyFile(paths.policy, { ...document, agents }, { uid, baseHash: hash });
  return paths;
}

export function readPolicy(paths: HomePaths): {
  readonly document: PolicyDocument;
  readonly hash: string;
} {
  const file = readPolicyFile(paths.policy, { uid });
  if (!file.ok) throw new Error(file.problem.message);
  return file;
}

export function auditRows(paths: HomePaths): readonly AuditRow[] {
  return readdirSync(paths.auditDirectory)
    .filter((name) => name.endsWith('.jsonl'))
    .flatMap((name) => readFileSync(join(paths.auditDirectory, name), 'utf8').trimEnd().split('\n'))
    .map((line) => JSON.parse(line) as AuditRow & { readonly row?: AuditRow })
    .map((line) => line.row ?? line);
}

export interface Process {
  readonly child: ChildProcessWithoutNullStreams;
  readonly ended: Promise<{ readonly code: number | null; readonly signal: string | null }>;
  readonly stderr: () => string;
  /** Settles once stderr holds the text. */
  readonly says: (text: string) => Promise<void>;
  kill(signal: NodeJS.Signals): Promise<void>;
}

function launch(
  script: string,
  paths: HomePaths,
  env: Readonly<Record<string, string>> = {},
  through: readonly string[] = [],
): Process {
  const [file, ...words] = [...through, process.execPath, join(root, script)];
  const child = spawn(file, words, {
    env: { PATH: process.env['PATH'] ?? '', INTERLOCK_HOME: paths.home, ...env },
  });
  let stderr = '';
  const listeners: (() => void)[] = [];
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
    for (const listener of listeners.splice(0)) listener();
  });
  const ended = new Promise<{ code: number | null; signal: string | null }>((resolve) =>
    child.once('close', (code, signal) => {
      resolve({ code, signal });
      for (const listener of listeners.splice(0)) listener();
    }),
  );
  const kill = async (signal: NodeJS.Signals): Promise<void> => {
    if (child.exitCode === null && child.signalCode === null) child.kill(signal);
    await ended;
  };
  onTestFinished(async () => kill('SIGTERM'));
  return {
    child,
    ended,
    stderr: () => stderr,
    kill,
    says: async (text) => {
      while (!stderr.includes(text)) {
        if (child.exitCode !== null) throw new Error(`ended without "${text}": ${stderr}`);
        await new Promise<void>((resolve) => void listeners.push(resolve));
      }
    },
  };
}

/** A runner in a process of its own, listening; started by the words of `through`, where there are any. */
export async function startRunnerProcess(
  paths: HomePaths,
  script = 'dist/runner/main.js',
  env: Readonly<Record<string, string>> = {},
  through: readonly string[] = [],
): Promise<Process> {
  const runner = launch(script, paths, env, through);
  await runner.says('Listening on');
  return runner;
}

/** Starts a second one, of which the test expects that it does not come up. */
export function launchRunner(paths: HomePaths): Process {
  return launch('dist/runner/main.js', paths);
}

export interface ScriptedApprover {
  /** The next message of a type; messages of other types are passed over. */
  next(type: string): Promise<AskedMessage>;
  decide(asked: AskedMessage, decision: Partial<Decision>): void;
}

/** The fixture that is the real UI host, where the other one is scripted and may lie. */
export const realApprover = 'dist/test/fixtures/runner/ui-host.js';

/** An approver in this process, listening. `leave` ends its sessions as the end of its process would. */
export async function startApprover(
  paths: HomePaths,
): Promise<ScriptedApprover & { readonly leave: () => Promise<void> }> {
  const messages: AskedMessage[] = [];
  const listeners: (() => void)[] = [];
  const wake = (): void => {
    for (const listener of listeners.splice(0)) listener();
  };
  let hasLeft = false;
  const approver = await listenAsApprover(paths.home, (message) => {
    messages.push(message as AskedMessage);
    wake();
  });
  const leave = async (): Promise<void> => {
    hasLeft = true;
    wake();
    await approver.close();
  };
  onTestFinished(leave);
  return {
    leave,
    next: async (type) => {
      for (;;) {
        for (let one = messages.shift(); one !== undefined; one = messages.shift())
          if (one.type === type) return one;
        if (hasLeft) throw new Error('the approver has left');
        await new Promise<void>((resolve) => void listeners.push(resolve));
      }
    },
    decide: (asked, decision) => approver.send(decisionOn(asked, decision)),
  };
}

/** An approver in a process of its own, listening. */
export async function startApproverProcess(
  paths: HomePaths,
  script = 'dist/test/fixtures/runner/approver.js',
): Promise<Process & ScriptedApprover> {
  const launched = launch(script, paths);
  const lines = createInterface({ input: launched.child.stdout })[Symbol.asyncIterator]();
  const next = async (type: string): Promise<AskedMessage> => {
    for (;;) {
      const line = await lines.next();
      if (line.done === true) throw new Error(`the approver ended: ${launched.stderr()}`);
      const message = JSON.parse(line.value) as AskedMessage;
      if (message.type === type) return message;
    }
  };
  await next('ready');
  return {
    ...launched,
    next,
    decide: (asked, decision) => {
      launched.child.stdin.write(`${decisionOn(asked, decision)}
`);
    },
  };
}

export interface ExecRun {
  readonly events: ExecEvent[];
  readonly done: Promise<readonly ExecEvent[]>;
  readonly hangUp: () => void;
}

/** Sends a command and gathers its events. */
export function exec(paths: HomePaths, request: Partial<ExecRequest>): ExecRun {
  const controller = new AbortController();
  const events: ExecEvent[] = [];
  const gather = async (): Promise<readonly ExecEvent[]> => {
    const stream = streamEvents({
      path: '/v1/exec',
      socketPath: paths.runnerSocket,
      request: { cwd: tmpdir(), ...request },
      signal: controller.signal,
    });
    for await (const event of stream) events.push(event);
    return events;
  };
  return { events, done: gather(), hangUp: () => controller.abort() };
}

/** How a command ended, in a word: its status, or the code of the refusal. */
export function endOf(events: readonly ExecEvent[]): string {
  const last = events.at(-1);
  if (last?.type === 'finished') return `exit ${last.exitCode ?? last.signal}`;
  return last?.type === 'refused' ? last.refusal.code : `no end: ${String(last?.type)}`;
}

export function stdoutOf(events: readonly ExecEvent[]): string {
  return events.map((event) => (event.type === 'stdout' ? event.data : '')).join('');
}
