import { refilled, refuse, sha256 } from '../../shared/base/index.ts';
import type { Clock } from '../../shared/base/index.ts';
import { choiceOf, targetText } from '../../shared/engine/index.ts';
import type { Config, GrantDuration, Target } from '../../shared/engine/index.ts';
import type { Grants } from '../gate/grants.ts';
import { stoppedRefusal } from '../gate/in-flight.ts';
import type { Approver, AskDraft, AskEnding } from '../gate/ports.ts';
import type { AskAnswer, Who } from './ports.ts';

export interface AskAboutHostsOptions {
  readonly clock: Clock;
  readonly newId: () => string;
  readonly approver: Approver;
  readonly grants: Grants;
  readonly config: () => Pick<Config, 'approvals' | 'limits'>;
}

/** Asks a person about hosts that no rule names. */
export interface HostQuestions {
  /**
   * Settles with how it was allowed; rejects with a refusal for all else. An answer holds for as
   * long as the box is there, for the same host and port, and those that wait share one question.
   */
  ask(who: Who, target: Target, gone: AbortSignal): Promise<AskAnswer>;
  /** The box has ended, and with it what was answered for it. */
  ended(box: string): void;
}

interface Waiting {
  readonly answer: Promise<AskAnswer>;
  readonly left: AbortController;
  waiters: number;
}

const proposalId = 'same-host';

/** Questions to a person, by the same way as those about commands. */
export function createHostQuestions(options: AskAboutHostsOptions): HostQuestions {
  const { clock, grants } = options;
  const waiting = new Map<string, Waiting>();
  /** What was answered for a box: null for a yes. */
  const answered = new Map<string, Map<string, Error | null>>();
  const rates = new Map<string, { tokens: number; at: number }>();

  const requireRoom = ({ agent }: Who): void => {
    const { asksPerMinute: perMinute, askBurst: burst, pendingPerAgent } = options.config().limits;
    const own = [...waiting.keys()].filter((key) => key.startsWith(`${agent}\0`)).length;
    const { tokens, at } = rates.get(agent) ?? { tokens: burst, at: clock.elapsed() };
    const left = refilled(tokens, { perMinute, burst }, clock.elapsed() - at);
    rates.set(agent, { tokens: left < 1 ? left : left - 1, at: clock.elapsed() });
    if (left < 1 || own >= pendingPerAgent)
      throw refuse(
        'rate-limit',
        'Too many questions of this agent about hosts are put already.',
        'Wait until some of them are answered.',
      );
  };

  const put = async (who: Who, target: Target, signal: AbortSignal): Promise<AskAnswer> => {
    const draft = draftOf(options.newId(), who, target);
    const isGranted = (): boolean => grants.covers(who.agent, who.session, digestOf(target));
    const ending = await options.approver.ask(draft, {
      timeoutMs: options.config().approvals.askTimeoutMs,
      signal,
      onPending: () => {},
      covered: isGranted,
    });
    if (ending.kind === 'covered' && isGranted()) return 'grant';
    if (ending.kind !== 'decided') throw refusalOf(ending);
    const choice = choiceOf(ending.ask, ending.decision);
    if (choice?.kind === 'once') return 'allow-once';
    if (choice?.kind !== 'remember') throw saidNo(ending.decision.note);
    const now = clock.now();
    grants.add({
      agent: who.agent,
      session: choice.duration === 'session' ? who.session : null,
      grantedAt: now,
      expiresAt: choice.duration === '15-minutes' ? now + 15 * 60_000 : null,
      covers: { kind: 'command', digest: digestOf(target), command: draft.command },
    });
    return 'allow-always';
  };

  const remember = (box: string, host: string, answer: Error | null): void => {
    const own = answered.get(box) ?? new Map<string, Error | null>();
    answered.set(box, own.set(host, answer));
  };

  const begin = (key: string, who: Who, target: Target): Waiting => {
    requireRoom(who);
    const left = new AbortController();
    const host = targetText(target);
    const answer = put(who, target, left.signal)
      .then((how) => {
        remember(who.box, host, null);
        return how;
      })
      .catch((error: unknown) => {
        // Who was told no once in this box is not asked for again.
        if ((error as { refusal?: { code: string } }).refusal?.code === 'confirm-rejected')
          remember(who.box, host, error as Error);
        throw error;
      })
      .finally(() => waiting.delete(key));
    return { answer, left, waiters: 0 };
  };

  return {
    ask: async (who, target, gone) => {
      const known = answered.get(who.box)?.get(targetText(target));
      if (known instanceof Error) throw known;
      if (known === null) return 'allow-once';
      if (grants.covers(who.agent, who.session, digestOf(target))) return 'grant';
      const key = `${who.agent}\0${who.box}\0${targetText(target)}`;
      const one = waiting.get(key) ?? begin(key, who, target);
      waiting.set(key, one);
      one.waiters += 1;
      const leave = (): void => {
        one.waiters -= 1;
        // The last one that waited has gone: nobody needs the answer.
        if (one.waiters === 0) one.left.abort('requester-gone');
      };
      gone.addEventListener('abort', leave, { once: true });
      if (gone.aborted) leave();
      return one.answer.finally(() => gone.removeEventListener('abort', leave));
    },
    ended: (box) => void answered.delete(box),
  };
}

/** By what a yes to a host is known again among grants. */
function digestOf(target: Target): string {
  return sha256(`egress ${targetText(target)}`);
}

function draftOf(id: string, { agent, session, cwd }: Who, target: Target): AskDraft {
  const host = targetText(target);
  const durations: readonly GrantDuration[] = [
    'once',
    '15-minutes',
    ...(session === null ? [] : (['session'] as const)),
    'until-restart',
  ];
  return {
    id,
    kind: 'egress',
    agent,
    session,
    toolUseId: null,
    statedReason: null,
    host: 'sandbox',
    cwd,
    command: host,
    isShellText: false,
    stages: [
      {
        argv: [host],
        resolvedPath: null,
        program: 'tool',
        via: [],
        cwd: null,
        writes: [],
        why: 'No rule names this host. "Once" holds until this command ends.',
        span: null,
      },
    ],
    opaque: null,
    why: `A command of ${agent} in the sandbox wants to reach ${host}, which no rule names.`,
    whyCode: 'egress-unknown',
    whyNotAlways: 'For good, a host is allowed under egress.allow in config.json.',
    risk: { level: 'none', findings: [] },
    env: [],
    ancestry: [],
    proposals: [
      {
        id: proposalId,
        scope: 'exact',
        sentence: `${host}, for whatever this agent runs in a sandbox.`,
        rules: [],
        pastCommands: [],
      },
    ],
    durations,
  };
}

function saidNo(note = ''): Error {
  const said = note.trim();
  return refuse(
    'confirm-rejected',
    said === '' ? 'A person said no to this host.' : `A person said no to this host: ${said}`,
    'Do not try it again; take another way or stop.',
  );
}

function refusalOf(ending: Exclude<AskEnding, { kind: 'decided' }>): Error {
  if (ending.kind === 'stopped') return stoppedRefusal(ending.reason);
  if (ending.kind === 'expired')
    return refuse(
      'approval-timeout',
      'Nobody answered in time whether this host may be reached.',
      'Try again when a person is there, or have one allow it under egress.allow in config.json.',
    );
  const why = ending.kind === 'lost' ? ending.detail : 'Nobody could be asked about this host.';
  return refuse(
    'approver-unavailable',
    why,
    'Have a person allow the host under egress.allow in config.json, or try again later.',
  );
}
