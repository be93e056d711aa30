import { compile } from '../../../shared/base/compile.ts';
import { refusalCodes } from '../../../shared/base/refusal.ts';
import { s } from '../../../shared/base/schema.ts';
import { askSchema, runnerStateSchema, withdrawReasons } from '../../../shared/engine/ask.ts';
import { policySchema } from '../../../shared/engine/policy/types.ts';
import { settingFields, settingNames } from '../../../app/bridge/settings.ts';

const textOrNull = s.nullable(s.string());
const count = s.integer({ minimum: 0 });
const mode = s.oneOf(['armed', 'paused', 'locked']);
const refusal = s.object({ code: s.oneOf(refusalCodes), message: s.string(), hint: s.string() });

const policy = s.object({
  hash: s.string(),
  document: s.nullable(policySchema),
  problem: s.nullable(refusal),
});

const state = s.object({
  revision: count,
  now: s.number(),
  runner: s.nullable(runnerStateSchema),
  queue: s.array(s.object({ ask: askSchema, askDigest: s.string({ pattern: '^[0-9a-f]{64}$' }) }), {
    maxItems: 500,
  }),
  missed: s.array(s.object({ ask: askSchema, reason: s.oneOf(withdrawReasons), at: s.number() }), {
    maxItems: 200,
  }),
  policy,
  stop: s.optional(s.object({ mode, reason: textOrNull })),
  pace: s.optional(s.object({ armDelayMs: count, holdMs: count })),
  settings: s.optional(
    s.object({
      settings: s.object(settingFields),
      honoured: s.array(s.oneOf(settingNames), { maxItems: settingNames.length }),
      problem: textOrNull,
      taken: s.array(s.string(), { maxItems: 10 }),
    }),
  ),
  canStartRunner: s.optional(s.boolean()),
});

const answer = s.union(
  s.object({ ok: s.literal(true), result: s.record(s.unknown()) }),
  s.object({ ok: s.literal(false), refusal, conflict: s.optional(policy) }),
);

const check = compile(
  s.union(
    s.object({ type: s.literal('connection'), connected: s.literal(true), version: count }),
    s.object({
      type: s.literal('connection'),
      connected: s.literal(false),
      reason: s.oneOf(['idle', 'stopping', 'version']),
    }),
    s.object({ type: s.literal('state'), state }),
    s.object({ type: s.literal('result'), id: count, answer }),
  ),
);

/** What a host may send to a page, which cannot compile it. The socket has a path at most: never its token. */
export const checkHostMessage = (value: unknown): ReturnType<typeof check> => {
  const checked = check(value);
  if (checked.ok && checked.value.type === 'state') {
    const { document } = checked.value.state.policy;
    if (document?.socket?.token !== undefined)
      return { ok: false, error: 'It carries the token.', path: '' };
  }
  return checked;
};
