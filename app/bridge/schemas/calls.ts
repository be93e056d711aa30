import { decisionWords, grantDurations } from '../../../shared/ask/types.ts';
import { compile } from '../../../shared/schema/compile.ts';
import type { Check, SchemaObject } from '../../../shared/schema/compile.ts';
import { importFormats } from '../../../shared/import/types.ts';
import { noteLimit } from '../answering.ts';
import type { BridgeCall, BridgeCalls } from '../types.ts';
import { fields } from './fields.ts';
import { settingSchemas } from './settings.ts';

const text = (maxLength: number): SchemaObject => ({ type: 'string', maxLength });
const name = (maxLength: number): SchemaObject => ({ type: 'string', minLength: 1, maxLength });
const sha256: SchemaObject = { type: 'string', pattern: '^[0-9a-f]{64}$' };
/** A policy document is checked in full by the store; here it only has to be an object. */
const document: SchemaObject = { type: 'object' };
const nothing = fields({});

const answer = fields(
  { id: name(200), askDigest: sha256, decision: { type: 'string', enum: [...decisionWords] } },
  {
    remember: fields({
      duration: { type: 'string', enum: grantDurations.filter((duration) => duration !== 'once') },
      proposalId: name(200),
    }),
    note: text(noteLimit),
  },
);

const asked = fields({ agent: name(200), command: name(100_000), cwd: name(4096) }, { document });
/** A rule file may be as long as a message. */
const rulesText = text(200_000);
/** A proposed rule is held against the policy's own schema by the host. */
const rule: SchemaObject = {
  type: 'object',
  required: ['pattern'],
  properties: { pattern: text(4096) },
};

/** The arguments of every call, as JSON schemas. Unknown fields are refused. */
export const callSchemas: Readonly<Record<BridgeCall, SchemaObject>> = {
  answer,
  answerMany: fields({ answers: { type: 'array', minItems: 1, maxItems: 200, items: answer } }),
  savePolicy: fields({ document, baseHash: text(200) }),
  testCommand: asked,
  history: fields(
    {
      offset: { type: 'integer', minimum: 0, maximum: 1_000_000_000 },
      limit: { type: 'integer', minimum: 1, maximum: 500 },
    },
    { search: text(256), agent: name(200), decision: { enum: ['allow', 'deny'] } },
  ),
  health: nothing,
  mend: fields({ id: name(200) }),
  lockout: fields({ reason: text(500) }),
  pause: fields({ reason: text(500) }),
  resume: nothing,
  unlock: fields({ passphrase: name(1000) }),
  settings: nothing,
  changeSettings: fields({ choice: { ...fields({}, settingSchemas), minProperties: 1 } }),
  importRules: fields(
    { text: rulesText },
    {
      format: { enum: importFormats },
      agent: name(200),
      folder: { type: 'string', pattern: '^/', maxLength: 4096 },
      document,
    },
  ),
  simulate: asked,
  effectOf: fields(
    { agent: name(200), rules: { type: 'array', minItems: 1, maxItems: 50, items: rule } },
    { document },
  ),
  suggestRule: asked,
  historyStats: fields(
    {},
    { days: { type: 'integer', minimum: 1, maximum: 90 }, agent: name(200) },
  ),
  guide: nothing,
  tryAsk: nothing,
  startRunner: nothing,
};

type CallChecks = { readonly [C in BridgeCall]: Check<BridgeCalls[C]['args']> };

/** A compiled check for the arguments of every call. For hosts only: a page cannot compile. */
export const callChecks = Object.fromEntries(
  Object.entries(callSchemas).map(([call, schema]) => [call, compile(schema)]),
) as CallChecks;
