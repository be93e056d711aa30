import type { OnReadOpts, Socket } from 'node:net';
import { messageOf, refuse, refilled, waitFor } from '../../shared/base/index.ts';
import type { RefusalCode } from '../../shared/base/index.ts';
import {
  addressProblem,
  addressText,
  judgeTarget,
  parseAddress,
  targetText,
  transformsFor,
} from '../../shared/engine/index.ts';
import type {
  Address,
  EgressPolicy,
  EgressVerdict,
  GivenAnswer,
  Target,
  Transform,
} from '../../shared/engine/index.ts';
import { namesOf } from '../gate/answers.ts';
import { asRefusal, denied, upstreamGone } from './answers.ts';
import { answersBehind } from './ask.ts';
import type { AskAnswer, EgressPorts, HostAnswer, Who } from './ports.ts';

/** A way to a target that was allowed and written down; it holds until it ends or is taken back. */
export interface Permission {
  readonly who: Who;
  readonly target: Target;
  /** What is done to headers on it now: settings may have changed since. */
  transforms(isPlain: boolean): readonly Transform[];
  /** A connection to one of the addresses that were looked at, read as told. Rejects with a refusal. */
  connect(onread?: OnReadOpts): Promise<Socket>;
  /** Called when it is taken back; at once where it was already. The answer forgets about it. */
  onRevoked(close: () => void): () => void;
  readonly isRevoked: () => boolean;
  /** It is not used any more. A second call does nothing. */
  end(sent: number, received: number): void;
}

export interface Permits {
  /** Decides, asks where that is to be asked, looks the name up, writes it down. Rejects with a refusal. */
  permit(
    who: Who,
    target: Target,
    what: 'CONNECT' | 'HTTP' | 'HTTPS',
    gone: AbortSignal,
  ): Promise<Permission>;
  /** Counts one more request on a way that is there. Throws `rate-limit`. */
  count(who: Who): void;
  /** Takes back what the settings forbid by now. */
  recheck(): void;
  /** Takes everything back, of one box or of all. */
  revokeAll(box?: string): void;
  readonly open: () => number;
}

interface Live {
  readonly permission: Permission;
  readonly byPerson: boolean;
  readonly addresses: readonly Address[];
  readonly looksInto: boolean;
  revoke(code: RefusalCode): void;
}

const dialMs = 15_000;
const quietMs = 60_000;
const mostRefused = 1_000;

/** The one place that says yes to a way out of a box. */
export function createPermits(ports: EgressPorts): Permits {
  return new Ways(ports);
}

/** What was decided about a target. */
interface Decided extends Pick<Live, 'addresses' | 'byPerson'> {
  readonly verdict: EgressVerdict;
  readonly code: AskAnswer;
  readonly answer: HostAnswer | undefined;
}

/** What the record has of an answer beside its code. */
function answeredFields({ code: _code, ...answered }: HostAnswer = { code: 'grant' }) {
  return answered;
}

/** `Ben and the owner allowed it.` where passkeys show who it was. */
function reasonOf(answers: readonly GivenAnswer[] = []): string {
  return `${namesOf(answers) ?? 'A person'} allowed it.`;
}

class Ways implements Permits {
  readonly #ports: EgressPorts;
  readonly #live = new Set<Live>();
  readonly #buckets = new Map<string, { tokens: number; at: number }>();
  readonly #waiting = new Map<string, number>();
  readonly #toldAt = new Map<string, number>();

  constructor(ports: EgressPorts) {
    this.#ports = ports;
  }

  open(): number {
    return this.#live.size;
  }

  count({ agent }: Who): void {
    const { requestsPerMinute: perMinute, burst } = this.#ports.settings(agent);
    const rate = { perMinute, burst };
    const now = this.#ports.clock.elapsed();
    const { tokens: before, at } = this.#buckets.get(agent) ?? { tokens: burst, at: now };
    const tokens = refilled(before, rate, now - at);
    this.#buckets.set(agent, { tokens: tokens < 1 ? tokens : tokens - 1, at: now });
    if (tokens < 1) throw tooMany(waitFor(tokens, rate));
  }

  async permit(
    who: Who,
    target: Target,
    how: 'CONNECT' | 'HTTP',
    gone: AbortSignal,
  ): Promise<Permission> {
    const what = `${how} ${targetText(target)}`;
    this.#waiting.set(who.agent, (this.#waiting.get(who.agent) ?? 0) + 1);
    try {
      const decided = await this.#decide(who, target, gone);
      const { verdict, code, answer } = decided;
      const byRule = code === 'rule-allow';
      // What was signed names its ask, and verify looks for it there.
      const id = answer?.proof?.askId?.split('.')[0] ?? this.#ports.newId();
      await this.#ports.record.allowed({
        id,
        who,
        what,
        code,
        by: byRule ? 'policy' : 'person',
        reason: byRule ? verdict.reason : reasonOf(answer?.answers),
        ruleIds: ruleIdsOf(verdict),
        ...(!byRule && answeredFields(answer)),
      });
      return made({ ports: this.#ports, live: this.#live, id, who, target, ...decided });
    } catch (error) {
      throw this.#refused(who, { what, target }, error);
    } finally {
      this.#waiting.set(who.agent, (this.#waiting.get(who.agent) ?? 1) - 1);
    }
  }

  recheck(): void {
    for (const one of this.#live) {
      const { who, target } = one.permission;
      try {
        this.#ports.admit(who.agent);
        const isSame = looksInto(this.#ports, who, target) === one.looksInto;
        if (this.#judged(who, target, one).problem !== null || !isSame) one.revoke('egress-deny');
      } catch (error) {
        one.revoke(asRefusal(error).code);
      }
    }
  }

  revokeAll(box?: string): void {
    for (const one of this.#live)
      if (box === undefined || one.permission.who.box === box) one.revoke('requester-gone');
  }

  async #decide(who: Who, target: Target, gone: AbortSignal): Promise<Decided> {
    const { admit, settings, ask } = this.#ports;
    admit(who.agent);
    this.count(who);
    this.#requireRoom(who);
    const first = judgeTarget(settings(who.agent).policy, target);
    const answer = first.verdict === 'ask' ? await ask?.(who, target, gone) : undefined;
    const isAnswered = answer !== undefined && answer.code !== 'rule-allow';
    if (answer === undefined && first.verdict !== 'allow') throw denied(first.reason);
    const addresses = await this.#lookUp(target);
    // While we waited both may have changed.
    admit(who.agent);
    const { verdict, problem } = this.#judged(who, target, { addresses, byPerson: isAnswered });
    if (problem !== null) throw denied(problem);
    // What a rule allows by now stands and falls with the rule.
    const byPerson = isAnswered && verdict.verdict !== 'allow';
    return { addresses, byPerson, verdict, code: answer?.code ?? 'rule-allow', answer };
  }

  #requireRoom({ agent }: Who): void {
    const own = [...this.#live].filter(({ permission }) => permission.who.agent === agent).length;
    const waiting = this.#waiting.get(agent) ?? 0;
    if (own + waiting > this.#ports.settings(agent).connections)
      throw refuse(
        'concurrency-busy',
        'Too many connections of this agent are open at once.',
        'Close some, then try again.',
      );
  }

  /** What an allowed target leads to; throws where one of the addresses must not be dialled. */
  async #lookUp(target: Target): Promise<readonly Address[]> {
    if (target.address !== null) return [target.address];
    const found = await this.#ports.resolve(target.host).catch((error: unknown) => {
      throw upstreamGone(`${target.host} was not found (${messageOf(error)})`);
    });
    const addresses = found.flatMap((text) => parseAddress(text) ?? []);
    if (addresses.length === 0 || addresses.length < found.length)
      throw upstreamGone(`${target.host} leads to no address`);
    return addresses;
  }

  /** What the settings say now, to a target and all that it leads to. */
  #judged(
    who: Who,
    target: Target,
    { addresses, byPerson }: Pick<Live, 'addresses' | 'byPerson'>,
  ): { readonly verdict: EgressVerdict; readonly problem: string | null } {
    const { policy } = this.#ports.settings(who.agent);
    const verdict = judgeTarget(policy, target);
    const isAllowed = verdict.verdict === 'allow' || (byPerson && verdict.verdict === 'ask');
    if (!isAllowed) return { verdict, problem: verdict.reason };
    const own = new Set(this.#ports.ownAddresses());
    const mayBePrivate = verdict.verdict === 'allow' && verdict.mayBePrivate;
    for (const address of addresses) {
      const isOurs = own.has(addressText(address));
      const problem = addressProblem(policy, { target, address, isOurs, mayBePrivate });
      if (problem !== null) return { verdict, problem };
    }
    return { verdict, problem: null };
  }

  #refused(
    who: Who,
    { what, target }: { readonly what: string; readonly target: Target },
    error: unknown,
  ): Error {
    const { code, message } = asRefusal(error);
    const key = `${who.box} ${what} ${code}`;
    const now = this.#ports.clock.elapsed();
    // A client that tries again and again is one line a minute.
    if (now - (this.#toldAt.get(key) ?? -Infinity) >= quietMs) {
      if (this.#toldAt.size >= mostRefused) this.#toldAt.clear();
      this.#toldAt.set(key, now);
      const id = this.#ports.newId();
      const by = code === 'confirm-rejected' ? 'person' : 'policy';
      const ruleIds = code === 'egress-deny' ? this.#deniedBy(who, target) : [];
      const answers = answersBehind(error);
      const said = answers.length > 0 && { answers };
      this.#ports.record.refused({ id, who, what, code, by, reason: message, ruleIds, ...said });
    }
    return error as Error;
  }

  #deniedBy({ agent }: Who, target: Target): readonly string[] {
    try {
      return ruleIdsOf(judgeTarget(this.#ports.settings(agent).policy, target));
    } catch {
      return [];
    }
  }
}

function ruleIdsOf({ ruleId }: EgressVerdict): readonly string[] {
  return ruleId === null ? [] : [ruleId];
}

/** Whether headers of encrypted requests to a target are changed, for which they have to be read. */
export function looksInto(ports: Pick<EgressPorts, 'settings'>, who: Who, target: Target): boolean {
  return transformsFor(ports.settings(who.agent).policy, target, false).length > 0;
}

interface LastTransforms {
  readonly policy: EgressPolicy;
  readonly isPlain: boolean;
  readonly found: readonly Transform[];
}

function made({
  ports,
  live,
  id,
  who,
  target,
  addresses,
  byPerson,
}: {
  readonly ports: EgressPorts;
  readonly live: Set<Live>;
  readonly id: string;
  readonly who: Who;
  readonly target: Target;
} & Pick<Live, 'addresses' | 'byPerson'>): Permission {
  const since = ports.clock.elapsed();
  const closers = new Set<() => void>();
  let isRevoked = false;
  let code: RefusalCode | null = null;
  /** Understood once for as many requests as come while the settings stay. */
  let last: LastTransforms | null = null;
  const permission: Permission = {
    who,
    target,
    transforms: (isPlain) => {
      const { policy } = ports.settings(who.agent);
      if (last?.policy !== policy || last.isPlain !== isPlain)
        last = { policy, isPlain, found: transformsFor(policy, target, isPlain) };
      return last.found;
    },
    connect: async (onread) => connectTo(ports, { target, addresses, onread }),
    isRevoked: () => isRevoked,
    onRevoked: (close) => {
      if (isRevoked) close();
      else closers.add(close);
      return () => void closers.delete(close);
    },
    end: (sent, received) => {
      if (!live.delete(entry)) return;
      isRevoked = true;
      const durationMs = Math.round(ports.clock.elapsed() - since);
      ports.record.ended({ id, durationMs, code, sent, received });
    },
  };
  const entry: Live = {
    permission,
    byPerson,
    addresses,
    looksInto: looksInto(ports, who, target),
    revoke: (why) => {
      if (isRevoked) return;
      isRevoked = true;
      code = why;
      for (const close of closers) close();
      closers.clear();
    },
  };
  live.add(entry);
  return permission;
}

/** Tries the addresses one after another: the very ones that were looked at, and no name. */
async function connectTo(
  ports: EgressPorts,
  { target, addresses, onread }: Pick<Live, 'addresses'> & Connecting,
): Promise<Socket> {
  let last: unknown;
  for (const address of addresses) {
    try {
      return await connected(ports, address, { target, onread });
    } catch (error) {
      last = error;
    }
  }
  throw upstreamGone(`${targetText(target)} (${messageOf(last)})`);
}

interface Connecting {
  readonly target: Target;
  readonly onread: OnReadOpts | undefined;
}

async function connected(
  ports: EgressPorts,
  address: Address,
  { target: { port }, onread }: Connecting,
): Promise<Socket> {
  const socket = ports.dial(address, port, onread === undefined ? {} : { onread });
  return new Promise((resolve, reject) => {
    const cancel = ports.clock.after(dialMs, () => socket.destroy(new Error('it took too long')));
    const failed = (error: Error): void => {
      cancel();
      reject(error);
    };
    socket.once('error', failed);
    socket.once('connect', () => {
      cancel();
      socket.off('error', failed);
      socket.setNoDelay(true);
      resolve(socket);
    });
  });
}

/** `rate-limit`, with how long to wait. */
export function tooMany(waitMs: number): Error {
  const seconds = String(Math.max(1, Math.ceil(waitMs / 1_000)));
  return refuse(
    'rate-limit',
    'This agent opens too many connections in a short time.',
    `Wait ${seconds} s, then try again.`,
  );
}
