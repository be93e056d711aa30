import { randomBytes } from 'node:crypto';
import { createDisposables, refuse } from '../../shared/base/index.ts';
import type { Clock, Disposables } from '../../shared/base/index.ts';
import { defaultConfig, trustOf } from '../../shared/engine/index.ts';
import type { LogLevel } from '../../shared/engine/index.ts';
import {
  keepReturningMemory,
  leaveNoCore,
  openHome,
  systemClock,
} from '../../shared/home/index.ts';
import type { HomePaths } from '../../shared/home/index.ts';
import {
  commandProcesses,
  hasItsDevice,
  requirePassphrase,
} from '../../shared/operations/index.ts';
import { createBreachIntake } from '../approvals/breach-intake.ts';
import { createStatePush } from '../approvals/link.ts';
import { createPasskeyDesk } from '../approvals/passkeys.ts';
import type { PasskeyDesk } from '../approvals/passkeys.ts';
import { createTerminalAnswers } from '../approvals/pending.ts';
import { openAuditLog } from '../audit/audit-log.ts';
import { joinReceivers } from './audit-receivers.ts';
import { closeOpenDecisions } from '../audit/recover.ts';
import type { Host } from '../hosts/host.ts';
import { createApi } from '../ingress/http/api.ts';
import type { ApiPorts } from '../ingress/http/ports.ts';
import { changesPath, lastChanges, leftNotes, readChanges } from '../hosts/sandbox/changes.ts';
import type { SandboxChange } from '../hosts/sandbox/changes.ts';
import { hookPorts } from './hook-ports.ts';
import { overrideOf } from './override-session.ts';
import { endSession } from './sessions.ts';
import { claimRunnerSocket, listenOn } from '../ingress/http/listen.ts';
import { createLog, goesToJournal, note } from './log.ts';
import type { Log } from './log.ts';
import { isOwnDescendant } from '../principals/provenance.ts';
import { recoverRunning } from './recover.ts';
import { followStopFiles } from '../lockout/follow.ts';
import { prepareSweep } from '../lockout/sweep.ts';
import { gdbus } from '../lockout/session-watch.ts';
import { watchSession } from '../lockout/session-watch.ts';
import { runnerState, statusBody } from './status.ts';
import type { StatusParts } from './status.ts';
import { readVersion } from '../version.ts';
import { noticesOf } from './notify.ts';
import { enterOwnLeaf } from './own-group.ts';
import { boxDesk } from './box-desk.ts';
import { joinMachines } from './node-runs.ts';
import { joinOpenClaw } from './openclaw.ts';
import { bringOn, requireHome } from './opening.ts';
import { reapOrphans } from './reaper.ts';
import { keepConnected, keepTokenInPlace } from './approvals-token.ts';
import { createParts } from './parts.ts';
import type { Parts } from './parts.ts';
import { logLevelOf, reload } from './reload.ts';
import { joinFolders } from './shared-folders.ts';
import type { JoinedFolders } from './shared-folders.ts';
import { createSharedAccess } from './shared-access.ts';
import type { SharedAccess } from './shared-access.ts';

export interface RunnerOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock?: Clock;
  readonly log?: Log;
  /** Holds instead of what `config.json` says. */
  readonly logLevel?: LogLevel;
  /** Takes requests from shared folders and no others: for who starts it when there are some. */
  readonly only?: 'folders';
  /** Stand in for the gateway; for tests. */
  readonly hosts?: readonly Host[];
}

export interface Runner {
  readonly paths: HomePaths;
  /** Looks at all settings anew and says whether they hold. */
  reload(): Promise<void>;
  /** Resolves when nothing has come from shared folders for so long, in milliseconds. */
  drained(quietMs: number): Promise<void>;
  /** Ends everything that is under way, writes what is to be written, and lets go of the home. */
  dispose(): Promise<void>;
}

/**
 * Starts the service on the home that the environment names. Rejects with a refusal when there is
 * no home (`config-invalid`) or a runner is at work on it already (`concurrency-busy`).
 */
export async function startRunner(options: RunnerOptions): Promise<Runner> {
  const clock = options.clock ?? systemClock;
  const now = (): number => clock.now();
  let configured = (): LogLevel => 'info';
  const log =
    options.log ??
    createLog((text) => process.stderr.write(text), now, {
      level: () => options.logLevel ?? configured(),
      isJournal: goesToJournal(options.env, process.stderr.fd),
    });
  const paths = openHome(options.env);
  const { uid } = paths;
  requireHome(paths);
  if (process.platform === 'linux') enterOwnLeaf({ pid: process.pid, log });
  const closing = createDisposables();
  try {
    // The first to be added is the last to go: signs of life until everything else is closed.
    let stopBeating = (): void => undefined;
    closing.add('the sign of life', () => stopBeating());
    closing.add('the claim on the socket', await claimRunnerSocket(paths.runnerSocket));
    const brought = await bringOn(paths, clock);
    const secrets = await paths.openSecrets(clock);
    const audit = await openAuditLog({ directory: paths.auditDirectory, uid, clock, secrets });
    closing.add('the audit log', audit);
    const namedSecrets = async () => paths.openNamedSecrets(clock);
    const given = { ...options, paths, uid, clock, log, audit, secrets, namedSecrets, closing };
    const parts = createParts(given);
    leaveNoCore();
    await parts.vault.refresh();
    configured = () => logLevelOf(parts);
    const base = { paths, uid, clock, log, audit, env: options.env, secrets };
    await endOrphans(parts, base);
    // In a container that starts with us there is nobody else who would.
    if (process.platform === 'linux' && process.pid === 1)
      closing.add('the wait for orphans', reapOrphans({ clock }));
    closing.add(
      'the record on its way elsewhere',
      joinReceivers({ ...base, config: parts.config, version: readVersion() }),
    );
    const closed = await closeOpenDecisions(audit, now);
    if (closed > 0) log.warn(`${closed} commands of an earlier runner were closed in the log.`);
    void parts.recoverSandbox();
    const notices = noticesOf(options, log);
    const opened = { ...base, closing };
    const { doors, folders } =
      options.only === 'folders' ? serveFolders(parts, opened) : await serve(parts, opened);
    if (brought !== null) {
      log.info(brought);
      note({ audit, clock, log }, 'home-upgraded', brought);
    }
    note({ audit, clock, log }, 'runner-started', `version ${readVersion()}`);
    if (options.only === undefined) log.info(`Listening on ${paths.runnerSocket}`);
    notices.ready();
    stopBeating = notices.keepAlive(clock);
    closing.add('the return of memory', keepReturningMemory(clock));
    return {
      paths,
      reload: async () => {
        notices.reloading();
        await reload({ parts, doors, log });
        notices.ready();
      },
      drained: async (quietMs) => folders.drained(quietMs),
      dispose: async () => {
        notices.stopping();
        await closing.dispose();
      },
    };
  } catch (error) {
    await closing.dispose().catch((failure: unknown) => {
      log.error('Not everything was closed after the start failed', failure);
    });
    throw error;
  }
}

/** Ends what a crashed runner left running, and says so. */
async function endOrphans({ config, stale }: Parts, base: Base): Promise<void> {
  const { paths, uid, log } = base;
  const { exec } = config.problem() === null ? config.current() : defaultConfig;
  const { ids, stopped, left } = await recoverRunning({
    directory: paths.runningDirectory,
    uid,
    graceMs: exec.killGraceMs,
  });
  if (ids.length === 0) return;
  for (const id of ids) stale.add(id);
  const text =
    `${ids.length} requests of an earlier runner were under way; ` +
    `${stopped} of their processes were stopped` +
    (left.length === 0 ? '.' : `, and these are still there: ${left.join(', ')}.`);
  log.warn(text);
  note(base, 'orphans-stopped', text);
}

interface Served {
  readonly doors: Pick<SharedAccess, 'apply'>;
  readonly folders: JoinedFolders;
}

type Opened = Base & { readonly closing: Disposables };

/** Opens the shared folders alone: no socket, and nobody else is served. */
function serveFolders(parts: Parts, base: Opened): Served {
  const folders = openFolders(parts, base);
  base.closing.add('the watch of the stop files', followStopFiles(parts, base));
  return { doors: { apply: () => Promise.resolve() }, folders };
}

function openFolders(parts: Parts, base: Opened): JoinedFolders {
  const { closing } = base;
  const folders = joinFolders(parts, base);
  closing.add('the answers in shared folders', async () => folders.finish());
  // While the doors are open, so that each caller hears how the command ended.
  closing.add('the commands under way', async () => endCommands(parts, base));
  closing.add('the shared folders', () => folders.stop());
  return folders;
}

type Base = Pick<
  Parameters<typeof createParts>[0],
  'paths' | 'uid' | 'clock' | 'log' | 'audit' | 'env' | 'secrets'
>;

/** Opens the doors: the API for agents, the connection to the approver. */
async function serve(parts: Parts, base: Opened): Promise<Served> {
  const { paths, uid, clock, log, closing } = base;
  const { link, pending, inFlight, stops, arming, policy, config } = parts;
  const about: StatusParts = {
    version: readVersion(),
    startedAt: clock.now(),
    approvalsSocket: paths.approvalsSocket,
    stops,
    arming,
    policy,
    config,
    link,
    pending,
    inFlight,
    overrides: parts.overrides,
  };
  const push = createStatePush(link, () => runnerState(about), clock);
  closing.add('the news for the approver', push.stop);
  for (const part of [pending, inFlight, stops, arming, policy, parts.overrides])
    part.onChange(push.changed);
  const nodes = joinMachines(parts, base);
  const boxes = boxDesk(parts, base);
  const server = await createApi(apiPorts(parts, base, { ...about, nodes, boxes }), { uid, log });
  closing.add('the socket', await listenOn(server, paths.runnerSocket));
  closing.add('the terminals of boxes', () => boxes.terminals.dispose());
  const tell = note.bind(null, base);
  const doors = createSharedAccess({ config, server, uid, clock, log, note: tell });
  closing.add('the shared socket', doors);
  const folders = openFolders(parts, base);
  await doors.apply();
  closing.add('the place of the approvals token', await keepTokenInPlace(parts, base));
  closing.add('the watch for an approver', keepConnected(parts, base));
  closing.add('the watch of the stop files', followStopFiles(parts, base));
  if (process.platform === 'linux') {
    const logind = gdbus(base.env);
    const session = { clock, uid, log, stops, logind, config: () => config.current() };
    closing.add('the watch of the session', watchSession(session));
  }
  const { openclaw } = config.problem() === null ? config.current() : defaultConfig;
  closing.add("the place at OpenClaw's Gateway", joinOpenClaw({ settings: openclaw, ...base }));
  await nodes.apply();
  const apply = async (): Promise<void> => {
    await doors.apply();
    await nodes.apply();
  };
  return { doors: { apply }, folders };
}

async function endCommands(
  { inFlight, hosts, config }: Parts,
  { paths, uid }: Base,
): Promise<void> {
  inFlight.stopAll('runner-stopping');
  await inFlight.idle();
  for (const host of hosts.all()) host.stopStrays();
  // What left its group, its session or its parent still carries the mark of this home.
  const { exec } = config.problem() === null ? config.current() : defaultConfig;
  const processes = commandProcesses(paths, uid);
  await prepareSweep({ processes, running: [], graceMs: exec.killGraceMs })();
}

/** What the API does for who calls. */
function apiPorts(
  parts: Parts,
  base: Base,
  { nodes, boxes, ...about }: StatusParts & Pick<ApiPorts, 'nodes' | 'boxes'>,
): ApiPorts {
  const { paths, uid, clock, log, audit } = base;
  const { pending, stops, arming, config } = parts;
  const { isOwn, noCommand } = commandsOf(parts);
  const overrideSession = overrideOf(parts, base);
  const left = (): readonly SandboxChange[] => readChanges(changesPath(paths.sandboxLayers), uid);
  const noteLeft = leftNotes(left, (text) => note(base, 'session-left', text));
  const over: ApiPorts['endSession'] = async (end) =>
    endSession(end, { ...parts, uid, config: () => config.current(), ended: noteLeft });
  return {
    gate: parts.gate,
    status: () => statusBody(about),
    events: parts.events,
    stops,
    mayResume: async (pid) => {
      const isOurs = pid !== null && pid !== process.pid && (await isOwn(pid));
      if (isOurs && stops.state().mode === 'paused')
        throw refuse(
          'confirm-rejected',
          'A command cannot end a pause.',
          'A person ends it: in the app, or with "interlock resume" in a terminal of their own.',
        );
      await parts.automaticPause.requireNotItsCause(pid);
    },
    undo: {
      list: async (limit) => parts.undo.list(limit),
      show: async (id) => parts.undo.show(id),
      takeBack: async (order) => {
        const done = await parts.undo.takeBack(order);
        const back = done.files.filter(({ result }) => result === 'taken-back').length;
        if (done.id !== null)
          note(base, 'taken-back', `${back} paths of ${order.id}, as entry ${done.id}`);
        return done;
      },
    },
    left: (session) =>
      lastChanges(left().filter((one) => session === undefined || one.session === session)),
    mayUndo: noCommand('take changes back', 'interlock undo'),
    nodes,
    mayChangeNodes: noCommand('let machines in or out', 'interlock node'),
    boxes,
    mayChangeBoxes: noCommand('end boxes, attach to them or read what they wrote', 'interlock box'),
    arming,
    requirePassphrase: async (passphrase, by) =>
      requirePassphrase(passphrase, { paths, uid, now: () => clock.now(), by }),
    pending,
    considered: parts.remembering.advisors.considered,
    stale: parts.stale,
    answer: createTerminalAnswers({
      clock,
      pending,
      token: parts.token,
      isOwnDescendant: isOwn,
    }),
    breaches: createBreachIntake({
      clock,
      token: parts.token,
      note: (code, text) => audit.append({ type: 'note', at: clock.now(), code, text }),
    }),
    passkeys: passkeyDesk(base, parts),
    history: async (query) => audit.history(query),
    stats: async (query) => audit.stats(query),
    trust: (caller) => trustOf(config.current(), { ...caller, ownUid: uid }),
    grants: parts.grants,
    endSession: over,
    overrides: parts.overrides,
    overrideSession,
    hooks: hookPorts(parts, base, { endSession: over, overrideSession, noCommand }),
    log,
  };
}

/** What tells the commands of this runner from everybody else. */
function commandsOf({ hosts }: Parts) {
  const groups = (): readonly number[] => hosts.all().flatMap((host) => host.groups());
  const isOwn = async (pid: number): Promise<boolean> =>
    isOwnDescendant(pid, { runner: process.pid, groups: groups() });
  const noCommand = (what: string, by: string) => async (pid: number | null) => {
    if (pid === null || (pid !== process.pid && !(await isOwn(pid)))) return;
    throw refuse(
      'confirm-rejected',
      `A command cannot ${what}.`,
      `A person does that: in the app, or with "${by}" in a terminal of their own.`,
    );
  };
  return { isOwn, noCommand };
}

/** What adds and removes passkeys, for as long as nothing is locked. */
function passkeyDesk(
  { paths, uid, clock, audit }: Base,
  { stops, config }: Pick<Parts, 'stops' | 'config'>,
): PasskeyDesk {
  const rpIds = (): readonly string[] => {
    const { ui } = config.problem() === null ? config.current() : defaultConfig;
    return ['localhost', ...(ui.phoneHost === null ? [] : [ui.phoneHost])];
  };
  const how = { paths, uid, now: () => clock.now(), by: 'person at the app' };
  return createPasskeyDesk({
    clock,
    random: randomBytes,
    file: { path: paths.passkeys, uid },
    rpIds,
    hasDevice: (key) => hasItsDevice(key, { paths, uid }),
    requireGoing: () => {
      if (stops.state().mode === 'locked') stops.check();
    },
    requirePassphrase: async (passphrase) => requirePassphrase(passphrase, how),
    append: (row) => audit.append(row),
  });
}
