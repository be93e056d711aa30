import { randomBytes, randomUUID } from 'node:crypto';
import type { RefusalCode } from '../../shared/refusal/codes.ts';
import type { Clock } from '../../shared/clock/types.ts';
import { defaultConfig } from '../../shared/config/defaults.ts';
import type { HomePaths } from '../../shared/node/home/paths.ts';
import { lockoutGraceMs } from '../../shared/node/lockout/alone.ts';
import { commandProcesses } from '../../shared/node/lockout/leftovers.ts';
import { loadAnalyser } from '../../shared/node/grammar/load.ts';
import { homeTag, homeVariable } from '../../shared/node/running-record/mark.ts';
import { openRunningRecords } from '../../shared/node/running-record/records.ts';
import type { SecretStore } from '../../shared/node/secrets/types.ts';
import { surroundingsOf } from '../../shared/node/lookup/surroundings.ts';
import { ancestryOf } from '../../shared/node/peer/ancestry.ts';
import { createApprover } from '../approvals/approver.ts';
import { createLink } from '../approvals/link.ts';
import { createPendingAsks } from '../approvals/pending.ts';
import { recordedApprover } from '../approvals/recorded.ts';
import { createMemory } from '../approvals/remember.ts';
import type { AuditLog } from '../audit/types.ts';
import { createSystemEvents } from '../events/queues.ts';
import { createGate } from '../gate/gate.ts';
import type { Permitted } from '../gate/permit.ts';
import type { GatePorts } from '../gate/ports.ts';
import { reportUnused } from '../gate/report.ts';
import { createGrants } from '../grants/grants.ts';
import { gatewayHost } from '../hosts/gateway/gateway.ts';
import { baseEnvironment } from '../hosts/gateway/environment.ts';
import { createHosts } from '../hosts/registry.ts';
import type { Host } from '../hosts/types.ts';
import { createBuckets } from '../limits/buckets.ts';
import { createLimits } from '../limits/limits.ts';
import { keepLevels, readLevels } from '../limits/state.ts';
import { createAutomaticPause } from '../lockout/automatic-pause.ts';
import { rotateSecrets } from '../lockout/rotate.ts';
import { createStopSwitch } from '../lockout/stop-switch.ts';
import { prepareSweep } from '../lockout/sweep.ts';
import type { Log } from '../log/log.ts';
import { createConfigStore } from '../policy/config-store.ts';
import { createPolicyStore } from '../policy/policy-store.ts';
import { createRuleUsage } from '../policy/usage.ts';
import { createCallers } from '../principals/callers.ts';
import { openNonceWindow } from '../principals/nonce-window.ts';
import { createPrincipals } from '../principals/principals.ts';
import { saveRules } from '../policy/save-rules.ts';
import { stoppedRefusal } from '../running/refusal.ts';
import { createTickets } from '../tickets/tickets.ts';
import { createInFlight } from '../running/in-flight.ts';

export interface PartsOptions {
  readonly paths: HomePaths;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly uid: number;
  readonly clock: Clock;
  readonly log: Log;
  readonly audit: AuditLog;
  readonly secrets: SecretStore;
  /** Stands in for the gateway; for tests. */
  readonly hosts?: readonly Host[];
}

export type Parts = ReturnType<typeof createParts>;

/** Every part of the runner, connected. Nothing listens and nothing runs yet. */
export function createParts(options: PartsOptions) {
  const { paths, uid, clock, log, audit } = options;
  const now = (): number => clock.now();
  const config = createConfigStore(paths.config, uid);
  const policy = createPolicyStore({ path: paths.policy, uid, clock });
  const file = { path: paths.policy, uid, store: policy };
  const usage = createRuleUsage({ ...file, clock, log });
  const inFlight = createInFlight();
  const pending = createPendingAsks();
  const grants = createGrants(now);
  const token = (): string | null => {
    const current = policy.current();
    return current.ok ? (current.document.socket?.token ?? null) : null;
  };
  const tickets = createTickets<Permitted>({
    clock,
    random: randomBytes,
    expired: ({ dossier }) => void reportUnused(dossier, 'approval-timeout', options),
  });
  const takeBackTickets = (code: RefusalCode): void => {
    for (const { dossier } of tickets.revoke()) void reportUnused(dossier, code, options);
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
      return inFlight.stopAll(reason);
    },
    stopWaiting: (reason) => inFlight.stopWaiting(reason),
    pendingAsks: () => pending.list().length,
    prepareSweep: () =>
      prepareSweep({ processes, running: inFlight.running(), graceMs: lockoutGraceMs }),
    rotate: async () => rotateSecrets(paths, { uid, keys: principals }),
    note: (code, text) => note(options, code, text),
  });
  const link = createLink({
    clock,
    uid,
    log,
    pending,
    address: () => {
      const secret = token();
      return secret === null ? null : { path: paths.approvalsSocket, token: secret };
    },
    timeoutMs: () =>
      (config.problem() === null ? config.current() : defaultConfig).approvals.connectTimeoutMs,
    onViolation: (code, detail) => note(options, `approver-${code}`, detail),
  });
  const environment = baseEnvironment(options.env);
  const surroundings: GatePorts['surroundings'] = () => {
    const { workspaces, trustedDirectories } = config.current().exec;
    const here = surroundingsOf({ env: environment, uid, platform: process.platform, workspaces });
    return trustedDirectories === null ? here : { ...here, trustedDirectories };
  };
  const { shell } = surroundingsOf({ env: environment, uid, platform: process.platform });
  const records = openRunningRecords(paths.runningDirectory, { uid, now });
  const marked = { ...environment, [homeVariable]: homeTag(paths.home) };
  const hosts = createHosts(
    options.hosts ?? [gatewayHost({ clock, shell, environment: marked, records })],
  );
  const events = createSystemEvents();
  const newId = randomUUID;
  const automaticPause = createAutomaticPause({
    clock,
    config: () => config.current(),
    stops,
    isRunning: () => inFlight.running().length > 0,
    log,
  });
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
  const gate = createGate({
    clock,
    uid,
    callers,
    newId,
    config: () => config.current(),
    policy: { document: () => policy.document(), used: usage.used },
    stops,
    limits: createLimits({
      settings: () => config.current().limits,
      buckets,
      changed: () => levels.changed(),
    }),
    hosts,
    analyser: loadAnalyser,
    surroundings,
    ancestry: ancestryOf,
    approver: recordedApprover(
      createApprover({
        clock,
        link,
        pending,
        mostPending: () => config.current().limits.pending,
      }),
      records,
    ),
    grants,
    memory: createMemory({
      now,
      newId,
      grants,
      save: async (agent, rules) => saveRules(file, agent, rules),
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
    link,
    hosts,
    events,
    gate: automaticPause.watch(gate),
    automaticPause,
    token,
    principals,
    callers,
    levels,
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
