import { compile, readJson, s } from '../base/index.ts';
import type { Static } from '../base/index.ts';
import { requestKinds } from './policy/types.ts';

/** Programs and local servers that a person has asks looked at by. None unless `config.json` names one. */

const advisorName = s.string({ pattern: '^[a-z0-9](?:[a-z0-9-]{0,38}[a-z0-9])?$' });

/** One of `argv` and `url`. */
const advisor = s.file({
  /** Absolute program and its arguments; started without a shell. */
  argv: s.optional(
    s.array(s.string({ minLength: 1, maxLength: 4_096, pattern: '^[^\\u0000]*$' }), {
      minItems: 1,
      maxItems: 64,
    }),
  ),
  /** On this machine's loopback, by number. */
  url: s.optional(s.string({ maxLength: 2_048 })),
  /** How long it has, waiting for its turn included. */
  timeoutMs: s.optional(s.integer({ minimum: 100, maximum: 60_000 })),
});
type AdvisorConfig = Static<typeof advisor>;

const defaultAdvisorTimeoutMs = 5_000;

/** What an advisor's word counts for; each includes the ones before it. */
const advisorCounts = ['note', 'tighten', 'answer'] as const;

export const advisorFields = {
  programs: s.record(advisor, { maxProperties: 20, names: advisorName }),
  /** How many are asked at once; the others wait, on their own time. */
  atOnce: s.integer({ minimum: 1, maximum: 32 }),
};

/** Which advisor looks at the asks of an agent, and what its word counts for. */
export const advisedSchema = s.file({
  /** Null: none, also where `"*"` has one. */
  by: s.nullable(advisorName),
  counts: s.optional(s.oneOf(advisorCounts)),
  /** What `refuse` does where it counts: the ask is held as one of high risk, or denied. */
  onRefuse: s.optional(s.oneOf(['hold', 'deny'])),
});

/** An advisor as it holds for one agent. */
export interface Advised {
  readonly name: string;
  readonly counts: (typeof advisorCounts)[number];
  readonly onRefuse: 'hold' | 'deny';
  readonly timeoutMs: number;
  readonly how:
    | { readonly kind: 'program'; readonly argv: readonly string[] }
    | { readonly kind: 'server'; readonly url: string };
}

/** The parts of a config that say who advises. */
interface AdvisorSettings {
  readonly advisors: { readonly programs: Readonly<Record<string, AdvisorConfig>> };
  readonly agents: Readonly<Record<string, { readonly advisor?: Static<typeof advisedSchema> }>>;
}

/** Who looks at the asks of this agent; null where nobody does. */
export function advisedFor(config: AdvisorSettings, agent: string): Advised | null {
  const chosen = ownOf(config.agents, agent)?.advisor ?? ownOf(config.agents, '*')?.advisor;
  if (chosen?.by === undefined || chosen.by === null) return null;
  const { counts = 'note', onRefuse = 'hold' } = chosen;
  return advisorNamed(config, chosen.by, { counts, onRefuse });
}

/** An advisor by its name; null where there is none. */
export function advisorNamed(
  { advisors: { programs } }: Pick<AdvisorSettings, 'advisors'>,
  name: string,
  as: Pick<Advised, 'counts' | 'onRefuse'>,
): Advised | null {
  const found = ownOf(programs, name);
  if (found === undefined) return null;
  const { argv, url, timeoutMs = defaultAdvisorTimeoutMs } = found;
  if (argv !== undefined) return { name, ...as, timeoutMs, how: { kind: 'program', argv } };
  return url === undefined ? null : { name, ...as, timeoutMs, how: { kind: 'server', url } };
}

function ownOf<T>(record: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(record, key) ? record[key] : undefined;
}

/** What is wrong with the advisors of a config, as a sentence; null where nothing is. */
export function advisorProblem(config: AdvisorSettings): string | null {
  for (const [name, one] of Object.entries(config.advisors.programs)) {
    const at = `advisors.programs.${name}`;
    if ((one.argv === undefined) === (one.url === undefined))
      return `${at} needs one of "argv" and "url".`;
    if (one.argv !== undefined && !one.argv[0]?.startsWith('/'))
      return `${at} has to name its program by its absolute path.`;
    if (one.url !== undefined && !isLoopbackUrl(one.url))
      return `${at}.url has to be http:// on 127.0.0.1 or [::1], with a port, and without a name or password.`;
  }
  for (const [agent, { advisor: chosen }] of Object.entries(config.agents)) {
    if (chosen?.by === undefined || chosen.by === null) continue;
    const found = ownOf(config.advisors.programs, chosen.by);
    if (found === undefined)
      return `agents.${agent}.advisor names "${chosen.by}", and advisors.programs has no such entry.`;
    if (chosen.counts === 'answer' && found.url !== undefined)
      return `agents.${agent}.advisor: a server may not answer, since any program of this machine could listen in its place. Use "tighten", or a program.`;
  }
  return null;
}

/** No name, no password, nothing that two readers of addresses take differently. */
const loopbackUrl =
  /^http:\/\/(?:127\.(?:\d|[1-9]\d{1,2})\.(?:\d|[1-9]\d{1,2})\.(?:\d|[1-9]\d{1,2})|\[::1\]):[1-9]\d{0,4}(?:\/[A-Za-z0-9/._~?=&%:,-]*)?$/u;

/** Named by number, so that nothing but this machine can be meant; the port is written out. */
export function isLoopbackUrl(text: string): boolean {
  return loopbackUrl.test(text);
}

/** What an advisor is told, without secrets. Everything in it that an agent wrote is data. */
const advisorQuestionSchema = s.object({
  version: s.literal(1),
  agent: s.string(),
  kind: s.oneOf(requestKinds),
  host: s.string(),
  cwd: s.string(),
  command: s.string(),
  /** A diff, or the input of a tool; null for most commands. */
  detail: s.nullable(s.string()),
  /** The programs that would start, by their real paths; null for parts of the shell. */
  programs: s.array(s.nullable(s.string())),
  /** Why nothing can be told of it before it runs; null where it is understood. */
  opaque: s.nullable(s.string()),
  /** Why a person would be asked. */
  why: s.string(),
  risk: s.object({
    level: s.oneOf(['none', 'low', 'high']),
    findings: s.array(s.object({ code: s.string(), text: s.string() })),
  }),
});
export type AdvisorQuestion = Static<typeof advisorQuestionSchema>;

const advisorWords = ['safe', 'ask', 'refuse'] as const;

const answerSchema = s.object({
  version: s.literal(1),
  answer: s.oneOf(advisorWords),
  /** One or two sentences for the person. */
  reason: s.string({ minLength: 1, maxLength: 500 }),
});
type AdvisorAnswer = Static<typeof answerSchema>;

const checkAnswer = compile(answerSchema);

/** Reads an answer: one JSON object of just these fields, and nothing around it. */
export function parseAdvice(
  text: string,
):
  | { readonly ok: true; readonly answer: AdvisorAnswer }
  | { readonly ok: false; readonly error: string } {
  const read = readJson(checkAnswer, text);
  return read.ok ? { ok: true, answer: read.value } : { ok: false, error: read.error };
}

/** What an advisor said of an ask, as it goes with the ask: a claim, and never more. */
export const adviceSchema = s.object({
  /** Which advisor. */
  by: advisorName,
  /** `none` where it could not be asked, or gave no answer that counts. */
  answer: s.oneOf([...advisorWords, 'none']),
  /** Its own words, or why there are none. Untrusted text. */
  reason: s.string({ maxLength: 1_000 }),
});
export type Advice = Static<typeof adviceSchema>;
