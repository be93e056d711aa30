import { compile } from '../../shared/base/index.ts';
import type { Check, SchemaObject } from '../../shared/base/index.ts';
import { decisionWords, grantDurations, patchSchema } from '../../shared/engine/index.ts';
import { importFormats } from '../../shared/wire/index.ts';
import { noteLimit } from './answering.ts';
import { attentionModes, awayActions, languageChoices, themes } from './settings.ts';
import type { SettingName } from './settings.ts';
import type { BridgeCall, BridgeCalls } from './types.ts';

/** An object with these fields and no others. */
export function fields(
  required: Readonly<Record<string, SchemaObject>>,
  optional: Readonly<Record<string, SchemaObject>> = {},
): SchemaObject {
  return {
    type: 'object',
    additionalProperties: false,
    required: Object.keys(required),
    properties: { ...required, ...optional },
  };
}

const flag: SchemaObject = { type: 'boolean' };
const oneOf = (words: readonly string[]): SchemaObject => ({ type: 'string', enum: [...words] });

/** A modifier at least, then one key: a bare letter would take that letter from every program. */
const accelerator: SchemaObject = {
  type: ['string', 'null'],
  maxLength: 80,
  pattern:
    '^(?:(?:CommandOrControl|CmdOrCtrl|Command|Cmd|Control|Ctrl|Alt|Option|AltGr|Shift|Super|Meta)\\+)+(?:[A-Z0-9]|F[0-9]{1,2}|Space|Tab|Backspace|Delete|Insert|Return|Enter|Up|Down|Left|Right|Home|End|PageUp|PageDown|Escape|Esc)$',
};

/** What each setting may be, for the file and for the page. */
export const settingSchemas: Readonly<Record<SettingName, SchemaObject>> = {
  theme: oneOf(themes),
  language: oneOf(languageChoices),
  attention: oneOf(attentionModes),
  sound: flag,
  startAtLogin: flag,
  startRunner: flag,
  lockoutShortcut: accelerator,
  oldestAskShortcut: accelerator,
  onScreenLock: oneOf(awayActions),
  onSuspend: oneOf(awayActions),
  touchIdForUnlock: flag,
  updateFeed: { type: ['string', 'null'], maxLength: 2000, pattern: '^https://[^\\s@]+$' },
  guideClosed: flag,
};

const text = (maxLength: number): SchemaObject => ({ type: 'string', maxLength });
const name = (maxLength: number): SchemaObject => ({ type: 'string', minLength: 1, maxLength });
const sha256: SchemaObject = { type: 'string', pattern: '^[0-9a-f]{64}$' };
const policyEdit = fields({ baseHash: sha256, patch: patchSchema });
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

const asked = fields(
  { agent: name(200), command: name(100_000), cwd: name(4096) },
  { draft: policyEdit },
);
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
  policy: fields({}, { have: sha256 }),
  savePolicy: policyEdit,
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
      draft: policyEdit,
    },
  ),
  simulate: asked,
  effectOf: fields(
    { agent: name(200), rules: { type: 'array', minItems: 1, maxItems: 50, items: rule } },
    { draft: policyEdit },
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
