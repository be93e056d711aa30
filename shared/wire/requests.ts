import { s } from '../base/index.ts';
import type { Static, StaticFields } from '../base/index.ts';
import {
  askModes,
  channelName,
  decisionWords,
  rememberSchema,
  sandboxLimits,
  securityModes,
  toolCallFields,
  toolKinds,
} from '../engine/index.ts';
import {
  maxArgvLength,
  maxCommandLength,
  maxHistoryPage,
  maxStdinBytes,
  maxVariables,
} from './limits.ts';

/**
 * Every body, path and query that the runner's API takes: the schema, and the type of it. Unknown
 * fields are refused.
 */

const shortText = s.string({ minLength: 1, maxLength: 256 });
/** Names stand in log lines and events, so they are held to one safe word. */
export const execName = s.string({ pattern: '^[A-Za-z0-9][A-Za-z0-9._:@/-]{0,127}$' });
const name = execName;
const hex256 = s.string({ pattern: '^[0-9a-f]{64}$' });
const random32 = s.string({ pattern: '^[A-Za-z0-9_-]{43}$' });
const noNul = '^[^\\u0000]*$';
const folder = s.string({ pattern: '^/[^\\u0000]*$', maxLength: 4_096 });
const timeoutMs = s.optional(s.integer({ minimum: 1, maximum: 86_400_000 }));

/** What every request says of itself, besides what it is about. */
const contextFields = {
  /** Absolute. */
  cwd: folder,
  agent: s.optional(name),
  session: s.optional(name),
  host: s.optional(name),
  node: s.optional(name),
  /** May only tighten what the policy says. */
  security: s.optional(s.oneOf(securityModes)),
  ask: s.optional(s.oneOf(askModes)),
  /** For whom, and where the words came from. Each may only lower how far it is trusted. */
  user: s.optional(name),
  channel: s.optional(channelName),
  group: s.optional(s.boolean()),
  /** May only tighten the sandbox. */
  sandbox: s.optional(s.object(s.partial(sandboxLimits))),
};

const reasonFields = {
  /** The host's own id of this use of a tool. */
  toolUseId: s.optional(shortText),
  /** The agent's own words for why; shown to the person as untrusted text. */
  statedReason: s.optional(s.string({ maxLength: 4_096 })),
};

export type RequestContext = StaticFields<typeof contextFields & typeof reasonFields>;

/** That exactly one of `argv` and `command` is there is checked by the gate. */
export const commandFields = {
  ...contextFields,
  argv: s.optional(
    s.array(s.string({ maxLength: maxCommandLength, pattern: noNul }), {
      minItems: 1,
      maxItems: maxArgvLength,
    }),
  ),
  command: s.optional(s.string({ minLength: 1, maxLength: maxCommandLength, pattern: noNul })),
  env: s.optional(
    s.record(s.string({ maxLength: 32_768, pattern: noNul }), {
      maxProperties: maxVariables,
      names: s.string({ pattern: '^[A-Za-z_][A-Za-z0-9_]{0,255}$' }),
    }),
  ),
};

/** `POST /v1/check`: an exec request less what only matters when it runs. */
export const checkRequestSchema = s.object(commandFields);
export type CheckRequest = Static<typeof checkRequestSchema>;

/** One line of `check --batch`: the folder may be relative, and may be left out. */
export const batchLineSchema = s.object({
  id: s.optional(s.union(s.string({ maxLength: 256 }), s.number())),
  argv: commandFields.argv,
  command: commandFields.command,
  agent: commandFields.agent,
  env: commandFields.env,
  /** Absent: a command. */
  kind: s.optional(s.oneOf(['exec', ...toolKinds])),
  /** For other kinds than commands: the tool of the agent, and what it is used on. */
  tool: s.optional(toolCallFields.tool),
  target: s.optional(toolCallFields.target),
  cwd: s.optional(s.string({ minLength: 1, maxLength: 4_096, pattern: noNul })),
  user: contextFields.user,
  channel: contextFields.channel,
  group: contextFields.group,
});
export type BatchLine = Static<typeof batchLineSchema>;

/** Standard input of the command, base64, at most 10 MiB decoded. */
const execStdin = s.optional(
  s.string({
    maxLength: Math.ceil(maxStdinBytes / 3) * 4,
    pattern: '^[A-Za-z0-9+/]*={0,2}$',
  }),
);

/** `POST /v1/exec`. */
export const execRequestSchema = s.object({
  ...commandFields,
  ...reasonFields,
  timeoutMs,
  stdin: execStdin,
});
export type ExecRequest = Static<typeof execRequestSchema>;

/** A call of a brokered tool out of a sandbox (`runner/client/shim.c`). */
export const boxCallSchema = s.object({
  /** As the sandbox knows it. */
  cwd: folder,
  argv: s.array(s.string({ maxLength: maxCommandLength, pattern: noNul }), {
    minItems: 1,
    maxItems: maxArgvLength,
  }),
  /** All that the caller has; what the policy of the tool does not name is left out. */
  env: s.record(s.string({ maxLength: 32_768, pattern: noNul }), {
    maxProperties: 4_096,
    names: s.string({ pattern: '^[A-Za-z_][A-Za-z0-9_]{0,255}$' }),
  }),
  stdin: execStdin,
  /** For a push: where HEAD is in the sandbox. */
  head: s.optional(s.string({ pattern: '^[0-9a-f]{40,64}$' })),
});
export type BoxCall = Static<typeof boxCallSchema>;

/** `POST /v1/permits`: a command that is to be decided about and not run yet. */
export const permitRequestSchema = s.object({
  ...commandFields,
  ...reasonFields,
  timeoutMs,
  /** `ticket` (default): the runner runs it when the ticket comes. `elsewhere`: the host runs it. */
  by: s.optional(s.oneOf(['ticket', 'elsewhere'])),
});
export type PermitRequest = Static<typeof permitRequestSchema>;

/** `POST /v1/tools`: may the agent's host carry this out? */
export const toolRequestSchema = s.object({
  ...contextFields,
  ...reasonFields,
  ...toolCallFields,
});
export type ToolRequest = Static<typeof toolRequestSchema>;

/** `POST /v1/tickets/redeem`, which answers as `POST /v1/exec` does. */
export const redeemRequestSchema = s.object({
  ticket: random32,
  /** Absolute folder of the holder: the one that the ticket was issued for. */
  cwd: folder,
  /** Standard output and error in one stream, in order. */
  oneStream: s.optional(s.boolean()),
  /** Tell in which folder the command ended. */
  tellFolder: s.optional(s.boolean()),
});
export type RedeemRequest = Static<typeof redeemRequestSchema>;

/** Query of `POST /v1/hooks/:host?agent=…`. */
export const hookQuerySchema = s.object({
  agent: s.optional(name),
  /** `elsewhere`: the host runs commands that are allowed itself, as they came. */
  by: s.optional(s.oneOf(['ticket', 'elsewhere'])),
  user: contextFields.user,
  channel: contextFields.channel,
  group: s.optional(s.oneOf(['1'])),
});

/** Query of `GET /v1/trust`. */
export const trustQuerySchema = s.object({
  agent: s.optional(name),
  user: contextFields.user,
  channel: contextFields.channel,
  group: s.optional(s.oneOf(['1'])),
});

/** `POST /v1/sessions/end`: a session of the agent that sends it is over. */
export const sessionEndSchema = s.object({ agent: name, session: name });
export type SessionEndRequest = Static<typeof sessionEndSchema>;

/** `POST /v1/sessions/override`: a command about a session, as it was typed. */
export const sessionOverrideSchema = s.object({
  agent: name,
  session: name,
  /** `/exec …` or `/elevated …`. */
  text: s.string({ minLength: 1, maxLength: 1_024 }),
  /** How long it is raised at most. */
  forMs: s.optional(s.integer({ minimum: 60_000, maximum: 86_400_000 })),
});
export type SessionOverrideRequest = Static<typeof sessionOverrideSchema>;

/** `POST /v1/grants/end`. */
export const grantEndSchema = s.object({ id: s.string({ minLength: 1, maxLength: 64 }) });

/** `POST /v1/lockout`, `POST /v1/pause`. */
export const stopRequestSchema = s.object({ reason: s.optional(s.string({ maxLength: 1_024 })) });

/** `POST /v1/resume`. */
export const resumeRequestSchema = s.object({
  /** An agent that was stopped because its hooks no longer ask. */
  agent: s.optional(s.string({ minLength: 1, maxLength: 128 })),
  /** Proves that a person lets that agent go on; goes with `agent` alone. */
  passphrase: s.optional(s.string({ minLength: 1, maxLength: 1_024 })),
});

/** Of every body that is signed with the approvals token. */
const signedFields = {
  /** Milliseconds since the epoch; the runner takes 10 seconds either way. */
  ts: s.integer({ minimum: 0, maximum: 8_640_000_000_000_000 }),
  /** 32 random bytes, base64url; used once. */
  nonce: random32,
  /** HMAC-SHA256, hex. */
  mac: hex256,
};

/**
 * `POST /v1/pending/:id/answer`: an answer from a person's terminal. `mac` is made with the approvals
 * token (`shared/ipc/macs`), so that only who can read the policy file can answer.
 */
export const answerRequestSchema = s.object({
  decision: s.oneOf(decisionWords),
  askDigest: hex256,
  remember: s.optional(rememberSchema),
  note: s.optional(s.string({ maxLength: 2_000 })),
  ...signedFields,
});
export type AnswerRequest = Static<typeof answerRequestSchema>;

const time = s.integer({ minimum: 0, maximum: 8_640_000_000_000_000 });

/** Connections to the approvals socket that the approver closed for one kind of breach. */
const reportedBreach = s.object({
  /** A code of `shared/ipc/protocol/violation.ts`. */
  code: s.string({ pattern: '^[a-z][a-z0-9-]{1,39}$' }),
  count: s.integer({ minimum: 1, maximum: 1_000_000_000 }),
  /** Milliseconds since the epoch, by the approver's clock. */
  firstAt: time,
  lastAt: time,
  /** Process at the other end of the last one; null where the system does not say. */
  pid: s.nullable(s.integer({ minimum: 0 })),
});
export type ReportedBreach = Static<typeof reportedBreach>;

/**
 * `POST /v1/breaches`: what the approver saw at its own socket, for the audit log, which only the
 * runner writes. `mac` is made with the approvals token (`shared/ipc/macs`).
 */
export const breachReportSchema = s.object({
  breaches: s.array(reportedBreach, { minItems: 1, maxItems: 50 }),
  ...signedFields,
});
export type BreachReport = Static<typeof breachReportSchema>;

/** An ask that an advisor looks at first. Nobody can answer it yet. Times in ms since the epoch. */
export interface ConsideredAsk {
  readonly agent: string;
  readonly cwd: string;
  readonly command: string;
  /** Name of the advisor. */
  readonly by: string;
  readonly since: number;
  /** When its time is up at the latest, once it was started. */
  readonly until: number;
}

/** Path of `GET /v1/pending/:id` and `POST /v1/pending/:id/answer`. */
export const pendingParamsSchema = s.object({ id: s.string({ pattern: '^[A-Za-z0-9_-]{1,64}$' }) });

/** Query of `GET /v1/events`. */
export const eventsQuerySchema = s.object({ session: name });

/**
 * What a decision came from: the rules, an answer, `askFallback` where nobody answered, or a program
 * of the person's choice.
 */
export const decidedBy = ['policy', 'person', 'fallback', 'advisor'] as const;

/** Query of `GET /v1/history`; numbers arrive as digits. */
export const historyQuerySchema = s.object({
  offset: s.optional(s.string({ pattern: '^[0-9]{1,9}$' })),
  limit: s.optional(s.string({ pattern: '^[0-9]{1,3}$' })),
  search: s.optional(s.string({ maxLength: 256 })),
  agent: s.optional(name),
  decision: s.optional(s.oneOf(['allow', 'deny'])),
  /** What decided: a refusal code, or what allowed it. */
  code: s.optional(s.string({ pattern: '^[a-z-]{1,40}$' })),
  /** Who decided. */
  by: s.optional(s.oneOf(decidedBy)),
  /** No decision before then, in milliseconds since the epoch. */
  since: s.optional(s.string({ pattern: '^[0-9]{1,15}$' })),
});

/** The same once its numbers are numbers. Newest first. */
export type HistoryQuery = Omit<Static<typeof historyQuerySchema>, 'offset' | 'limit' | 'since'> & {
  readonly offset: number;
  readonly limit: number;
  readonly since?: number;
};

const entryId = s.string({ pattern: '^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$' });

/** Query of `GET /v1/changes`: one entry with what changed in its files, or the newest ones. */
export const changesQuerySchema = s.object({
  id: s.optional(entryId),
  limit: s.optional(s.string({ pattern: '^[0-9]{1,3}$' })),
});

/** Query of `GET /v1/sandbox/changes`: of one session, or of all. */
export const leftQuerySchema = s.object({
  session: s.optional(s.string({ minLength: 1, maxLength: 256 })),
});

/** `POST /v1/undo`: takes an entry back, all or some of its files, named as they are shown. */
export const undoRequestSchema = s.object({
  id: entryId,
  files: s.optional(s.array(s.string({ minLength: 1, maxLength: 16_384 }), { maxItems: 10_000 })),
  /** Only says what would be done. */
  dryRun: s.optional(s.boolean()),
});
export type UndoRequest = Static<typeof undoRequestSchema>;

/** Query of `GET /v1/history/stats`; 1 to 90 days up to and with today. */
export const statsQuerySchema = s.object({
  days: s.optional(s.string({ pattern: '^(?:[1-9]|[1-8][0-9]|90)$' })),
  agent: s.optional(name),
});

/** The same once its number is one. */
export type StatsQuery = Omit<Static<typeof statsQuerySchema>, 'days'> & { readonly days: number };

/** The page size that a `limit` asks for, held to the largest one. */
export function pageSize(limit: string | undefined): number {
  return Math.min(limit === undefined ? 100 : Number(limit), maxHistoryPage);
}
