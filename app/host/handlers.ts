import { refuse } from '../../shared/refusal/refusal.ts';
import type { Clock } from '../../shared/clock/types.ts';
import { pause, resume } from '../../shared/node/lockout/pause.ts';
import type { HomePaths } from '../../shared/node/home/paths.ts';
import type { RunnerClient } from '../../shared/node/runner-client/types.ts';
import type { Answer, BridgeCalls } from '../bridge/types.ts';
import type { AskDesk } from './ask-desk.ts';
import type { CallHandlers } from './handle.ts';
import { offers } from './offers.ts';
import type { PolicyDesk } from './policy-desk.ts';
import type { ruleHandlers } from './rule-handlers.ts';
import { readHistory, readHistoryStats } from './runner-calls.ts';
import type { setupHandlers } from './setup-handlers.ts';
import { lockOut, unlock } from './stop.ts';
import type { Tester } from './tester.ts';

export interface HandlersOptions {
  readonly paths: HomePaths;
  readonly uid: number;
  readonly clock: Clock;
  readonly desk: AskDesk;
  readonly policy: PolicyDesk;
  readonly tester: Pick<Tester, 'check'>;
  readonly runner: Pick<RunnerClient, 'lockout' | 'pause' | 'resume'>;
  readonly health: {
    check(): Promise<BridgeCalls['health']['result']['checks']>;
    mend(id: string): Promise<void>;
  };
  readonly rules: ReturnType<typeof ruleHandlers>;
  readonly setup: ReturnType<typeof setupHandlers>;
  /** Lockout or pause was changed: look at the state files and the runner again. */
  readonly onStop: () => void;
}

/** The work behind every call. */
export function createHandlers(options: HandlersOptions): CallHandlers {
  const { paths, uid, clock, desk, policy, tester, runner, health, onStop } = options;
  const now = (): number => clock.now();
  const stopping = { runner, paths, now, by: 'person' };
  const answer = (given: Answer): boolean => {
    const queued = desk.state().waiting.find(({ ask }) => ask.id === given.id);
    if (queued === undefined) return false;
    if (offers(queued, given)) return desk.answer(given);
    throw refuse(
      'invalid-request',
      'This answer is not among those that the request offers.',
      'Allow it once, or deny it.',
    );
  };
  const thenLook = async <T>(work: Promise<T>): Promise<T> => {
    try {
      return await work;
    } finally {
      onStop();
    }
  };

  return {
    ...options.rules,
    ...options.setup,
    answer: (args) => ({ accepted: answer(args) }),
    answerMany: ({ answers }) => ({ accepted: answers.map(answer) }),
    savePolicy: (args) => policy.save(args),
    testCommand: ({ agent, command, cwd, document }) =>
      tester.check({ agent, command, cwd, document: document ?? policy.document() }),
    history: (args) => readHistory(paths.runnerSocket, args),
    historyStats: (args) => readHistoryStats(paths.runnerSocket, args),
    health: async () => ({ checks: await health.check() }),
    mend: async ({ id }) => {
      await health.mend(id);
      return { checks: await health.check() };
    },
    lockout: ({ reason }) => thenLook(lockOut({ runner, paths, uid, clock }, reason)),
    pause: async ({ reason }) => {
      await thenLook(pause(stopping, reason));
      return {};
    },
    resume: async () => {
      await thenLook(resume(stopping));
      return {};
    },
    unlock: (args) => thenLook(unlock({ paths, uid, now }, args)),
  };
}
