import { randomUUID } from 'node:crypto';
import { homedir } from 'node:os';
import type { RunnerState } from '../../shared/ask/types.ts';
import { systemClock } from '../../shared/node/clock/system.ts';
import { checkHealth } from '../../shared/node/health/health.ts';
import { mendHealth } from '../../shared/node/health/mend.ts';
import { lockoutTimeoutMs } from '../../shared/node/lockout/lock-out.ts';
import { ancestryOf } from '../../shared/node/peer/ancestry.ts';
import { readPolicyFile } from '../../shared/node/policy-file/read.ts';
import { runnerClient } from '../../shared/node/runner-client/client.ts';
import { listen } from '../../shared/node/transport/ipc.ts';
import type { Listener } from '../../shared/node/transport/ipc.ts';
import { refusalOf } from '../../shared/refusal/refusal.ts';
import { connectionServer } from './connections.ts';
import { createBreachReports } from './breach-reports.ts';
import { createBreaches } from './breaches.ts';
import { createAskDesk } from './ask-desk.ts';
import { readConfig } from './config.ts';
import { knock, openFrontDesk } from './front-desk.ts';
import { createDoor } from './handle.ts';
import { createHandlers } from './handlers.ts';
import { createPolicyDesk } from './policy-desk.ts';
import { ruleHandlers } from './rule-handlers.ts';
import { createRunnerSessions } from './runner-sessions.ts';
import { createRunnerStart } from './runner-start.ts';
import { watchRunner } from './runner-watch.ts';
import type { RunnerWatch } from './runner-watch.ts';
import { createSettingsDesk } from './settings/settings-desk.ts';
import { plainFacts } from './shell-facts.ts';
import { setupHandlers } from './setup-handlers.ts';
import { createSimulator } from './simulator.ts';
import { createStateFeed } from './state-feed.ts';
import { watchStopState } from './stop-watch.ts';
import { createTester } from './tester.ts';
import type { RunningHost, UiHostOptions, UiHostStart } from './types.ts';
import { isFolder } from './version-1/folder.ts';
import { version1Handlers } from './version-1/handlers.ts';

/**
 * Starts the one UI host of this home: opens the approvals socket and keeps the queue. When
 * another one owns the socket it is brought to the front instead. Rejects with a refusal when the
 * socket is somebody else's, or its path is unsafe.
 */
export async function startUiHost(options: UiHostOptions): Promise<UiHostStart> {
  const { paths, env, shell } = options;
  const clock = options.clock ?? systemClock;
  const log = options.log ?? ((): void => undefined);
  const now = (): number => clock.now();
  const uid = process.geteuid?.() ?? -1;
  const config = readConfig(paths.config, { uid });
  const runner = runnerClient({ socketPath: paths.runnerSocket, timeoutMs: lockoutTimeoutMs });

  const changed = (): void => feed.changed();
  const desk = createAskDesk({ now, onChange: changed });
  const sessions = createRunnerSessions({
    desk,
    onChange: changed,
    onGone: () => watch?.look(),
  });
  const policy = createPolicyDesk({ path: paths.policy, uid, onChange: changed });
  const tester = createTester({ env, uid, now, workspaces: config.exec.workspaces });
  const facts = options.facts ?? plainFacts([]);
  const settings = createSettingsDesk({
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
  const breaches = createBreaches(now);
  const breachReports = createBreachReports({
    clock,
    log,
    token: () => tokenNow(paths.policy, uid),
    send: (report) => runner.reportBreaches(report),
  });
  const feed = createStateFeed({
    clock,
    parts: () => ({
      runner: runnerState(),
      queue: desk.state().waiting,
      missed: desk.state().missed,
      policy: policy.view(),
      stop: stop.state(),
      pace: { armDelayMs: config.ui.armDelayMs, holdMs: config.ui.holdMs },
      settings: settings.view(),
      canStartRunner: runnerStart.possible(),
    }),
  });
  let watch: RunnerWatch | null = null;
  const stop = watchStopState(paths, { clock, onChange: changed });

  const serve = connectionServer({
    uid,
    clock,
    log,
    // Read anew: after a lockout a runner comes with the new token before any watch has fired.
    token: () => tokenNow(paths.policy, uid),
    onBreach: (code, pid) => {
      breaches.add(code);
      breachReports.add(code, pid);
    },
    onSession: (session) => sessions.add(session),
    version1: config.approvals.v1
      ? version1Handlers({
          desk,
          runner,
          now,
          newId: () => `v1-${randomUUID()}`,
          home: env['HOME'] ?? homedir(),
          isFolder,
          look: (request) => tester.verdictOn({ ...request, document: policy.document() }),
          ancestryOf,
        })
      : null,
  });

  const listeners: Listener[] = [];
  const close = async (): Promise<void> => {
    watch?.stop();
    stop.close();
    settings.close();
    feed.close();
    policy.close();
    sessions.close();
    await Promise.all(listeners.map((listener) => listener.close()));
    await breachReports.close();
  };
  try {
    listeners.push(await listen(paths.approvalsSocket, serve, { clock }));
    const answer = (): RunningHost => ({ shell, pid: process.pid, link: options.onFocus() });
    listeners.push(await openFrontDesk({ paths, uid, onFocus: answer }));
  } catch (error) {
    await close();
    const other =
      refusalOf(error)?.code === 'concurrency-busy' ? await knock(paths, { uid, clock }) : null;
    if (other === null) throw error;
    return { kind: 'already-running', other };
  }

  facts.onChange(changed);
  watch = watchRunner({
    clock,
    status: () => runner.status(),
    connected: () => sessions.state() !== null,
    onChange: changed,
  });
  const surroundings = {
    paths,
    env,
    uid,
    packageRoot: options.packageRoot,
    platform: process.platform,
  };
  const handlers = createHandlers({
    paths,
    uid,
    clock,
    desk,
    policy,
    tester,
    runner,
    health: {
      check: async () => [...(await checkHealth(surroundings)), breaches.check()],
      mend: (id) => mendHealth(id, surroundings),
    },
    rules: ruleHandlers({
      policy,
      tester,
      simulator: createSimulator({
        tester,
        past: async (agent, limit) => (await runner.history({ offset: 0, limit, agent })).entries,
      }),
    }),
    setup: setupHandlers({
      paths,
      uid,
      cwd: env['HOME'] ?? homedir(),
      policy,
      settings,
      runner,
      runnerStart,
      answered: () => desk.answeredAny(),
    }),
    onStop: () => {
      stop.look();
      watch?.look();
    },
  });
  return {
    kind: 'started',
    host: {
      handle: createDoor(handlers),
      subscribe: (listener) => feed.subscribe(listener),
      close,
    },
  };
}

function tokenNow(path: string, uid: number): string | null {
  const file = readPolicyFile(path, { uid, keepLastGood: false });
  return file.ok ? (file.document.socket?.token ?? null) : null;
}
