import { Agent, request } from 'node:http';
import { messageOf } from '../../shared/base/index.ts';
import type { Clock } from '../../shared/base/index.ts';
import { parseAdvice, isLoopbackUrl } from '../../shared/engine/index.ts';
import type { Advice, Advised, AdvisorQuestion } from '../../shared/engine/index.ts';
import { redactKept } from '../audit/rule-set.ts';
import type { ConsideredAsk } from '../../shared/wire/index.ts';
import { advisorPlaceProblem } from '../../shared/operations/index.ts';
import { askProgram, mostAnswer } from './program.ts';
import type { Asking } from './program.ts';

interface AdvisorsOptions {
  readonly clock: Pick<Clock, 'after' | 'now'>;
  readonly uid: number;
  /** INTERLOCK_HOME. */
  readonly home: string;
  /** Marks the processes of one question. */
  readonly newId: () => string;
  /** How many may be asked at once. */
  readonly atOnce: () => number;
}

/** One question to one advisor. */
export interface Consultation {
  readonly advised: Advised;
  readonly question: AdvisorQuestion;
  /** Folders in which the asking agent may write; an advisor there is not started. */
  readonly workspaces: readonly string[];
  /** Aborted when the ask is over, by a lockout too. */
  readonly signal: AbortSignal;
}

/** Asks advisors: so many at once, and each for no longer than its deadline. */
export interface Advisors {
  /** What it said. Whatever goes wrong is an advice of `none` with the reason. Never rejects. */
  consult(consultation: Consultation): Promise<Advice>;
  /** What is being looked at, oldest first. */
  readonly considered: () => readonly ConsideredAsk[];
}

/** Longest text of a question that is passed on, in characters each. */
const mostText = 32_000;

export function createAdvisors(options: AdvisorsOptions): Advisors {
  const places = createPlaces(options.atOnce);
  const looking = new Set<ConsideredAsk>();
  return {
    considered: () => [...looking],
    consult: async ({ advised, question, workspaces, signal }) => {
      const { name, timeoutMs } = advised;
      const since = options.clock.now();
      const { agent, cwd, command } = question;
      const entry = { agent, cwd, command, by: name, since, until: since + timeoutMs };
      looking.add(entry);
      const over = new AbortController();
      const stop = (why: string) => (): void => over.abort(new Error(why));
      const gone = stop('the ask was over');
      const cancel = options.clock.after(
        timeoutMs,
        stop(`it took longer than ${String(timeoutMs / 1_000)} s`),
      );
      if (signal.aborted) gone();
      signal.addEventListener('abort', gone, { once: true });
      try {
        const leave = await places.enter(over.signal);
        try {
          const text = await sent(advised, {
            question: `${JSON.stringify(withoutSecrets(question))}\n`,
            signal: over.signal,
            workspaces,
            options,
          });
          over.signal.throwIfAborted();
          const read = parseAdvice(text);
          if (!read.ok) throw new Error(`its answer does not count: ${read.error}`);
          const { answer, reason } = read.answer;
          return { by: name, answer, reason: redactKept(reason).slice(0, 1_000) };
        } finally {
          leave();
        }
      } catch (error) {
        const why = redactKept(messageOf(error)).slice(0, 500);
        return { by: name, answer: 'none', reason: /[.!?]$/u.test(why) ? why : `${why}.` };
      } finally {
        looking.delete(entry);
        cancel();
        signal.removeEventListener('abort', gone);
      }
    },
  };
}

async function sent(
  { how }: Advised,
  {
    question,
    signal,
    workspaces,
    options,
  }: {
    readonly question: string;
    readonly signal: AbortSignal;
    readonly workspaces: readonly string[];
    readonly options: AdvisorsOptions;
  },
): Promise<string> {
  if (how.kind === 'server') return askServer(how.url, { question, signal });
  const { uid, home } = options;
  const problem = advisorPlaceProblem(how.argv, { uid, home, workspaces });
  if (problem !== null) throw new Error(`it was not started: ${problem}`);
  return askProgram(how.argv, { question, signal, home, id: options.newId() });
}

/** Whoever comes when all places are taken waits, in order, until its signal comes. */
function createPlaces(most: () => number) {
  let taken = 0;
  const waiting = new Set<() => void>();
  const leave = (): void => {
    taken -= 1;
    const [next] = waiting;
    next?.();
  };
  return {
    enter: async (signal: AbortSignal): Promise<() => void> => {
      signal.throwIfAborted();
      if (taken >= most())
        await new Promise<void>((resolve, reject) => {
          const go = (): void => {
            waiting.delete(go);
            signal.removeEventListener('abort', stop);
            // Taken here, so that nobody who comes meanwhile is let in before.
            taken += 1;
            resolve();
          };
          const stop = (): void => {
            waiting.delete(go);
            reject(signal.reason as Error);
          };
          waiting.add(go);
          signal.addEventListener('abort', stop, { once: true });
        });
      else taken += 1;
      let isGone = false;
      return () => {
        if (isGone) return;
        isGone = true;
        leave();
      };
    },
  };
}

/** Every text in it as the record would keep it. */
export function withoutSecrets(question: AdvisorQuestion): AdvisorQuestion {
  // Before the cut: of half a value nobody could tell what it is.
  const kept = (text: string): string => redactKept(text).slice(0, mostText);
  const orNull = (text: string | null): string | null => (text === null ? null : kept(text));
  const { agent, cwd, command, detail, programs, opaque, why, risk } = question;
  const findings = risk.findings.map((one) => ({ ...one, text: kept(one.text) }));
  return {
    ...question,
    agent: kept(agent),
    cwd: kept(cwd),
    command: kept(command),
    detail: orNull(detail),
    programs: programs.map(orNull),
    opaque: orNull(opaque),
    why: kept(why),
    risk: { ...risk, findings },
  };
}

/**
 * Posts the question to a server of this machine and returns the body of its answer. Goes by no proxy
 * and follows nothing. Rejects with a sentence for any status but 200, for too much, and when the
 * signal comes.
 */
async function askServer(url: string, { question, signal }: Asking): Promise<string> {
  signal.throwIfAborted();
  if (!isLoopbackUrl(url)) throw new Error('its address is not on loopback');
  // An agent of its own: the global one may have been told of a proxy by the environment.
  const agent = new Agent({ keepAlive: false });
  try {
    return await posted(url, { question, signal, agent });
  } finally {
    agent.destroy();
  }
}

async function posted(
  url: string,
  {
    question,
    signal,
    agent,
  }: { readonly question: string; readonly signal: AbortSignal; readonly agent: Agent },
): Promise<string> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json', accept: 'application/json' };
    const asked = request(url, { method: 'POST', agent, headers });
    const fail = (error: Error): void => {
      reject(error);
      asked.destroy();
    };
    const stop = (): void => fail(signal.reason as Error);
    signal.addEventListener('abort', stop, { once: true });
    asked.once('close', () => signal.removeEventListener('abort', stop));
    asked.on('error', () => reject(new Error('it could not be reached')));
    asked.once('response', (response) => {
      if (response.statusCode !== 200) {
        fail(new Error(`it answered with status ${String(response.statusCode)}`));
        return;
      }
      const chunks: Buffer[] = [];
      let length = 0;
      response.on('error', () => reject(new Error('its answer broke off')));
      response.on('data', (chunk: Buffer) => {
        length += chunk.length;
        if (length > mostAnswer) fail(new Error('it wrote too much'));
        else chunks.push(chunk);
      });
      response.once('end', () => {
        if (response.complete) resolve(Buffer.concat(chunks).toString('utf8'));
        else reject(new Error('its answer broke off'));
      });
      response.once('aborted', () => reject(new Error('its answer broke off')));
    });
    asked.end(question);
  });
}
