import type { AncestorProcess, DecisionWord } from '../../../shared/ask/types.ts';
import type { V1Handlers } from '../../../shared/node/protocol/v1/types.ts';
import type { RunnerClient } from '../../../shared/node/runner-client/types.ts';
import type { Verdict } from '../../../shared/verdict/types.ts';
import type { AskDesk, Asker } from '../ask-desk.ts';
import { askOfRequest } from './ask-of-request.ts';
import { runForClient } from './exec.ts';

export interface Version1Options {
  readonly desk: AskDesk;
  readonly runner: Pick<RunnerClient, 'exec'>;
  readonly now: () => number;
  readonly newId: () => string;
  readonly home: string;
  /** Whether a path is a folder that can be entered; it only finds the words of a refusal. */
  readonly isFolder: (path: string) => boolean;
  /** What our own analysis sees in a command, for the prompt; it decides nothing here. */
  readonly look: (request: {
    readonly agent: string;
    readonly command: string;
    readonly cwd: string;
  }) => Promise<Verdict>;
  readonly ancestryOf: (pid: number) => Promise<readonly AncestorProcess[]>;
}

/** Answers version-1 clients: their questions join the queue, their commands go to the runner. */
export function version1Handlers(options: Version1Options): V1Handlers {
  const { desk, runner, now, newId, home, isFolder, look, ancestryOf } = options;
  return {
    decide: async (request, offered, { peer, signal }) => {
      const agent = request.agentId ?? 'main';
      const seen = look({ agent, command: request.command, cwd: request.cwd ?? home });
      const pid = peer?.pid ?? null;
      const ancestry = pid === null ? [] : await ancestryOf(pid).catch(() => []);
      const verdict = await seen.catch(() => null);
      if (signal.aborted) return null;
      const queued = askOfRequest(request, { id: newId(), now: now(), ancestry, verdict });
      return new Promise<DecisionWord | null>((resolve) => {
        const asker: Asker = {
          deliver: ({ decision }) => {
            const fits = offered.includes(decision);
            if (signal.aborted || (!fits && decision !== 'deny')) return false;
            resolve(fits ? decision : null);
            return true;
          },
        };
        if (!desk.take(asker, queued)) {
          resolve(null);
          return;
        }
        signal.addEventListener('abort', () => {
          desk.withdrawAll(asker, 'requester-gone');
          resolve(null);
        });
      });
    },
    onExec: (request, { signal }) => runForClient(runner, request, { home, signal, isFolder }),
  };
}
