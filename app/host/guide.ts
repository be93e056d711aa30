import type { HistoryEntry, StatusBody } from '../../shared/api/types.ts';
import { guideAgent, guideSteps } from '../bridge/guide.ts';
import type { GuideState, GuideStep } from '../bridge/guide.ts';

/** What the guide looks at. */
export interface GuideFacts {
  readonly hasPolicy: boolean;
  readonly hasPassphrase: boolean;
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
  'first-ask': 'Raise an ask here and answer it, to see how it goes.',
};

const answerCodes: ReadonlySet<string> = new Set([
  'allow-once',
  'allow-always',
  'confirm-rejected',
]);

/** What is set up, step by step. */
export function guideState(facts: GuideFacts): GuideState {
  const asked = facts.history.map(({ agent }) => agent);
  const agents = [...new Set([...facts.keyedAgents, ...asked])].filter(
    (name) => name !== guideAgent && name !== '*',
  );
  const done: Readonly<Record<GuideStep, boolean>> = {
    policy: facts.hasPolicy,
    passphrase: facts.hasPassphrase,
    runner: facts.status !== null,
    agent: agents.length > 0,
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
