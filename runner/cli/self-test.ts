import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { messageOf, refusalOf } from '../../shared/base/index.ts';
import type { PolicyDocument } from '../../shared/engine/index.ts';
import { programOnPath, systemClock } from '../../shared/home/index.ts';
import type { Home } from '../../shared/home/index.ts';
import { createNonceMemory, listen, runnerClient, serveApprovals } from '../../shared/ipc/index.ts';
import type { RunnerClient } from '../../shared/ipc/index.ts';
import { lockOut } from '../../shared/operations/index.ts';
import { readAuditSeal } from '../audit/key.ts';
import { verifyLog } from '../audit/verify.ts';
import type { SandboxProbe } from '../hosts/sandbox/probe.ts';

/** What one part of the test found. */
export interface Finding {
  readonly part: string;
  /** `absent`: this machine has none of it, so nothing can be said about it. */
  readonly state: 'holds' | 'fails' | 'absent';
  /** What was seen, or why it does not hold. */
  readonly detail: string;
}

interface SelfTestPlace {
  /** A home that was made for this test, with a runner at work on it. */
  readonly home: Home;
  /** An empty folder for commands to work in, and one that is none of theirs. */
  readonly workspace: string;
  readonly outside: string;
  readonly token: string;
  readonly path: string;
  readonly probe: () => Promise<SandboxProbe>;
  /** Ends every wait. */
  readonly signal: AbortSignal;
}

/** Agents of the throw-away policy. `free` and `boxed` may run all that no rule holds back. */
const agents = {
  free: 'self-test-free',
  boxed: 'self-test-boxed',
  asks: 'self-test-asks',
  denied: 'self-test-denied',
};

/** The policy of the test: nobody else may run anything. */
export function selfTestPolicy(document: PolicyDocument, touch: string): PolicyDocument {
  return {
    ...document,
    agents: {
      '*': { security: 'deny' },
      [agents.free]: { security: 'full', ask: 'off' },
      [agents.boxed]: { security: 'full', ask: 'off' },
      [agents.asks]: { security: 'allowlist', ask: 'on-miss', askFallback: 'deny' },
      [agents.denied]: {
        security: 'full',
        ask: 'off',
        allowlist: [{ id: 'self-test', effect: 'deny', pattern: touch }],
      },
    },
  };
}

/** The settings of the test: one agent's commands run in the sandbox. */
export const selfTestConfig = {
  version: 1,
  principals: { trustClaims: true },
  lockout: { onScreenLock: false },
  agents: { [agents.boxed]: { host: 'sandbox' } },
} as const;

/** How a command ended: by itself, or by a refusal. */
interface Ended {
  readonly exitCode: number | null;
  readonly code: string | null;
  readonly out: string;
  readonly says: string;
}

type Check = (place: Tools) => Promise<string>;

interface Tools extends SelfTestPlace {
  readonly runner: RunnerClient;
  readonly run: (agent: string, argv: readonly string[]) => Promise<Ended>;
  /** A path in the workspace that no file has yet. */
  readonly fresh: () => string;
}

/** Said of a part that this machine has none of. */
class Absent extends Error {}

/** Throws what does not hold. */
function must(holds: boolean, otherwise: string): void {
  if (!holds) throw new Error(otherwise);
}

const told = ({ code, says, exitCode }: Ended): string =>
  code === null ? `it ended with ${String(exitCode)}` : `${code}: ${says}`;

/** What is tried, in its order; the last ones leave nothing running behind them. */
const checks: readonly (readonly [string, Check])[] = [
  ['a command that is allowed runs', allowed],
  ['a command that a rule denies does not run', denied],
  ['an ask reaches a person, and Allow runs it', async (tools) => asked(tools, 'allow-once')],
  ['Deny does not run it', async (tools) => asked(tools, 'deny')],
  ['with nobody there to ask the answer is no', fallback],
  ['the sandbox lets no write out', sandboxedWrite],
  ['the sandbox lets no connection out', sandboxedConnection],
  ['a lockout stops what runs, and refuses what follows', lockedOut],
  ['the record verifies, and a change of it is found', recorded],
];

/**
 * Tries one part after the other on the runner of a throw-away home, and tells each finding. What
 * takes longer than the signal lets it fails.
 */
export async function selfTest(
  place: SelfTestPlace,
  tell: (finding: Finding) => void,
): Promise<readonly Finding[]> {
  const tools = toolsOf(place);
  const findings: Finding[] = [];
  for (const [part, check] of checks) {
    const finding = await findingOf(part, async () => within(place.signal, check(tools)));
    findings.push(finding);
    tell(finding);
    if (place.signal.aborted) break;
  }
  return findings;
}

async function findingOf(part: string, check: () => Promise<string>): Promise<Finding> {
  try {
    return { part, state: 'holds', detail: await check() };
  } catch (error) {
    const detail = refusalOf(error)?.message ?? messageOf(error);
    return { part, state: error instanceof Absent ? 'absent' : 'fails', detail };
  }
}

async function within<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  signal.throwIfAborted();
  let stop = (): void => undefined;
  const stopped = new Promise<never>((_resolve, reject) => {
    stop = (): void => reject(signal.reason as Error);
    signal.addEventListener('abort', stop, { once: true });
  });
  return Promise.race([work, stopped]).finally(() => signal.removeEventListener('abort', stop));
}

function toolsOf(place: SelfTestPlace): Tools {
  const { home, workspace, signal } = place;
  const runner = runnerClient({ socketPath: home.runnerSocket });
  let made = 0;
  return {
    ...place,
    runner,
    fresh: () => {
      made += 1;
      return join(workspace, `file-${String(made)}`);
    },
    run: async (agent, argv) => {
      let out = '';
      for await (const event of runner.exec({ agent, cwd: workspace, argv }, signal)) {
        if (event.type === 'stdout') out += event.data;
        if (event.type === 'finished')
          return { exitCode: event.exitCode, code: null, out, says: '' };
        if (event.type === 'refused')
          return {
            exitCode: null,
            code: event.refusal.code,
            out,
            says: event.refusal.message,
          };
      }
      throw new Error('The runner ended the answer without an end of the command.');
    },
  };
}

async function allowed({ run }: Tools): Promise<string> {
  const ended = await run(agents.free, ['echo', 'interlock', 'self-test']);
  must(ended.exitCode === 0 && ended.out === 'interlock self-test\n', told(ended));
  return 'echo ran, and its output came back';
}

async function denied({ run, fresh }: Tools): Promise<string> {
  const file = fresh();
  const ended = await run(agents.denied, ['touch', file]);
  must(ended.code === 'policy-deny', `It was not denied: ${told(ended)}.`);
  must(!existsSync(file), 'It was denied, and ran all the same.');
  return 'policy-deny, and there is no file';
}

/** Answers the first ask as a person would, by the approver's own protocol. */
async function asked(tools: Tools, word: 'allow-once' | 'deny'): Promise<string> {
  const { home, token, run, fresh, signal } = tools;
  const file = fresh();
  let seen = '';
  const nonces = createNonceMemory(systemClock);
  const listener = await listen(home.approvalsSocket, (duplex) =>
    serveApprovals(duplex, {
      v2: {
        token,
        uid: home.uid,
        clock: systemClock,
        nonces,
        onViolation: () => undefined,
        onSession: (session) =>
          session.onAsk((ask, digest) => {
            seen = ask.command;
            session.decide({ id: ask.id, askDigest: digest, decision: word });
          }),
      },
      v1: null,
    }),
  );
  try {
    const ended = await within(signal, run(agents.asks, ['touch', file]));
    must(seen.includes(file), `No ask came: ${told(ended)}.`);
    if (word === 'deny') {
      must(ended.code === 'confirm-rejected', `It was not refused: ${told(ended)}.`);
      must(!existsSync(file), 'It was refused, and ran all the same.');
      return 'confirm-rejected, and there is no file';
    }
    must(ended.exitCode === 0 && existsSync(file), `It did not run: ${told(ended)}.`);
    return 'the whole command was shown, and then it ran';
  } finally {
    await listener.dispose();
  }
}

async function fallback({ run, fresh }: Tools): Promise<string> {
  const file = fresh();
  const ended = await run(agents.asks, ['touch', file]);
  must(ended.code !== null, `It was not refused: ${told(ended)}.`);
  must(!existsSync(file), 'It was refused, and ran all the same.');
  return `${ended.code ?? ''}, and there is no file`;
}

async function rungOf({ probe }: Tools): Promise<string> {
  const { ok, rung, problem } = await probe();
  if (!ok || rung === null) throw new Absent(problem ?? 'No sandbox can be had here.');
  return rung;
}

async function sandboxedWrite(tools: Tools): Promise<string> {
  const { run, fresh, outside } = tools;
  const rung = await rungOf(tools);
  const inside = fresh();
  const first = await run(agents.boxed, ['touch', inside]);
  must(first.exitCode === 0 && existsSync(inside), `It runs nothing there: ${told(first)}.`);
  const beyond = join(outside, 'written');
  const second = await run(agents.boxed, ['touch', beyond]);
  must(!existsSync(beyond), 'A file outside of the workspace was written.');
  must(second.code === null, `It was not tried: ${told(second)}.`);
  return `${rung}: a file in the workspace was written, one outside was not`;
}

/** A connection to a port of this machine, from this machine and from the sandbox. */
async function sandboxedConnection(tools: Tools): Promise<string> {
  const { run, path } = tools;
  const rung = await rungOf(tools);
  const bash = programOnPath('bash', path);
  if (bash === null) throw new Absent('There is no bash to try a connection with.');
  let reached = 0;
  const server = createServer((socket) => {
    reached += 1;
    socket.on('error', () => undefined).destroy();
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(0, '127.0.0.1', resolve);
  });
  try {
    const { port } = server.address() as AddressInfo;
    const argv = [bash, '-c', `exec 3<>/dev/tcp/127.0.0.1/${String(port)}`];
    const plain = await run(agents.free, argv);
    must(plain.exitCode === 0 && reached === 1, `None outside of it, either: ${told(plain)}.`);
    const held = await run(agents.boxed, argv);
    must(reached === 1, 'A connection came out of it.');
    must(held.code === null && held.exitCode !== 0, `It was not tried: ${told(held)}.`);
    return `${rung}: a port of this machine was reached without it, and not from in it`;
  } finally {
    server.close();
  }
}

async function lockedOut({ runner, home, run, workspace, signal }: Tools): Promise<string> {
  const paths = home;
  const stream = runner.exec(
    { agent: agents.free, cwd: workspace, argv: ['sleep', '300'] },
    signal,
  );
  let pid: number | null = null;
  let ended = false;
  for await (const event of stream) {
    if (event.type === 'started') {
      ({ pid } = event);
      const by = 'self-test';
      await lockOut({ runner, paths, uid: home.uid, clock: systemClock, reason: by, by });
    }
    ended = event.type === 'finished' || event.type === 'refused';
  }
  must(pid !== null && ended, 'The command was not running, or did not end.');
  must(!isThere(pid), 'The command is still there.');
  const next = await run(agents.free, ['true']);
  must(next.code === 'lockout-active', `The next command was not refused: ${told(next)}.`);
  return `process ${String(pid)} is gone, and the next command is refused`;
}

function isThere(pid: number | null): boolean {
  if (pid === null) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

async function recorded({ home, outside }: Tools): Promise<string> {
  const seal = await readAuditSeal(await home.openSecrets());
  const report = await verifyLog({ directory: home.auditDirectory, seal });
  must(report.ok, 'The record is not what was written.');
  const copy = join(outside, 'audit');
  cpSync(home.auditDirectory, copy, { recursive: true });
  const month = readdirSync(copy).find((name) => name.endsWith('.jsonl'));
  must(month !== undefined && report.rows > 0, 'Nothing was recorded.');
  const file = join(copy, month ?? '');
  const text = readFileSync(file, 'utf8');
  const other = text.replace('policy-deny', 'policy-deNy');
  must(other !== text, 'The command that was denied is not in it.');
  writeFileSync(file, other, { mode: 0o600 });
  const changed = await verifyLog({ directory: copy, seal });
  must(!changed.ok, 'A change of one letter was not found.');
  return `${String(report.rows)} rows; one letter of a copy was changed, and that was found`;
}

/** Makes the folders of a test below this one. */
export function selfTestFolders(folder: string): Pick<SelfTestPlace, 'workspace' | 'outside'> {
  const [workspace, outside] = [join(folder, 'project'), join(folder, 'outside')];
  for (const made of [workspace, outside]) mkdirSync(made, { mode: 0o700 });
  return { workspace, outside };
}
