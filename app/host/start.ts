import { hookPlaces } from '../../shared/agents/index.ts';
import { randomUUID } from 'node:crypto';
import { accessSync, constants, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { RefusalError, refusalOf } from '../../shared/base/index.ts';
import { createEngine } from '../../shared/engine/index.ts';
import type { Config, RunnerState } from '../../shared/engine/index.ts';
import {
  leaveNoCore,
  namedSecretsRevision,
  openHome,
  openMachine,
  requireHomeVersion,
  requireSecretName,
  systemClock,
} from '../../shared/home/index.ts';
import type { Home } from '../../shared/home/index.ts';
import { ancestryOf, listen, runnerClient } from '../../shared/ipc/index.ts';
import type { Listener } from '../../shared/ipc/index.ts';
import {
  checkHealth,
  hasPassphrase,
  listSecrets,
  lockoutTimeoutMs,
  mendHealth,
} from '../../shared/operations/index.ts';
import type { AppState } from '../bridge/types.ts';
import { createAskQueue } from './ask-queue.ts';
import type { AskQueue } from './ask-queue.ts';
import { createBreachReports, createBreaches } from './breaches.ts';
import { connectHandlers } from './connect-handlers.ts';
import { connectionServer } from './connections.ts';
import { watchKeys } from './device-door.ts';
import { createDispatcher } from './dispatch.ts';
import { createHandlers, ruleHandlers } from './handlers.ts';
import { passkeyDoor } from './passkey-handlers.ts';
import { createPolicyController } from './policy-controller.ts';
import { createSimulator, createTester } from './rule-tester.ts';
import { createRunnerStart } from './runner-start.ts';
import { createRunnerSessions, watchRunner } from './runner-state.ts';
import type { RunnerWatch } from './runner-state.ts';
import { createSecretGuard } from './secret-guard.ts';
import { createSettingsController } from './settings.ts';
import { setupHandlers } from './setup-handlers.ts';
import { starterHandlers } from './starter-handlers.ts';
import { focusRunning, listenForStarts } from './single-instance.ts';
import { createStateFeed } from './state-feed.ts';
import { watchStopState } from './stop.ts';
import { plainFacts } from './types.ts';
import type { RunningHost, UiHostOptions, UiHostStart } from './types.ts';
import { version1Handlers } from './version-1.ts';

/** Whether this user can enter the folder. */
function isFolder(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}

/**
 * Starts the one UI host of this home: opens the approvals socket and keeps the queue. When
 * another one owns the socket it is brought to the front instead. Rejects with a refusal when the
 * socket is somebody else's, its path is unsafe, or the home is of a newer program.
 */
export async function startUiHost(options: UiHostOptions): Promise<UiHostStart> {
  const { home: paths, shell } = options;
  requireHomeVersion(paths);
  const parts = createParts(options);
  const { clock } = parts;
  const connections = connectionsOf(parts);
  const listeners: Listener[] = [];
  const close = async (): Promise<void> => {
    parts.dispose();
    await Promise.all(listeners.map((listener) => listener.dispose()));
    await connections.dispose();
  };
  const guard = createSecretGuard({
    revision: () => namedSecretsRevision(paths.keysDirectory, paths.uid),
    values: async () => (await (await openHome(options.env).openNamedSecrets()).values()).values(),
    beforeValues: leaveNoCore,
    log: parts.log,
  });
  await guard.refresh();
  try {
    listeners.push(await listen(paths.approvalsSocket, connections.serve, { clock }));
    const answer = (): RunningHost => ({ shell, pid: process.pid, link: options.onFocus() });
    listeners.push(await listenForStarts({ paths, uid: paths.uid, onFocus: answer }));
  } catch (error) {
    await close();
    const other =
      refusalOf(error)?.code === 'concurrency-busy'
        ? await focusRunning(paths, { uid: paths.uid, clock })
        : null;
    if (other === null) throw error;
    return { kind: 'already-running', other };
  }
  parts.begin();
  return {
    kind: 'started',
    host: {
      ...guard.around({
        handle: createDispatcher(handlersOf(options, parts, connections.breaches)),
        subscribe: (listener) => parts.feed.subscribe(listener),
      }),
      door: passkeyDoor(parts),
      dispose: close,
    },
  };
}

type Parts = ReturnType<typeof createParts>;

function asksOf(asks: AskQueue): Pick<AppState, 'queue' | 'missed' | 'covered'> {
  const { waiting: queue, missed, covered } = asks.state();
  return { queue, missed, covered };
}

/** What the host knows, and the state that pages see of it. */
function createParts(options: UiHostOptions) {
  const { home: paths, env } = options;
  const { uid } = paths;
  const clock = options.clock ?? systemClock;
  const log = options.log ?? ((): void => undefined);
  const facts = options.facts ?? plainFacts([]);
  const base = { paths, uid, env, clock, log, facts };
  const now = (): number => clock.now();
  const config = paths.configOrSafe();
  const runner = runnerClient({ socketPath: paths.runnerSocket, timeoutMs: lockoutTimeoutMs });
  let watch: RunnerWatch | null = null;
  const look = (): void => watch?.look();

  const changed = (): void => feed.changed();
  const asks = createAskQueue({ now, onChange: changed });
  const sessions = createRunnerSessions({ asks, onChange: changed, onGone: look });
  const machine = openMachine(env, uid, { now, places: () => hookPlaces(env) });
  const engine = createEngine(machine, () => configNow(paths));
  const policy = createPolicyController({ path: paths.policy, uid, engine, onChange: changed });
  const tester = createTester(engine);
  const settings = createSettingsController({
    file: paths.uiSettings,
    uid,
    config,
    clock,
    facts,
    onChange: changed,
  });
  const runnerState = (): RunnerState | null => sessions.state() ?? watch?.state() ?? null;
  const runnerStart = createRunnerStart({
    env,
    platform: process.platform,
    uid,
    fromShell: facts.startRunner,
    running: () => runnerState() !== null,
  });
  const feed = createStateFeed({
    clock,
    parts: () => ({
      runner: runnerState(),
      ...asksOf(asks),
      policy: policy.status(),
      stop: stop.state(),
      ...(stop.state().mode === 'locked' && { wayOut: wayOutOf(paths) }),
      ...keys.state(),
      pace: { armDelayMs: config.ui.armDelayMs, holdMs: config.ui.holdMs },
      settings: settings.view(),
      canStartRunner: runnerStart.possible(),
      canOpenBrowser: facts.openInBrowser() !== null,
    }),
  });
  const stop = watchStopState(paths, { clock, onChange: changed });
  const keys = watchKeys({ paths, uid, clock }, changed);
  return {
    ...base,
    runner,
    asks,
    sessions,
    engine,
    policy,
    tester,
    settings,
    runnerStart,
    feed,
    stop,
    keys,
    look,
    /** From now on the runner is watched, and so is what the shell knows. */
    begin: (): void => {
      facts.onChange(changed);
      watch = watchRunner({
        clock,
        status: () => runner.status(),
        connected: () => sessions.state() !== null,
        onChange: changed,
      });
    },
    dispose: (): void => {
      for (const part of [watch, stop, keys, settings, feed, policy, sessions]) part?.dispose();
    },
  };
}

/** What answers runners on the approvals socket, and counts the breaches of its protocol. */
function connectionsOf(parts: Parts) {
  const { paths, env, clock, log, runner, asks, sessions, policy, tester } = parts;
  // Reads the policy each time: after a lockout a runner connects with the new token before any watch has fired.
  const token = paths.tokens(clock);
  const now = (): number => clock.now();
  const breaches = createBreaches(now);
  const reports = createBreachReports({
    clock,
    log,
    token,
    send: (report) => runner.reportBreaches(report),
  });
  const version1 = version1Handlers({
    asks,
    runner,
    now,
    newId: () => `v1-${randomUUID()}`,
    home: env['HOME'] ?? homedir(),
    isFolder,
    look: (request) => tester.verdictOn({ ...request, document: policy.document() }),
    ancestryOf,
  });
  const serve = connectionServer({
    uid: paths.uid,
    clock,
    log,
    token,
    onBreach: (code, pid) => {
      breaches.add(code);
      reports.add(code, pid);
    },
    onSession: (session) => sessions.add(session),
    version1: () => (paths.configOrSafe().approvals.v1 ? version1 : null),
  });
  return { serve, breaches, dispose: () => reports.dispose() };
}

/** What the host does when a page calls. */
function handlersOf(
  { packageRoot }: UiHostOptions,
  parts: Parts,
  breaches: ReturnType<typeof createBreaches>,
) {
  const { paths, env, clock, runner, asks, engine, policy, tester, settings, stop, look } = parts;
  const { uid } = paths;
  const home = env['HOME'] ?? homedir();
  const surroundings = { paths, env, uid, packageRoot, platform: process.platform };
  const locked = (): boolean => {
    stop.look();
    return stop.state().mode === 'locked';
  };
  return createHandlers({
    paths,
    uid,
    clock,
    asks,
    policy,
    tester,
    runner,
    secrets: {
      list: async () => listSecrets(openHome(env)),
      remove: async (name) => {
        requireSecretName(name);
        return (await openHome(env).openNamedSecrets()).remove(name);
      },
    },
    health: {
      check: async () => [...(await checkHealth(surroundings)), breaches.check()],
      mend: (id) => mendHealth(id, surroundings),
    },
    rules: ruleHandlers({
      policy,
      engine,
      config: () => configNow(paths),
      now: () => clock.now(),
      simulator: createSimulator({
        engine,
        past: async (agent, limit) => (await runner.history({ offset: 0, limit, agent })).entries,
        tools: {
          directory: paths.toolsDirectory,
          uid,
          kept: async () =>
            new Set((await openHome(env).openNamedSecrets()).list().map(({ name }) => name)),
        },
      }),
    }),
    setup: setupHandlers({
      paths,
      uid,
      cwd: home,
      policy,
      settings,
      runner,
      runnerStart: parts.runnerStart,
      openInBrowser: parts.facts.openInBrowser,
      answered: () => asks.answeredAny(),
      locked,
    }),
    connect: connectHandlers({ ...surroundings, home: env['HOME'] ?? homedir(), locked }),
    devices: parts.keys,
    starters: starterHandlers({ home, now: () => clock.now(), policy, engine, runner }),
    onStop: () => {
      stop.look();
      look();
    },
  });
}

/** A lockout can be the first thing that a person does, before there is a passphrase. */
function wayOutOf({ passphrase, uid }: Home): 'passphrase' | 'terminal' {
  return hasPassphrase({ path: passphrase, uid }) ? 'passphrase' : 'terminal';
}

/** As the runner has it: while the file is not valid there is no verdict to show. */
function configNow(home: Home): Config {
  const file = home.readConfig();
  if (!file.ok) throw new RefusalError(file.problem);
  return file.config;
}
