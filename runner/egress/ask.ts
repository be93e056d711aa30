import { messageOf, refilled, refuse, sha256 } from '../../shared/base/index.ts';
import type { Clock } from '../../shared/base/index.ts';
import {
  agentWords,
  boxOfAgent,
  choiceOf,
  hostText,
  targetText,
} from '../../shared/engine/index.ts';
import type {
  Config,
  GivenAnswer,
  GrantDuration,
  Presence,
  Proposal,
  Rule,
  Target,
} from '../../shared/engine/index.ts';
import type { Grants } from '../gate/grants.ts';
import { answersOf } from '../gate/answers.ts';
import { isLock, stoppedRefusal } from '../gate/in-flight.ts';
import type { Approver, AskDraft, AskEnding } from '../gate/ports.ts';
import type { Log } from '../service/log.ts';
import type { AskAnswer, HostAnswer, Who } from './ports.ts';

export interface AskAboutHostsOptions {
  readonly clock: Clock;
  readonly newId: () => string;
  readonly approver: Approver;
  readonly grants: Grants;
  /** Throws what a lock of everything, or of this agent, throws. */
  readonly admit: (agent: string) => void;
  readonly config: () => Pick<Config, 'approvals' | 'limits'>;
  /** Writes rules to the policy file; rejects when they cannot be saved. */
  readonly save: (agent: string, rules: readonly Rule[]) => Promise<void>;
  /** What the rules say to a host now. */
  readonly policyVerdict: (agent: string, target: Target) => 'allow' | 'ask' | 'deny';
  /** What it takes to allow a host; null where the policy does not say. */
  readonly presence: (agent: string) => Presence | null;
  /** How many different people have to allow a host for this agent. */
  readonly approvers: (agent: string) => number;
  readonly log: Pick<Log, 'warn'>;
}

/** Asks a person about hosts that no rule names. */
export interface HostQuestions {
  /**
   * Settles with how it was allowed; rejects with a refusal for all else. An answer holds for as
   * long as the box is there, for the same host and port, and those that wait share one question.
   */
  ask(who: Who, target: Target, gone: AbortSignal): Promise<HostAnswer>;
  /** The box has ended, and with it what was answered for it. */
  ended(box: string): void;
}

interface Waiting {
  readonly answer: Promise<HostAnswer>;
  readonly left: AbortController;
  waiters: number;
}

const proposalId = 'same-host';
const neverId = 'never-host';

/** Questions to a person, by the same way as those about commands. */
export function createHostQuestions(options: AskAboutHostsOptions): HostQuestions {
  return new Questions(options);
}

class Questions implements HostQuestions {
  readonly #options: AskAboutHostsOptions;
  readonly #waiting = new Map<string, Waiting>();
  /** What was answered for a box: who said yes, or the no. */
  readonly #answered = new Map<string, Map<string, Error | HostAnswer>>();
  readonly #rates = new Map<string, { tokens: number; at: number }>();

  constructor(options: AskAboutHostsOptions) {
    this.#options = options;
  }

  async ask(who: Who, target: Target, gone: AbortSignal): Promise<HostAnswer> {
    const known = this.#answered.get(who.box)?.get(targetText(target));
    if (known instanceof Error) throw known;
    if (known !== undefined) return known;
    if (this.#isGranted(who, target)) return { code: 'grant' };
    const key = `${who.agent}\0${who.box}\0${targetText(target)}`;
    const waiting = this.#waiting.get(key);
    const one = waiting ?? this.#begin(key, who, target);
    this.#waiting.set(key, one);
    one.waiters += 1;
    const leave = (): void => {
      one.waiters -= 1;
      // The last one that waited has gone: nobody needs the answer.
      if (one.waiters === 0) one.left.abort('requester-gone');
    };
    gone.addEventListener('abort', leave, { once: true });
    if (gone.aborted) leave();
    const answer = one.answer.finally(() => gone.removeEventListener('abort', leave));
    return waiting === undefined ? answer : answer.then(withoutProof);
  }

  ended(box: string): void {
    this.#answered.delete(box);
  }

  #isGranted({ agent, session }: Who, target: Target): boolean {
    return this.#options.grants.covers(agent, session, digestOf(target));
  }

  #requireRoom({ agent }: Who): void {
    const { clock, config } = this.#options;
    const { asksPerMinute: perMinute, askBurst: burst, pendingPerAgent } = config().limits;
    const own = [...this.#waiting.keys()].filter((key) => key.startsWith(`${agent}\0`)).length;
    const { tokens, at } = this.#rates.get(agent) ?? { tokens: burst, at: clock.elapsed() };
    const left = refilled(tokens, { perMinute, burst }, clock.elapsed() - at);
    this.#rates.set(agent, { tokens: left < 1 ? left : left - 1, at: clock.elapsed() });
    if (left < 1 || own >= pendingPerAgent)
      throw refuse(
        'rate-limit',
        'Too many questions of this agent about hosts are put already.',
        'Wait until some of them are answered.',
      );
  }

  #begin(key: string, who: Who, target: Target): Waiting {
    this.#requireRoom(who);
    const left = new AbortController();
    const host = targetText(target);
    const answer = this.#put(who, target, left.signal)
      .then((how) => {
        // What a rule allows ends with the rule.
        const isRuled = this.#options.policyVerdict(who.agent, target) === 'allow';
        if (!isRuled) this.#remember(who.box, host, withoutProof({ ...how, code: 'allow-once' }));
        return how;
      })
      .catch((error: unknown) => {
        // Who was told no once in this box is not asked for again.
        if ((error as { refusal?: { code: string } }).refusal?.code === 'confirm-rejected')
          this.#remember(who.box, host, error as Error);
        throw error;
      })
      .finally(() => this.#waiting.delete(key));
    return { answer, left, waiters: 0 };
  }

  /** A lock may be of this one agent, and says so itself. */
  #refusalOf({ agent }: Who, ending: Exclude<AskEnding, { kind: 'decided' }>): Error {
    if (ending.kind !== 'stopped' || !isLock(ending.reason)) return refusalOf(ending);
    try {
      this.#options.admit(agent);
      return refusalOf(ending);
    } catch (error) {
      return error as Error;
    }
  }

  #remember(box: string, host: string, answer: Error | HostAnswer): void {
    const own = this.#answered.get(box) ?? new Map<string, Error | HostAnswer>();
    this.#answered.set(box, own.set(host, answer));
  }

  async #put(who: Who, target: Target, signal: AbortSignal): Promise<HostAnswer> {
    const { newId, approver, config, policyVerdict } = this.#options;
    const approvers = this.#options.approvers(who.agent);
    const presence = approvers > 1 ? 'passkey' : this.#options.presence(who.agent);
    const draft: AskDraft = {
      ...draftOf(newId(), who, target),
      ...(presence !== null && { presence, durations: ['once'], proposals: [] }),
      ...(approvers > 1 && { approvers }),
    };
    const isRuled = (): boolean => policyVerdict(who.agent, target) === 'allow';
    const covered = (): boolean => this.#isGranted(who, target) || isRuled();
    const ending = await approver.ask(draft, {
      timeoutMs: config().approvals.askTimeoutMs,
      signal,
      onPending: () => {},
      covered,
    });
    if (ending.kind === 'covered' && covered()) return { code: isRuled() ? 'rule-allow' : 'grant' };
    const answers = answersOf(ending);
    if (ending.kind !== 'decided') throw answeredBy(this.#refusalOf(who, ending), answers);
    const { earlier = [], proof } = ending;
    const code = await this.#decided(who, target, ending).catch((error: unknown) => {
      throw answeredBy(error as Error, answers);
    });
    return {
      code,
      answers,
      ...(approvers > 1 && { approvers }),
      ...(earlier.length > 0 && { earlier }),
      // By the name of the ask that was signed, as each way has a row of its own.
      ...(proof !== undefined && { proof: { ...proof, askId: proof.askId ?? ending.ask.id } }),
    };
  }

  async #decided(
    who: Who,
    target: Target,
    { ask, decision }: Extract<AskEnding, { kind: 'decided' }>,
  ): Promise<AskAnswer> {
    const choice = choiceOf(ask, decision);
    if (choice?.kind === 'once') return 'allow-once';
    if (choice?.kind === 'never') {
      await this.#save(who.agent, choice.proposal);
      throw saidNo(decision.note);
    }
    if (choice?.kind !== 'remember') throw saidNo(decision.note);
    const { duration, proposal } = choice;
    if (duration === 'always') await this.#save(who.agent, proposal);
    else this.#grant(who, target, duration);
    return 'allow-always';
  }

  #grant({ agent, session }: Who, target: Target, duration: GrantDuration): void {
    const { clock, grants } = this.#options;
    const now = clock.now();
    grants.add({
      agent,
      session: duration === 'session' ? session : null,
      grantedAt: now,
      expiresAt: duration === '15-minutes' ? now + 15 * 60_000 : null,
      covers: { kind: 'command', digest: digestOf(target), command: targetText(target) },
    });
  }

  /** The answer counts also where its rule cannot be written: a yes for this box, a no for it. */
  async #save(agent: string, { rules }: Proposal): Promise<void> {
    const { clock, newId, save, log } = this.#options;
    const createdAt = clock.now();
    try {
      await save(
        agent,
        rules.map((rule) => ({ ...rule, id: newId(), createdAt })),
      );
    } catch (error) {
      log.warn(`A rule about a host could not be saved: ${messageOf(error)}`);
    }
  }
}

/** Who answered, for whoever comes after the one that was asked about: what was signed is in that row. */
function withoutProof({ code, answers }: HostAnswer): HostAnswer {
  return { code, ...(answers !== undefined && { answers }) };
}

const answeredWith = new WeakMap<object, readonly GivenAnswer[]>();

function answeredBy(error: Error, answers: readonly GivenAnswer[]): Error {
  answeredWith.set(error, answers);
  return error;
}

/** Who gave the answers behind a refusal; empty where nobody did. */
export function answersBehind(error: unknown): readonly GivenAnswer[] {
  return typeof error === 'object' && error !== null ? (answeredWith.get(error) ?? []) : [];
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
    'always',
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
        why: `No rule allows this host. "Once" holds until ${boxOfAgent(agent) === null ? 'this command ends' : 'this box is stopped, or the runner'}.`,
        span: null,
      },
    ],
    opaque: null,
    why: `A command of ${agentWords(agent)} in the sandbox wants to reach ${host}, which no rule allows.`,
    whyCode: 'egress-unknown',
    risk: { level: 'none', findings: [] },
    env: [],
    ancestry: [],
    proposals: [
      {
        id: proposalId,
        scope: 'exact',
        sentence: `Lets ${agentWords(agent, 'every agent')} reach ${host} with whatever it runs in a sandbox.`,
        rules: [{ kind: 'egress', effect: 'allow', pattern: host, source: 'allow-always' }],
        pastCommands: [],
      },
    ],
    never: {
      id: neverId,
      scope: 'exact',
      sentence: `Never lets ${agentWords(agent, 'any agent')} reach ${hostText(target)}, on any port.`,
      rules: [{ kind: 'egress', effect: 'deny', pattern: hostText(target), source: 'deny-always' }],
      pastCommands: [],
    },
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
      'Try again when a person is there, or have one allow the host.',
    );
  const why = ending.kind === 'lost' ? ending.detail : 'Nobody could be asked about this host.';
  return refuse(
    'approver-unavailable',
    why,
    'Have a person allow it (interlock approvals allow --kind egress -- HOST), or try again later.',
  );
}
