import { compile } from '../../../shared/base/compile.ts';
import { listChangeSchema } from '../../../shared/base/list-change.ts';
import { refusalCodes } from '../../../shared/base/refusal.ts';
import { s } from '../../../shared/base/schema.ts';
import { askSchema, runnerStateSchema, withdrawReasons } from '../../../shared/engine/ask.ts';
import { deviceRights } from '../../../shared/engine/device.ts';
import { settingFields, settingNames } from '../../../app/bridge/settings.ts';

const textOrNull = s.nullable(s.string());
const count = s.integer({ minimum: 0 });
const mode = s.oneOf(['armed', 'paused', 'locked']);
const refusal = s.object({ code: s.oneOf(refusalCodes), message: s.string(), hint: s.string() });

/** Which file it is, and never what is in it. */
const policy = s.object({ hash: s.string(), problem: s.nullable(refusal) });
const runner = s.nullable(runnerStateSchema);
const queued = s.object({ ask: askSchema, askDigest: s.string({ pattern: '^[0-9a-f]{64}$' }) });
const missed = s.object({ ask: askSchema, reason: s.oneOf(withdrawReasons), at: s.number() });
const knownPasskey = {
  id: s.string(),
  rpId: s.string(),
  name: s.string(),
  transports: s.array(s.string(), { maxItems: 10 }),
  madeAt: count,
  lastUsedAt: s.nullable(count),
};
const knownDevice = {
  id: s.string(),
  name: s.string(),
  rights: s.oneOf(deviceRights),
  madeAt: count,
  lastSeenAt: s.nullable(count),
};
const maybe = s.partial({
  stop: s.object({ mode, reason: textOrNull }),
  pace: s.object({ armDelayMs: count, holdMs: count }),
  settings: s.object({
    settings: s.object(settingFields),
    honoured: s.array(s.oneOf(settingNames), { maxItems: settingNames.length }),
    problem: textOrNull,
    taken: s.array(s.string(), { maxItems: 10 }),
  }),
  canStartRunner: s.boolean(),
  canOpenBrowser: s.boolean(),
  hasPassphrase: s.boolean(),
  passkeys: s.array(s.object(knownPasskey), { maxItems: 32 }),
  devices: s.array(s.object(knownDevice), { maxItems: 16 }),
  device: s.object({
    id: s.string(),
    name: s.string(),
    rights: s.oneOf(deviceRights),
    opened: s.oneOf(['locked', 'passkey']),
  }),
  covered: s.array(
    s.object({ id: s.string(), agent: s.string(), command: s.string(), at: s.number() }),
    { maxItems: 50 },
  ),
});

const state = s.object({
  revision: count,
  now: s.number(),
  runner,
  queue: s.array(queued, { maxItems: 500 }),
  missed: s.array(missed, { maxItems: 200 }),
  policy,
  ...maybe,
});

const change = s.object({
  base: count,
  revision: count,
  now: s.number(),
  set: s.optional(s.object({ ...s.partial({ runner, policy }), ...maybe })),
  queue: s.optional(listChangeSchema(queued, 500)),
  missed: s.optional(listChangeSchema(missed, 200)),
});

const answer = s.union(
  s.object({ ok: s.literal(true), result: s.record(s.unknown()) }),
  s.object({ ok: s.literal(false), refusal, conflict: s.optional(policy) }),
);

/** What a host may send to a page, which cannot compile it. */
export const checkHostMessage = compile(
  s.union(
    s.object({ type: s.literal('connection'), connected: s.literal(true), version: count }),
    s.object({
      type: s.literal('connection'),
      connected: s.literal(false),
      reason: s.oneOf(['idle', 'stopping', 'version']),
    }),
    s.object({ type: s.literal('state'), state }),
    s.object({ type: s.literal('change'), change }),
    s.object({ type: s.literal('result'), id: count, answer }),
  ),
);
