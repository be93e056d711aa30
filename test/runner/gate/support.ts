import type { ExecEvent } from '../../../shared/wire/api.ts';
import type { ExecRequest } from '../../../shared/wire/requests.ts';
import type { Decision } from '../../../shared/engine/ask.ts';
import { defaultConfig } from '../../../shared/engine/config.ts';
import type { Config } from '../../../shared/engine/config.ts';
import { createEngine } from '../../../shared/engine/engine.ts';
import { openMachine } from '../../../shared/home/machine.ts';
import type { StopState } from '../../../shared/home/stop-state.ts';
import type { PolicyDocument } from '../../../shared/engine/policy/types.ts';
import { refuse } from '../../../shared/base/refusal.ts';
import { createSystemEvents } from '../../../runner/service/events.ts';
import { createGate } from '../../../runner/gate/gate.ts';
import type { Gate } from '../../../runner/gate/gate.ts';
import type { AskDraft, AskEnding, AskOptions, GatePorts } from '../../../runner/gate/ports.ts';
import type { ExecIncoming, GateResult } from '../../../runner/gate/request-context.ts';
import type { AuditRow } from '../../../runner/audit/rows.ts';
import { createGrants } from '../../../runner/gate/grants.ts';
import { createHosts } from '../../../runner/hosts/host.ts';
import type { Host, HostTask, RunIo, RunLimits } from '../../../runner/hosts/host.ts';
import { createBuckets } from '../../../runner/limits/bucket.ts';
import { createLimits } from '../../../runner/limits/limits.ts';
import { createTickets } from '../../../runner/gate/tickets.ts';
import { reportUnused } from '../../../runner/gate/report.ts';
import { createInFlight } from '../../../runner/gate/in-flight.ts';
import { fakeClock } from '../../support/fake-clock.ts';
import type { FakeClock } from '../../support/fake-clock.ts';

/** A gate whose surroundings are all in the test's hand. */
export interface Bench {
  readonly gate: Gate;
  readonly ports: GatePorts;
  readonly clock: FakeClock;
  /** What the host was told to run. */
  readonly ran: { readonly task: HostTask; readonly limits: RunLimits }[];
  readonly rows: AuditRow[];
  readonly asked: AskDraft[];
  readonly logged: string[];
  readonly exec: (request: Partial<ExecRequest>, gone?: AbortSignal) => Promise<BenchResult>;
}

export interface BenchResult {
  readonly result: GateResult;
  readonly events: readonly ExecEvent[];
}

export interface BenchOptions {
  readonly policy?: PolicyDocument;
  readonly config?: Partial<Config>;
  /** How the person, or the lack of one, answers. */
  readonly answer?: (draft: AskDraft, options: AskOptions) => AskEnding | Promise<AskEnding>;
  readonly stop?: () => StopState;
  readonly run?: (io: RunIo, task: HostTask) => ReturnType<Host['run']>;
  readonly ports?: Partial<GatePorts>;
}

export const ownUid = process.getuid?.() ?? 0;

/** `"*"` asks about what no rule covers. */
export const askPolicy: PolicyDocument = {
  version: 1,
  agents: { '*': { security: 'allowlist', ask: 'on-miss', askFallback: 'deny' } },
};

export const fullPolicy: PolicyDocument = {
  version: 1,
  agents: { '*': { security: 'full', ask: 'off' } },
};

export function bench(options: BenchOptions = {}): Bench {
  const clock = fakeClock();
  const now = (): number => clock.now();
  const rows: AuditRow[] = [];
  const asked: AskDraft[] = [];
  const logged: string[] = [];
  const ran: Bench['ran'] = [];
  let ids = 0;
  let tickets = 0;
  const host: Host = {
    name: 'gateway',
    probe: async () => ({ ok: true }),
    run: async (task, limits, io) => {
      ran.push({ task, limits });
      if (options.run !== undefined) return options.run(io, task);
      io.started(4242);
      await io.output('stdout', Buffer.from('out\n'));
      return { ending: 'exited', exitCode: 0, signal: null };
    },
    groups: () => [],
    stopStrays: () => 0,
  };
  const ports: GatePorts = {
    clock,
    uid: ownUid,
    callers: { signer: async () => null, keyState: () => 'none' },
    newId: () => `id-${(ids += 1)}`,
    config: () => ({
      ...defaultConfig,
      principals: { trustClaims: true },
      ...options.config,
    }),
    policy: { document: () => options.policy ?? askPolicy, used: () => {} },
    arming: { check: () => undefined },
    stops: stopsOf(options.stop ?? (() => ({ mode: 'armed', reason: null }))),
    limits: createLimits({
      settings: () => ({ ...defaultConfig.limits, burst: 60 }),
      buckets: createBuckets({ elapsed: now, levels: {} }),
      changed: () => {},
    }),
    hosts: createHosts([host]),
    engine: createEngine(openMachine(process.env, ownUid, { now }), () => ports.config()),
    ancestry: async (pid) => [{ pid, name: 'agent', command: 'agent' }],
    approver: {
      ask: async (draft, asking) => {
        asked.push(draft);
        return (options.answer ?? (() => ({ kind: 'unreachable' }) as const))(draft, asking);
      },
    },
    grants: createGrants(now),
    memory: { remember: async () => null },
    tickets: createTickets({
      clock,
      random: (bytes) => new Uint8Array(bytes).fill((tickets += 1)),
      expired: (permitted) => void reportUnused(permitted, 'approval-timeout', ports),
    }),
    audit: {
      durable: async (row) => void rows.push(row),
      append: (row) => void rows.push(row),
      openDecisions: async () => [],
      history: async () => ({ total: 0, entries: [], agents: [] }),
      stats: async () => ({ days: [], needlessAfter: 0, worthARule: [] }),
      pastCommands: () => [],
      dispose: async () => {},
    },
    events: createSystemEvents(),
    undo: {
      check: async () => ({ kind: 'off' }),
      before: async () => ({ kind: 'off' }),
      after: () => undefined,
    },
    inFlight: createInFlight(),
    log: {
      info: (text) => void logged.push(text),
      warn: (text) => void logged.push(text),
      error: (text, error) => void logged.push(`${text}: ${String(error)}`),
    },
    ...options.ports,
  };
  const gate = createGate(ports);
  return {
    gate,
    ports,
    clock,
    ran,
    rows,
    asked,
    logged,
    exec: async (request, gone = new AbortController().signal) => {
      const events: ExecEvent[] = [];
      const emit = (event: ExecEvent): void => void events.push(event);
      const result = await gate.exec(incoming(request), { emit, gone });
      return { result, events };
    },
  };
}

export function incoming(request: Partial<ExecRequest>): ExecIncoming {
  return {
    kind: 'exec',
    request: { cwd: '/tmp', ...request },
    peer: { uid: ownUid, pid: process.pid },
  };
}

/** A person's answer to the draft that was shown. */
export function answered(draft: AskDraft, decision: Partial<Decision>): AskEnding {
  const ask = { ...draft, createdAt: 0, expiresAt: 1 };
  const whole = { id: draft.id, askDigest: '', decision: 'deny', ...decision } as Decision;
  return { kind: 'decided', ask, decision: whole, via: 'app' };
}

/** The code of a refusal, or what came instead. */
export function codeOf({ result }: BenchResult): string {
  return result.ok ? `ran ${String(result.outcome.exitCode)}` : result.refusal.code;
}

function stopsOf(state: () => StopState): GatePorts['stops'] {
  const nothing = { mode: 'armed', stopped: 0, withdrawn: 0, keysRotated: 0 } as const;
  return {
    state,
    check: () => {
      const { mode } = state();
      if (mode === 'locked') throw refuse('lockout-active', 'Locked.', 'Stop.');
      if (mode === 'paused') throw refuse('pause-active', 'Paused.', 'Wait.');
    },
    lockout: async () => ({
      ...nothing,
      tokenRotated: false,
      signalledAt: 0,
      left: 0,
      problems: [],
    }),
    look: () => {},
    pause: () => nothing,
    resume: () => nothing,
    onChange: () => {},
  };
}
