import { useRef, useState } from 'react';
import { attemptAnswer, choicesOf, firstChoice } from '../../bridge/answering.ts';
import type { Choices } from '../../bridge/answering.ts';
import { keysCount } from '../../bridge/arming.ts';
import type { Answer, QueuedAsk } from '../../bridge/types.ts';
import type { Ask, GrantDuration, Proposal } from '../../../shared/engine/index.ts';
import { useApp } from '../state/app.ts';
import { call } from '../state/app.ts';
import { useShown } from '../state/exposure.ts';
import { withPasskey } from '../passkeys/ceremony.ts';
import { showBackInApp, showRemembered } from '../state/toast.ts';

export interface Answering {
  readonly choices: Choices;
  readonly duration: GrantDuration;
  /** What the wider answer would cover; null where none is offered. */
  readonly proposal: Proposal | null;
  /** It would hold for every agent, not only for the one that asks. */
  readonly everyAgent: boolean;
  readonly note: string;
  readonly armed: boolean;
  readonly sending: boolean;
  /** The last answer did not count. */
  readonly late: boolean;
  readonly setDuration: (duration: GrantDuration) => void;
  readonly setProposal: (id: string) => void;
  readonly setEveryAgent: (every: boolean) => void;
  /** The next width; behind the last comes the first. */
  readonly widen: () => void;
  readonly setNote: (note: string) => void;
  readonly answer: (decision: Answer['decision'], confirmed?: boolean) => void;
  /** Allows it with a passkey, which signs for just this. */
  readonly signed: () => void;
  /** Denies it for good, where that is offered. */
  readonly never: () => void;
  readonly restart: () => void;
}

/** What was chosen for commands of a kind, for as long as the page is open. */
const habits = new Map<
  string,
  { readonly scope: Proposal['scope']; readonly duration: GrantDuration }
>();

/** Commands that are remembered alike: the same program, or the same use of a tool. */
function habitOf({ kind, agent, stages }: Ask): string {
  return JSON.stringify([agent, kind, ...stages.map(({ argv }) => argv[0])]);
}

/** How long, how widely and for whom a yes is to hold. */
function useWidth(ask: Ask, choices: Choices) {
  const habit = habits.get(habitOf(ask));
  const [chosenDuration, setDuration] = useState(habit?.duration ?? 'always');
  const duration: GrantDuration =
    choices.durations.find((each) => each === chosenDuration) ?? choices.durations[0] ?? 'once';
  const [proposalId, setProposal] = useState(
    () =>
      (choices.proposals.find(({ scope }) => scope === habit?.scope) ?? firstChoice(choices))?.id,
  );
  const proposal = choices.proposals.find(({ id }) => id === proposalId) ?? null;
  // No habit: for every agent is chosen anew each time.
  const [forAll, setEveryAgent] = useState(false);
  return {
    duration,
    proposal,
    everyAgent: forAll && choices.everyAgent && duration === 'always',
    setDuration: (wanted: GrantDuration): void => {
      if (choices.durations.some((known) => known === wanted)) setDuration(wanted);
    },
    setProposal: (id: string): void => setProposal(id),
    setEveryAgent,
    widen: (): void => {
      const at = choices.proposals.findIndex(({ id }) => id === proposalId);
      setProposal(choices.proposals[(at + 1) % choices.proposals.length]?.id);
    },
  };
}

/** On a device a yes is for once, and takes its passkey. */
function forOnce(choices: Choices): Choices {
  const nothing = { durations: [], proposals: [], never: null };
  return { ...choices, ...nothing, remember: false, everyAgent: false, stepUp: true };
}

/** Answers the ask on screen. Bound to that ask: use it with its digest as key. */
export function useAnswer(shown: QueuedAsk): Answering {
  const isDevice = useApp(({ state }) => state?.device !== undefined);
  const offered = choicesOf(shown);
  const choices = isDevice ? forOnce(offered) : offered;
  const { exposure, armed, restart } = useShown(shown.askDigest);
  const width = useWidth(shown.ask, choices);
  const { duration, proposal, everyAgent } = width;
  const [note, setNote] = useState('');
  const [sending, setSending] = useState(false);
  const [late, setLate] = useState(false);
  const busy = useRef(false);

  const answer = async (
    decision: Answer['decision'],
    { confirmed = false, never = false, sign = false },
  ): Promise<void> => {
    const now = performance.now();
    const { state, replacedAt } = useApp.getState();
    if (busy.current || !keysCount(replacedAt, now)) return;
    const attempt = attemptAnswer(
      {
        shown,
        decision,
        duration,
        ...(proposal !== null && { proposalId: proposal.id }),
        everyAgent,
        note,
        never,
        confirmed,
      },
      {
        queue: state?.queue ?? [],
        exposure,
        now,
        pace: state?.pace,
      },
    );
    if (!attempt.send) return;
    busy.current = true;
    setSending(true);
    const ready = sign ? await withPasskey(shown, attempt.answer) : attempt.answer;
    const result = ready === null ? null : await call('answer', ready);
    busy.current = false;
    setSending(false);
    if (result === null) return;
    if (!result.ok) useApp.getState().fail(result.refusal);
    else if (!result.result.accepted) setLate(true);
    else if (sign) showBackInApp();
    else if (never) showRemembered(shown.ask.id, 'rule');
    else if (decision === 'allow-always' && proposal !== null) {
      habits.set(habitOf(shown.ask), { scope: proposal.scope, duration });
      showRemembered(shown.ask.id, duration === 'always' ? 'rule' : 'grant');
    }
  };

  return {
    ...width,
    choices,
    note,
    armed,
    sending,
    late,
    setNote,
    answer: (decision, confirmed = false) => void answer(decision, { confirmed }),
    signed: () => void answer('allow-once', { confirmed: true, sign: true }),
    never: () => void answer('deny', { never: true }),
    restart,
  };
}
