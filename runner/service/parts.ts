import { randomBytes, randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { Clock, Disposables, RefusalCode } from '../../shared/base/index.ts';
import { createEngine, defaultConfig } from '../../shared/engine/index.ts';
import type { PolicyDocument } from '../../shared/engine/index.ts';
import {
  baseEnvironment,
  homeTag,
  homeVariable,
  openMachine,
  openRunningRecords,
  tokenReader,
} from '../../shared/home/index.ts';
import type { HomePaths, SecretStore } from '../../shared/home/index.ts';
import { clientPath, hookPlaces, isHost, lookAtArming } from '../../shared/agents/index.ts';
import { ancestryOf } from '../../shared/ipc/index.ts';
import {
  commandProcesses,
  lockoutGraceMs,
  processesOfCommand,
} from '../../shared/operations/index.ts';
import { createApprover, recordedApprover } from '../approvals/approver.ts';
import { createLink } from '../approvals/link.ts';
import { createPendingAsks } from '../approvals/pending.ts';
import { createMemory } from '../approvals/remember.ts';
import type { AuditLog } from '../audit/rows.ts';
import { redactKept } from '../audit/rule-set.ts';
import { createGate } from '../gate/gate.ts';
import { createGrants } from '../gate/grants.ts';
import { keptGrants } from '../gate/kept-grants.ts';
import { createInFlight, stoppedRefusal } from '../gate/in-flight.ts';
import { reportUnused } from '../gate/report.ts';
import type { Permitted } from '../gate/request-context.ts';
import { createTickets } from '../gate/tickets.ts';
import { localHost } from '../hosts/local.ts';
import { holdLauncher } from '../hosts/sandbox/hold.ts';
import { sandboxHost } from '../hosts/sandbox/host.ts';
import type { SandboxHost } from '../hosts/sandbox/host.ts';
import { launcherPath, sandboxSettings } from '../hosts/sandbox/launch.ts';
import { createHosts } from '../hosts/host.ts';
import type { Host } from '../hosts/host.ts';
import { redeemCommand } from '../ingress/asking.ts';
import type { HookPorts } from '../ingress/hooks.ts';
import type { ApiPorts } from '../ingress/http/ports.ts';
import { createBuckets } from '../limits/bucket.ts';
import { createLimits } from '../limits/limits.ts';
import { keepLevels, readLevels } from '../limits/state.ts';
import { createAutomaticPause } from '../lockout/automatic-pause.ts';
import { createDisarmWatch } from '../lockout/disarm-watch.ts';
import { createStopSwitch, rotateSecrets } from '../lockout/stop-switch.ts';
import { prepareSweep } from '../lockout/sweep.ts';
import { createCallers } from '../principals/callers.ts';
import { openNonceWindow } from '../principals/nonce-window.ts';
import { createPrincipals } from '../principals/principals.ts';
import { workspaceFor } from '../hosts/sandbox/launch.ts';
import { createUndo } from '../undo/undo.ts';
import { packageRoot } from '../version.ts';
import { createSystemEvents } from './events.ts';
import type { Log } from './log.ts';
import { createRuleUsage, saveRules } from './policy-edits.ts';
import { createConfigStore, createPolicyStore } from './policy-store.ts';

export interface PartsOptions {
  readonly paths: HomePaths;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly uid: number;
  readonly clock: Clock;
  readonly log: Log;
  readonly audit: AuditLog;
  readonly secrets: SecretStore;
  /** Takes in whatever is opened here. */
  readonly closing: Pick<Disposables, 'add'>;
  /** Stands in for the gateway; for tests. */
  readonly hosts?: readonly Host[];
}

export type Parts = ReturnType<typeof createParts>;

/** Every part of the runner, connected. Nothing listens and nothing runs yet. */
export function createParts(options: PartsOptions) {
  const { paths, uid, clock, log, audit, closing } = options;
  const now = (): number => clock.now();
  const config = createConfigStore(paths.config, uid);
  const opened = openMachine(options.env, uid, {
    now,
    places: () => hookPlaces(options.env),
  });
  let sandbox: SandboxHost | null = null;
  const sandboxProblem = () => (sandbox === null ? 'There is none.' : sandbox.problem());
  const machine = { ...opened, sandboxProblem };
  const engine = createEngine(machine, () => config.current());
  const policy = createPolicyStore({ path: paths.policy, home: paths.home, uid, clock });
  closing.add('the watch of the policy', policy);
  const file = { path: paths.policy, uid, store: policy, engine };
  const usage = createRuleUsage({ ...file, clock, log });
  closing.add('the use of rules', async () => usage.flush());
  const inFlight = createInFlight();
  const pending = createPendingAsks();
  const grants = createGrants(now, {
    elapsed: () => clock.elapsed(),
    kept: keptGrants({
      path: paths.grants,
      uid,
      now,
      problem: (sentence) => log.warn(sentence),
    }),
  });
  const document = (): PolicyDocument | null => {
    const current = policy.current();
    return current.ok ? current.document : null;
  };
  const openStore = async (): Promise<SecretStore> => options.secrets;
  const token = tokenReader({ document, openStore });
  const tickets = createTickets<Permitted>({
    clock,
    random: randomBytes,
    expired: (permitted) => void reportUnused(permitted, 'approval-timeout', options),
  });
  // Their rows are closed at the next start, as after a crash.
  closing.add('tickets', () => tickets.revoke());
  const takeBackTickets = (code: RefusalCode): void => {
    for (const permitted of tickets.revoke()) void reportUnused(permitted, code, options);
  };
  const processes = commandProcesses(paths, uid);
  const stops = createStopSwitch({
    paths,
    now,
    signalAll: () => {
      for (const host of hosts.all()) host.signalAll?.();
    },
    stopAll: (reason) => {
      takeBackTickets(stoppedRefusal(reason).refusal.code);
      if (reason === 'lockout') grants.clear();
      return inFlight.stopAll(reason);
    },
    stopWaiting: (reason) => inFlight.stopWaiting(reason),
    pendingAsks: () => pending.list().length,
    prepareSweep: () =>
      prepareSweep({ processes, running: inFlight.running(), graceMs: lockoutGraceMs }),
    rotate: async () => rotateSecrets(paths, { uid, openStore, keys: principals }),
    note: (code, text) => note(options, code, text),
  });
  const link = createLink({
    clock,
    uid,
    log,
    pending,
    address: async () => {
      const secret = await token();
      return secret === null ? null : { path: paths.approvalsSocket, token: secret };
    },
    timeoutMs: () =>
      (config.problem() === null ? config.current() : defaultConfig).approvals.connectTimeoutMs,
    onViolation: (code, detail) => note(options, `approver-${code}`, detail),
  });
  closing.add('the connection to the approver', link);
  const environment = baseEnvironment(options.env);
  const { shell } = machine;
  const records = openRunningRecords(paths.runningDirectory, { uid, now });
  const marked = { ...environment, [homeVariable]: homeTag(paths.home) };
  const local = {
    clock,
    shell,
    environment: marked,
    records,
    prepareSweep: (command: { readonly id: string; readonly pid: number }, graceMs: number) =>
      prepareSweep({ processes: processesOfCommand(command.id), running: [command], graceMs }),
  };
  sandbox = sandboxHost({
    ...local,
    uid,
    launcher: launcherPath(packageRoot()),
    settings: (agent, overrides) => sandboxSettings(config.current(), agent, overrides),
    ownHome: paths.home,
    path: (environment['PATH'] ?? '').split(':'),
    layersDirectory: paths.sandboxLayers,
  });
  const hosts = createHosts(
    options.hosts ?? [
      localHost({ ...local, launcherOf: holdLauncher(launcherPath(packageRoot())) }),
      sandbox,
    ],
  );
  const events = createSystemEvents();
  const newId = randomUUID;
  const automaticPause = createAutomaticPause({
    clock,
    config: () => config.current(),
    stops,
    ancestry: ancestryOf,
    isRunning: () => inFlight.running().length > 0,
    log,
  });
  closing.add('the automatic pause', automaticPause);
  const arming = createDisarmWatch({
    path: paths.arming,
    uid,
    clock,
    look: (subject) => lookAtArming(subject, { env: options.env, packageRoot: packageRoot() }),
    isHost,
    note: (code, text) => note(options, code, text),
    stopWaiting: () => {
      takeBackTickets('gate-disarmed');
    },
    log,
  });
  closing.add('the watch of the hooks', arming);
  const principals = createPrincipals({
    directory: paths.keysDirectory,
    secrets: options.secrets,
    uid,
    now,
    random: randomBytes,
  });
  const callers = createCallers({
    principals,
    openNonces: () => openNonceWindow({ path: paths.nonces, uid, now }),
    now,
  });
  closing.add('the memory of nonces', callers);
  const buckets = createBuckets({
    elapsed: () => performance.now(),
    levels: readLevels(paths.limits, uid),
  });
  const levels = keepLevels({
    path: paths.limits,
    buckets: () => buckets,
    clock,
    problem: (sentence) => log.warn(sentence),
  });
  closing.add('the state of the limits', () => levels.flush());
  const undo = createUndo({
    directory: paths.undoDirectory,
    program: join(packageRoot(), 'dist', 'runner', 'undo', 'worker.js'),
    clock,
    config: () => config.current(),
    workspaceOf: (agent, cwd) =>
      workspaceFor(cwd, sandboxSettings(config.current(), agent), {
        ownHome: paths.home,
        path: (environment['PATH'] ?? '').split(':'),
      }),
    redact: redactKept,
    newId,
    problem: (sentence) => log.warn(sentence),
  });
  closing.add('what is kept of workspaces', async () => undo.dispose());
  const gate = createGate({
    undo,
    clock,
    uid,
    callers,
    newId,
    config: () => config.current(),
    policy: { document: () => policy.document(), used: usage.used },
    stops,
    arming,
    limits: createLimits({
      settings: () => config.current().limits,
      buckets,
      changed: () => levels.changed(),
    }),
    hosts,
    engine,
    ancestry: ancestryOf,
    approver: recordedApprover(
      createApprover({
        clock,
        link,
        pending,
        mostPending: () => config.current().limits.pending,
        onRules: (listener) => {
          policy.onChange(listener);
          grants.onAdd(listener);
        },
      }),
      records,
    ),
    grants,
    memory: createMemory({
      now,
      newId,
      grants,
      save: async (agent, rules) => {
        await saveRules(file, agent, rules);
        // Read at once, so that what waits and is covered by it does not wait for the watch.
        policy.current();
      },
    }),
    tickets,
    audit,
    events,
    inFlight,
    log,
  });
  return {
    config,
    policy,
    usage,
    inFlight,
    pending,
    grants,
    stops,
    arming,
    link,
    hosts,
    events,
    undo,
    gate: automaticPause.watch(gate),
    automaticPause,
    token,
    principals,
    callers,
    levels,
    /** Finishes in sandboxes what an earlier runner had begun. Never rejects. */
    recoverSandbox: async (): Promise<void> => {
      await sandbox?.recover().catch((error: unknown) => {
        log.error('What an earlier runner left in the sandbox could not be looked at', error);
      });
    },
    /** Ids of requests that an earlier runner had under way when it ended. */
    stale: new Set<string>(),
  };
}

/** A line in the log that is worth keeping; the service goes on when it cannot be written. */
export function note(
  { audit, clock, log }: Pick<PartsOptions, 'audit' | 'clock' | 'log'>,
  code: string,
  text: string,
): void {
  try {
    audit.append({ type: 'note', at: clock.now(), code, text });
  } catch (error) {
    log.error('A note could not be written down', error);
  }
}

/** What the hooks of agent hosts need of this runner. */
export function hookPorts(
  { gate, arming }: Pick<Parts, 'gate' | 'arming'>,
  { home, endSession }: { readonly home: string } & Pick<ApiPorts, 'endSession'>,
): HookPorts {
  const client = join(packageRoot(), clientPath);
  const program = {
    ...(existsSync(client) && { client }),
    node: process.execPath,
    program: join(packageRoot(), 'dist', 'runner', 'cli', 'main.js'),
    home: home === join(homedir(), '.interlock') ? null : home,
  };
  return {
    gate,
    arming,
    endSession: async (ended) => void (await endSession(ended)),
    redeemCommand: (ticket, shell) => redeemCommand(program, ticket, shell),
  };
}
