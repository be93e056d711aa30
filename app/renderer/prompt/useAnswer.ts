import { useRef, useState } from 'react';
import { attemptAnswer, choicesOf } from '../../bridge/answering.ts';
import type { Choices } from '../../bridge/answering.ts';
import { keysCount } from '../../bridge/arming.ts';
import type { Answer, QueuedAsk } from '../../bridge/types.ts';
import type { GrantDuration } from '../../../shared/engine/index.ts';
import { useApp } from '../state/app.ts';
import { call } from '../state/app.ts';
import { useShown } from '../state/exposure.ts';

export interface Answering {
  readonly choices: Choices;
  readonly duration: GrantDuration;
  readonly proposalId: string | null;
  readonly note: string;
  readonly armed: boolean;
  readonly sending: boolean;
  /** The last answer did not count. */
  readonly late: boolean;
  readonly setDuration: (duration: GrantDuration) => void;
  readonly setProposal: (id: string) => void;
  readonly setNote: (note: string) => void;
  readonly answer: (decision: Answer['decision'], confirmed?: boolean) => void;
  readonly restart: () => void;
}

/** Answers the ask on screen. Bound to that ask: use it with its digest as key. */
export function useAnswer(shown: QueuedAsk): Answering {
  const choices = choicesOf(shown);
  const { exposure, armed, restart } = useShown(shown.askDigest);
  const [duration, setDuration] = useState<GrantDuration>('once');
  const [proposalId, setProposal] = useState(choices.proposals[0]?.id ?? null);
  const [note, setNote] = useState('');
  const [sending, setSending] = useState(false);
  const [late, setLate] = useState(false);
  const busy = useRef(false);

  const answer = async (decision: Answer['decision'], confirmed: boolean): Promise<void> => {
    const now = performance.now();
    const { state, replacedAt } = useApp.getState();
    if (busy.current || !keysCount(replacedAt, now)) return;
    const attempt = attemptAnswer(
      {
        shown,
        decision,
        duration,
        ...(proposalId === null ? {} : { proposalId }),
        note,
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
    const result = await call('answer', attempt.answer);
    busy.current = false;
    setSending(false);
    if (!result.ok) useApp.getState().fail(result.refusal);
    else if (!result.result.accepted) setLate(true);
  };

  return {
    choices,
    duration,
    proposalId,
    note,
    armed,
    sending,
    late,
    setDuration: (wanted) => {
      const offered = choices.durations.some((known) => known === wanted);
      if (wanted === 'once' || offered) setDuration(wanted);
    },
    setProposal,
    setNote,
    answer: (decision, confirmed = false) => void answer(decision, confirmed),
    restart,
  };
}
