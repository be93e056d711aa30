import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { RefusalError, refuse } from '../../shared/base/index.ts';
import type { PolicyDocument } from '../../shared/engine/index.ts';
import { readPrincipalFile } from '../../shared/home/index.ts';
import type { HomePaths } from '../../shared/home/index.ts';
import type { RunnerClient } from '../../shared/ipc/index.ts';
import { hasPassphrase, setPassphrase } from '../../shared/operations/index.ts';
import type { HistoryEntry, StatusBody } from '../../shared/wire/index.ts';
import { guideAgent, guideSteps } from '../bridge/types.ts';
import type { GuideState, GuideStep, TriedAsk } from '../bridge/types.ts';
import type { CallHandlers } from './dispatch.ts';
import type { PolicyController } from './policy-controller.ts';
import type { RunnerStart } from './runner-start.ts';
import type { SettingsController } from './settings.ts';
import type { OpenInBrowser } from './types.ts';

/** What the guide goes by. */
interface GuideFacts {
  readonly hasPolicy: boolean;
  readonly hasPassphrase: boolean;
  /** Some rule allows something. */
  readonly allowsSomething: boolean;
  readonly status: StatusBody | null;
  /** Agents that have a key of their own. */
  readonly keyedAgents: readonly string[];
  /** The newest decisions; empty when there is no runner to tell them. */
  readonly history: readonly Pick<HistoryEntry, 'agent' | 'by' | 'code'>[];
  /** A person has answered an ask since this host started. */
  readonly answered: boolean;
}

const hints: Readonly<Record<GuideStep, string>> = {
  policy: 'Run "interlock init" in a terminal: it writes a policy in which everybody has to ask.',
  passphrase:
    'Run "interlock passphrase" in a terminal and choose one: a lockout is opened with it.',
  runner:
    'Start it with "interlock runner" in a terminal, or for good with "interlock service install".',
  agent: 'Connect an agent: "interlock install claude" or "interlock install codex".',
  starter:
    'Choose a set of rules here, or say "interlock approvals starter add project" in the folder of a project.',
  'first-ask': 'Raise an ask here and answer it, to see how it goes.',
};

const answerCodes: ReadonlySet<string> = new Set([
  'allow-once',
  'allow-always',
  'confirm-rejected',
]);

/** What is set up, step by step. */
function guideState(facts: GuideFacts): GuideState {
  const asked = facts.history.map(({ agent }) => agent);
  const agents = [...new Set([...facts.keyedAgents, ...asked])].filter(
    (name) => name !== guideAgent && name !== '*',
  );
  const done: Readonly<Record<GuideStep, boolean>> = {
    policy: facts.hasPolicy,
    passphrase: facts.hasPassphrase,
    runner: facts.status !== null,
    agent: agents.length > 0,
    starter: facts.allowsSomething,
    'first-ask':
      facts.answered ||
      facts.history.some(({ by, code }) => by === 'person' && answerCodes.has(code)),
  };
  const steps = guideSteps.map((step) => ({
    step,
    done: done[step],
    hint: done[step] ? '' : hints[step],
  }));
  return { steps, agents: agents.toSorted(), finished: steps.every((step) => step.done) };
}

/** Prints something and changes nothing. */
const command = "echo 'Interlock asked, and you answered.'";

interface TryAskOptions {
  readonly runner: Pick<RunnerClient, 'exec'>;
  /** Absolute; where the command would run. */
  readonly cwd: string;
}

/**
 * Asks the runner to run a harmless command for which a person must always be asked, and returns as
 * soon as the ask waits. It is handled like any other: the answer is a real one, and it is logged.
 * Throws the runner's refusal when it does not ask.
 */
async function tryAsk({ runner, cwd }: TryAskOptions): Promise<TriedAsk> {
  const events = runner.exec({
    command,
    cwd,
    agent: guideAgent,
    ask: 'always',
    statedReason: 'You started this from the guide.',
  });
  for (;;) {
    const { value: event, done } = await events.next();
    if (done === true || event === undefined) break;
    if (event.type === 'refused') throw new RefusalError(event.refusal);
    if (event.type !== 'pending') continue;
    void readToTheEnd(events);
    return { askId: event.askId, command, expiresAt: event.expiresAt };
  }
  throw refuse(
    'host-unavailable',
    'The runner ended the request without asking.',
    'Look at the history, and try again.',
  );
}

/** Closing the stream would withdraw the ask. How it ends is in the history. */
async function readToTheEnd(events: ReturnType<RunnerClient['exec']>): Promise<void> {
  try {
    while ((await events.next()).done !== true);
  } catch {
    // The runner went away: it withdraws its asks by itself.
  }
}

interface SetupHandlersOptions {
  readonly paths: Pick<HomePaths, 'keysDirectory' | 'passphrase'>;
  readonly uid: number;
  /** Where the command of the guide's ask would run; absolute. */
  readonly cwd: string;
  readonly policy: Pick<PolicyController, 'document'>;
  readonly settings: Pick<SettingsController, 'view' | 'change'>;
  readonly runner: Pick<RunnerClient, 'status' | 'history' | 'exec'>;
  readonly runnerStart: RunnerStart;
  /** Null where the shell's page is in a browser, or in a terminal. */
  readonly openInBrowser: () => OpenInBrowser | null;
  /** A person has answered an ask since this host started. */
  readonly answered: () => boolean;
  /** Everything is locked out, or it cannot be told. */
  readonly locked: () => boolean;
}

/** How far back the guide looks for an agent and an answer, in decisions. */
const lookBack = 200;

/** The handlers of the calls that set the program up. */
export function setupHandlers(
  options: SetupHandlersOptions,
): Pick<
  CallHandlers,
  | 'settings'
  | 'changeSettings'
  | 'guide'
  | 'setPassphrase'
  | 'tryAsk'
  | 'startRunner'
  | 'openInBrowser'
> {
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
        allowsSomething: allowsSomething(policy.document()),
        hasPassphrase: hasPassphrase({ path: paths.passphrase, uid }),
        status,
        keyedAgents: keyedAgents(join(paths.keysDirectory, 'agents.json'), uid),
        history: history?.entries ?? [],
        answered: answered(),
      });
    },
    setPassphrase: async ({ passphrase }) => {
      const file = { path: paths.passphrase, uid };
      if (options.locked())
        throw refuse(
          'lockout-active',
          'No passphrase can be set while everything is locked.',
          'At a terminal, "interlock unlock" says how to get out.',
        );
      if (hasPassphrase(file))
        throw refuse(
          'invalid-request',
          'There is a passphrase already.',
          'Change it at a terminal with "interlock passphrase", which asks for the old one.',
        );
      await setPassphrase(passphrase, { ...file, random: randomBytes });
      return {};
    },
    tryAsk: () => tryAsk({ runner, cwd }),
    startRunner: () => runnerStart.start(),
    openInBrowser: async (args) => {
      const open = options.openInBrowser();
      if (open !== null) return open(args);
      throw refuse(
        'invalid-request',
        'Only the menu-bar app has a page to open in a browser.',
        'For the browser console: interlock ui --console',
      );
    },
  };
}

function allowsSomething(document: PolicyDocument | null): boolean {
  return Object.values(document?.agents ?? {}).some(
    ({ security, allowlist = [] }) =>
      security === 'full' || allowlist.some(({ effect = 'allow' }) => effect === 'allow'),
  );
}

/** Health says what is wrong with a file that cannot be read; the guide just lists no agents then. */
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
