import { randomBytes, randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { Clock, Disposables, RefusalCode } from '../../shared/base/index.ts';
import { createEngine, defaultConfig } from '../../shared/engine/index.ts';
import type { PolicyDocument } from '../../shared/engine/index.ts';
import { openMachine, tokenReader } from '../../shared/home/index.ts';
import type { openRunningRecords } from '../../shared/home/index.ts';
import type { FolderTrees, HomePaths, NamedSecrets, SecretStore } from '../../shared/home/index.ts';
import { hookPlaces, isHost, lookAtArming } from '../../shared/agents/index.ts';
import { ancestryOf } from '../../shared/ipc/index.ts';
import { allProcesses, lockoutGraceMs } from '../../shared/operations/index.ts';
import { boxLocks } from '../boxes/locks.ts';
import { openBoxRecords } from '../boxes/record.ts';
import { createAdvisors } from '../advisors/consult.ts';
import type { Advisors } from '../advisors/consult.ts';
import { createApprover, recordedApprover } from '../approvals/approver.ts';
import type { ApproverOptions } from '../approvals/approver.ts';
import { createLink } from '../approvals/link.ts';
import { isStanding, proveAnswer, provingIn } from '../approvals/passkeys.ts';
import { createPendingAsks } from '../approvals/pending.ts';
import { keptTexts } from '../approvals/kept-texts.ts';
import { createMemory } from '../approvals/remember.ts';
import type { AuditLog } from '../audit/rows.ts';
import { redactKept } from '../audit/rule-set.ts';
import type { Egress } from '../egress/service.ts';
import { createGate } from '../gate/gate.ts';
import { createGrants } from '../gate/grants.ts';
import { keptGrants } from '../gate/kept-grants.ts';
import { keptOverrides } from '../gate/kept-overrides.ts';
import { createInFlight, stoppedRefusal } from '../gate/in-flight.ts';
import { reportUnused } from '../gate/report.ts';
import type { Permitted } from '../gate/request-context.ts';
import { createSessionOverrides, loweredText } from '../gate/overrides.ts';
import type { SessionOverrides } from '../gate/overrides.ts';
import { createTickets } from '../gate/tickets.ts';
import { sandboxSettings } from '../hosts/sandbox/launch.ts';
import type { BoxNetwork } from '../hosts/sandbox/launch.ts';
import type { createHosts, Host, HostTask } from '../hosts/host.ts';
import { createAutomaticPause } from '../lockout/automatic-pause.ts';
import { createDisarmWatch } from '../lockout/disarm-watch.ts';
import { createStopSwitch, rotateSecrets } from '../lockout/stop-switch.ts';
import { prepareSweep } from '../lockout/sweep.ts';
import type { Principals } from '../principals/callers.ts';
import { workspaceFor } from '../hosts/sandbox/launch.ts';
import { createBroker } from '../tools/broker.ts';
import { createUndo } from '../undo/undo.ts';
import { packageRoot } from '../version.ts';
import { callersOf, keysOf } from './callers.ts';
import { createSystemEvents } from './events.ts';
import { note } from './log.ts';
import { hostsOf } from './hosts.ts';
import type { Log } from './log.ts';
import { networkOf } from './network.ts';
import { createRuleUsage, saveRules } from './policy-edits.ts';
import type { SaveRulesOptions } from './policy-edits.ts';
import { createConfigStore, createPolicyStore } from './policy-store.ts';

export interface PartsOptions {
  readonly paths: HomePaths;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly uid: number;
  readonly clock: Clock;
  readonly log: Log;
  readonly audit: AuditLog;
  readonly secrets: SecretStore;
  readonly namedSecrets: () => Promise<NamedSecrets>;
  /** Takes in whatever is opened here. */
  readonly closing: Pick<Disposables, 'add'>;
  /** Stands in for the gateway; for tests. */
  readonly hosts?: readonly Host[];
}

export type Parts = ReturnType<typeof createParts>;

/** Every part of the runner, connected. Nothing listens and nothing runs yet. */
export function createParts(options: PartsOptions) {
  const { paths, env, uid, clock, log, audit, closing } = options;
  const config = createConfigStore(paths.config, uid);
  const machine = openMachine(env, uid, { now: () => clock.now(), places: () => hookPlaces(env) });
  const { principals, vault } = keysOf(options);
  const way: { out: Egress | null } = { out: null };
  const network = async (task: HostTask): Promise<BoxNetwork> => boxNetwork(way.out, task);
  const running = hostsOf(options, { config, shell: machine.shell, network, principals, vault });
  const { hosts, nodes, sandbox, records, brokered } = running;
  const sight = { ...machine, brokered, sandboxProblem: sandbox.problem };
  const engine = createEngine(sight, () => config.current());
  const policy = createPolicyStore({ path: paths.policy, home: paths.home, uid, clock });
  closing.add('the watch of the policy', policy);
  const file = { path: paths.policy, uid, store: policy, engine };
  const usage = createRuleUsage({ ...file, clock, log });
  closing.add('the use of rules', async () => usage.flush());
  const inFlight = createInFlight();
  const overrides = overridesOf(options, principals);
  const asks = { overrides, ...asksOf(options, { config, file, records }) };
  const { grants, tickets, approver, remembering } = asks;
  const stops = stopsOf(options, { ...asks, hosts, inFlight, principals });
  const { automaticPause, arming } = watchesOf(options, { ...asks, config, stops, inFlight });
  const opened = { ...asks, ...running, config, stops, arming, file, usage, principals };
  way.out = networkOf(options, { ...opened, gate: () => watched });
  const { callers, limits, levels } = callersOf(options, { config, principals });
  const undo = undoOf(options, { config, ...running });
  const events = createSystemEvents();
  const gate = createGate({
    undo,
    vault,
    broker: createBroker({ directory: paths.toolsDirectory, uid, vault }),
    clock,
    uid,
    callers,
    newId: randomUUID,
    config: () => config.current(),
    policy: { document: () => policy.document(), used: usage.used },
    stops,
    arming,
    limits,
    hosts,
    engine,
    ancestry: ancestryOf,
    approver,
    grants,
    overrides,
    ...remembering,
    tickets,
    audit,
    events,
    inFlight,
    nodes: nodes.names,
    log,
  });
  const watched = automaticPause.watch(gate);
  return {
    ...asks,
    config,
    policy,
    usage,
    inFlight,
    limits,
    engine,
    stops,
    arming,
    hosts,
    nodes,
    events,
    undo,
    gate: watched,
    automaticPause,
    principals,
    callers,
    levels,
    vault,
    recoverSandbox: running.recoverSandbox,
    /** Ids of requests that an earlier runner had under way when it ended. */
    stale: new Set<string>(),
  };
}

/** Null for an agent that is not in the list, and for each while the list is doubtful. */
function generationIn(principals: Pick<Principals, 'list'>, agent: string): string | null {
  try {
    const known = principals.list().find(({ name }) => name === agent);
    return known === undefined ? null : `${String(known.createdAt)} ${String(known.keyedAt)}`;
  } catch {
    return null;
  }
}

/** What sessions have other than their agents. */
function overridesOf(
  options: PartsOptions,
  principals: Pick<Principals, 'list'>,
): SessionOverrides {
  const overrides = createSessionOverrides(
    options.clock,
    (elevation, why) => note(options, 'session-lowered', loweredText(elevation, why)),
    (agent) => generationIn(principals, agent),
    keptOverrides({ path: options.paths.sessionOverrides, uid: options.uid }),
  );
  options.closing.add('what sessions were raised to', overrides);
  return overrides;
}

/** Those whom the config names; started or reached when they are asked, and not before. */
function advisorsOf({ clock, uid, paths }: PartsOptions, config: ConfigStore): Advisors {
  return createAdvisors({
    clock,
    uid,
    home: paths.home,
    newId: randomUUID,
    atOnce: () => config.current().advisors.atOnce,
  });
}

async function boxNetwork(wayOut: Egress | null, task: HostTask): Promise<BoxNetwork> {
  if (wayOut === null) throw new Error('the way out of sandboxes is not there yet');
  return wayOut.open(task);
}

export type ConfigStore = ReturnType<typeof createConfigStore>;

/** What is asked, what was answered, and the way to who answers. */
function asksOf(
  options: PartsOptions,
  parts: {
    readonly config: ConfigStore;
    readonly file: SaveRulesOptions;
    readonly records: ReturnType<typeof openRunningRecords>;
  },
) {
  const { paths, uid, clock, log, closing } = options;
  const { config, file, records } = parts;
  const now = (): number => clock.now();
  const pending = createPendingAsks();
  const problem = (sentence: string): void => log.warn(sentence);
  const kept = keptGrants({ path: paths.grants, uid, now, problem });
  const grants = createGrants(now, { elapsed: () => clock.elapsed(), kept });
  const document = (): PolicyDocument | null => {
    const current = file.store.current();
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
  const unrecorded = createApprover({
    clock,
    link,
    pending,
    mostPending: () => config.current().limits.pending,
    ...proofOf(options),
    onRules: (listener) => {
      file.store.onChange(listener);
      grants.onAdd(listener);
    },
  });
  const approver = recordedApprover(unrecorded, records);
  const texts = keptTexts({ directory: paths.allowedTexts, uid, problem });
  const memory = createMemory({
    texts,
    now,
    newId: randomUUID,
    grants,
    save: async (agent, rules) => {
      await saveRules(file, agent, rules);
      // Read at once, so that what waits and is covered by it does not wait for the watch.
      file.store.current();
    },
  });
  return {
    pending,
    grants,
    openStore,
    token,
    tickets,
    takeBackTickets,
    link,
    approver,
    remembering: { memory, texts, advisors: advisorsOf(options, config) },
  };
}

/** What holds an answer to the passkey that its ask wants. */
function proofOf(options: PartsOptions): Pick<ApproverOptions, 'prove' | 'stands' | 'unproven'> {
  const how = provingIn(options);
  return {
    prove: async (ask, decision) => proveAnswer(ask, decision, how),
    stands: (proof) => isStanding(proof, how),
    unproven: (detail) => note(options, 'answer-unproven', detail),
  };
}

type Asks = ReturnType<typeof asksOf> & { readonly overrides: SessionOverrides };
type InFlight = ReturnType<typeof createInFlight>;

/** The cord that stops everything. */
function stopsOf(
  options: PartsOptions,
  parts: Pick<Asks, 'pending' | 'grants' | 'openStore' | 'takeBackTickets'> & {
    readonly overrides: SessionOverrides;
    readonly hosts: ReturnType<typeof createHosts>;
    readonly inFlight: InFlight;
    readonly principals: Principals;
  },
) {
  const { paths, uid, clock } = options;
  const { pending, grants, openStore, takeBackTickets, hosts, inFlight, principals } = parts;
  const processes = allProcesses(paths, uid);
  return createStopSwitch({
    paths,
    now: () => clock.now(),
    signalAll: () => {
      for (const host of hosts.all()) host.signalAll?.();
    },
    stopAll: (reason) => {
      takeBackTickets(stoppedRefusal(reason).refusal.code);
      if (reason === 'lockout') {
        grants.clear();
        parts.overrides.clear();
      }
      return inFlight.stopAll(reason);
    },
    stopWaiting: (reason) => inFlight.stopWaiting(reason),
    pendingAsks: () => pending.list().length,
    prepareSweep: () =>
      prepareSweep({ processes, running: inFlight.running(), graceMs: lockoutGraceMs }),
    rotate: async () => rotateSecrets(paths, { uid, openStore, keys: principals }),
    note: (code, text) => note(options, code, text),
  });
}

/** What stops agents by itself. */
function watchesOf(
  options: PartsOptions,
  parts: Pick<Asks, 'takeBackTickets'> & {
    readonly config: ConfigStore;
    readonly stops: ReturnType<typeof createStopSwitch>;
    readonly inFlight: InFlight;
  },
) {
  const { paths, env, uid, clock, log, closing } = options;
  const { config, stops, inFlight, takeBackTickets } = parts;
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
    requireOpen: boxLocks(openBoxRecords(paths.boxesDirectory, uid), uid).checkAgent,
    uid,
    clock,
    look: (subject) => lookAtArming(subject, { env, packageRoot: packageRoot() }),
    isHost,
    note: (code, text) => note(options, code, text),
    stopWaiting: () => {
      takeBackTickets('gate-disarmed');
    },
    log,
  });
  closing.add('the watch of the hooks', arming);
  return { automaticPause, arming };
}

/** What is kept of the files that commands change. */
function undoOf(
  { paths, clock, log, closing }: PartsOptions,
  {
    config,
    path,
    folders,
  }: {
    readonly config: ConfigStore;
    readonly path: readonly string[];
    readonly folders: FolderTrees;
  },
) {
  const undo = createUndo({
    directory: paths.undoDirectory,
    program: join(packageRoot(), 'dist', 'runner', 'undo', 'worker.js'),
    clock,
    config: () => config.current(),
    workspaceOf: (agent, cwd) =>
      workspaceFor(cwd, sandboxSettings(config.current(), agent), {
        ownHome: paths.home,
        path,
      }),
    redact: redactKept,
    folders,
    newId: randomUUID,
    problem: (sentence) => log.warn(sentence),
  });
  closing.add('what is kept of workspaces', async () => undo.dispose());
  return undo;
}
