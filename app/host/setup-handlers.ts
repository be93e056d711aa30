import { join } from 'node:path';
import { readPrincipalFile } from '../../shared/node/agent-keys/principal-file.ts';
import type { HomePaths } from '../../shared/node/home/paths.ts';
import { hasPassphrase } from '../../shared/node/presence/passphrase.ts';
import type { RunnerClient } from '../../shared/node/runner-client/types.ts';
import { guideState } from './guide.ts';
import type { CallHandlers } from './handle.ts';
import type { PolicyDesk } from './policy-desk.ts';
import type { RunnerStart } from './runner-start.ts';
import type { SettingsDesk } from './settings/settings-desk.ts';
import { tryAsk } from './try-ask.ts';

export interface SetupHandlersOptions {
  readonly paths: Pick<HomePaths, 'keysDirectory' | 'passphrase'>;
  readonly uid: number;
  /** Where the command of the guide's ask would run; absolute. */
  readonly cwd: string;
  readonly policy: Pick<PolicyDesk, 'document'>;
  readonly settings: Pick<SettingsDesk, 'view' | 'change'>;
  readonly runner: Pick<RunnerClient, 'status' | 'history' | 'exec'>;
  readonly runnerStart: RunnerStart;
  /** A person has answered an ask since this host started. */
  readonly answered: () => boolean;
}

/** How far back the guide looks for an agent and an answer, in decisions. */
const lookBack = 200;

/** The work behind the calls that set the program up. */
export function setupHandlers(
  options: SetupHandlersOptions,
): Pick<CallHandlers, 'settings' | 'changeSettings' | 'guide' | 'tryAsk' | 'startRunner'> {
  const { paths, uid, cwd, policy, settings, runner, runnerStart, answered } = options;
  return {
    settings: () => settings.view(),
    changeSettings: ({ choice }) => settings.change(choice),
    guide: async () => {
      const [status, history] = await Promise.all([
        runner.status().catch(() => null),
        runner.history({ offset: 0, limit: lookBack }).catch(() => null),
      ]);
      return guideState({
        hasPolicy: policy.document() !== null,
        hasPassphrase: hasPassphrase({ path: paths.passphrase, uid }),
        status,
        keyedAgents: keyedAgents(join(paths.keysDirectory, 'agents.json'), uid),
        history: history?.entries ?? [],
        answered: answered(),
      });
    },
    tryAsk: () => tryAsk({ runner, cwd }),
    startRunner: () => runnerStart.start(),
  };
}

/** Health says what is wrong with a file that cannot be read; the guide only has no agents then. */
function keyedAgents(path: string, uid: number): readonly string[] {
  try {
    const { agents } = readPrincipalFile(path, uid);
    return Object.entries(agents).flatMap(([name, { keyedAt }]) =>
      keyedAt === null ? [] : [name],
    );
  } catch {
    return [];
  }
}
