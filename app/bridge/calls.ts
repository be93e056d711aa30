import { s } from '../../shared/base/index.ts';
import type { Static } from '../../shared/base/index.ts';
import {
  assertionSchema,
  decisionWords,
  deviceName,
  deviceRights,
  newRuleSchema,
  passkeyAddFields,
  passkeyInviteFields,
  handOverFields,
  passkeyRemoveFields,
  passkeyUseFields,
  policyEditSchema,
  policySaveSchema,
  pushFields,
  rememberSchema,
  starterSets,
} from '../../shared/engine/index.ts';
import {
  boxAttachSchema,
  boxLockSchema,
  boxStopSchema,
  boxTailSchema,
  decidedBy,
  importFormats,
  nodeCodeSchema,
  nodePolicyEditSchema,
  nodePolicySchema,
  nodeRemoveSchema,
  terminalResizeSchema,
  terminalSchema,
  terminalTypeSchema,
} from '../../shared/wire/index.ts';
import { noteLimit } from './answering.ts';
import { settingFields } from './settings.ts';

/** What a page may ask of its host: the arguments of every call, with their types. */

const text = (maxLength: number) => s.string({ maxLength });
const name = (maxLength: number) => s.string({ minLength: 1, maxLength });
const folder = s.string({ pattern: '^/', maxLength: 4_096 });
const nothing = s.object({});
const digest = s.string({ pattern: '^[0-9a-f]{64}$' });
/** An unsaved edit to go by; absent: the saved policy. */
const draft = s.optional(policyEditSchema);

/** An answer to one ask. */
const answer = s.object({
  id: name(200),
  askDigest: digest,
  decision: s.oneOf(decisionWords),
  remember: s.optional(rememberSchema),
  note: s.optional(text(noteLimit)),
  /** With `allow-once`: what a passkey signed over `challengeOfAnswer`. */
  assertion: s.optional(assertionSchema),
  /** From a device: the host's time when it was sent, in milliseconds since the epoch, as its page has it. */
  sentAt: s.optional(s.integer({ minimum: 0 })),
});
export type Answer = Static<typeof answer>;

const { nonce, person, proof } = passkeyInviteFields;

const asked = s.object({ agent: name(200), command: name(100_000), cwd: name(4_096), draft });

/** The host knows which agents there are. */
const agentHost = s.string({ pattern: '^[a-z]{2,20}$' });

const starterFields = {
  set: s.oneOf(starterSets.map((set) => set.name)),
  agent: name(200),
  /** Absolute, or in the home with `~/`. */
  folder: s.string({ pattern: '^(/|~/)', maxLength: 4_096 }),
};

/** The arguments of every call. Unknown fields are refused. */
export const callSchemas = {
  answer,
  /** At most 200 answers at once, in order; one that comes too late is not accepted. */
  answerMany: s.object({ answers: s.array(answer, { minItems: 1, maxItems: 200 }) }),
  /** Takes out the rules that "always" for this ask has written. What ran has run. */
  undoAlways: s.object({ id: name(200) }),
  /** The policy as the file is now. `have`: the hash of the version that the page has. */
  policy: s.object({ have: s.optional(digest) }),
  savePolicy: policySaveSchema,
  /** How loose the modes of an agent may be at most, and who says so. */
  modeBounds: s.object({ agent: name(200) }),
  testCommand: asked,
  history: s.object({
    search: s.optional(text(256)),
    agent: s.optional(name(200)),
    decision: s.optional(s.oneOf(['allow', 'deny'])),
    by: s.optional(s.oneOf(decidedBy)),
    /** No decision before then, in milliseconds since the epoch. */
    since: s.optional(s.integer({ minimum: 0, maximum: 1e15 - 1 })),
    offset: s.integer({ minimum: 0, maximum: 1_000_000_000 }),
    limit: s.integer({ minimum: 1, maximum: 500 }),
  }),
  secrets: nothing,
  removeSecret: s.object({ name: name(40) }),
  health: nothing,
  mend: s.object({ id: name(200) }),
  lockout: s.object({ reason: text(500) }),
  pause: s.object({ reason: text(500) }),
  resume: nothing,
  unlock: s.object({
    passphrase: name(1_000),
    /** Also gives every agent whose key was taken away a new one. */
    agents: s.optional(s.boolean()),
  }),
  /** A nonce for one change of the passkeys, or for ending a lockout. */
  passkeyNonce: s.object({ purpose: s.oneOf(['change', 'unlock']) }),
  addPasskey: s.object(passkeyAddFields),
  removePasskey: s.object(passkeyRemoveFields),
  /** Lets somebody else answer in the owner's place for a time, or no more. */
  handOver: s.object(handOverFields),
  unlockWithPasskey: s.object({ ...passkeyUseFields, agents: s.optional(s.boolean()) }),
  /**
   * Shows a code that brings in one device, once, within ten minutes. For one of another person: whose
   * it is, and what shows that the owner agrees.
   */
  inviteDevice: s.object({
    name: deviceName,
    rights: s.oneOf(deviceRights),
    agreed: s.optional(s.object({ nonce, person, proof })),
  }),
  /** Takes a device out; its connections end at once. */
  revokeDevice: s.object({ id: name(22) }),
  /** The key that a browser's push service has to know; for a page on a device. */
  pushKey: nothing,
  /** Has the device of this page told that an ask waits. */
  subscribePush: s.object(pushFields),
  settings: nothing,
  /** Saves what changed; everything else stays as it is. */
  changeSettings: s.object({ choice: s.object(s.partial(settingFields), { minProperties: 1 }) }),
  /** Reads a rule file of another program. Nothing is saved: that is for `savePolicy`. */
  importRules: s.object({
    /** Absent: recognised from the text. */
    format: s.optional(s.oneOf(importFormats)),
    /** A rule file may be as long as a message. */
    text: text(200_000),
    /** The agent that gets the rules; absent: as the file says, else the agent that wrote the file. */
    agent: s.optional(name(200)),
    /** Absolute: the rules hold in this folder and below; for the files of a project. */
    folder: s.optional(folder),
    /** Duplicates are found in this draft; absent: in the saved policy. */
    draft,
  }),
  /** What an agent reaches from the sandbox; with an address, what would become of it. */
  reach: s.object({ agent: name(200), address: s.optional(text(4_096)), draft }),
  /** Which rule decides about a command, and what would have to be added. */
  simulate: asked,
  /** What these rules would have done to the newest commands of the history. */
  effectOf: s.object({
    agent: name(200),
    rules: s.array(newRuleSchema, { minItems: 1, maxItems: 50 }),
    draft,
  }),
  /** "Make a rule from this": rules to choose from for a command of the history. */
  suggestRule: asked,
  historyStats: s.object({
    days: s.optional(s.integer({ minimum: 1, maximum: 90 })),
    agent: s.optional(name(200)),
  }),
  /** Projects that commands were run in lately. */
  starterFolders: nothing,
  /** What a set of rules to begin with would bring to a project, and what it would cover there. */
  starter: s.object({ ...starterFields, draft }),
  /** Writes the rules of a set, and of those that come with it, to the policy. */
  addStarter: s.object(starterFields),
  /** What commands changed: one entry with its files, or the newest ones. */
  changes: s.object({
    id: s.optional(name(64)),
    limit: s.optional(s.integer({ minimum: 1, maximum: 999 })),
  }),
  /** Takes back what a command changed, all or some of its files; what is newer stays. */
  takeBack: s.object({
    id: name(64),
    files: s.optional(s.array(name(16_384), { minItems: 1, maxItems: 2_000 })),
  }),
  /** What was allowed for a while. */
  grants: nothing,
  /** Takes such a yes back. */
  endGrant: s.object({ id: name(64) }),
  /** Other machines: the nodes of this one, those that wait to be paired, and this one as a node. */
  nodes: nothing,
  /** Pairs with the machine that shows this code, or sends it away. */
  approveNode: nodeCodeSchema,
  declineNode: nodeCodeSchema,
  /** Ends the pairing with the node of this id. */
  removeNode: nodeRemoveSchema,
  /** The policy that decides on a node, as far as that machine shows it. */
  nodePolicy: nodePolicySchema,
  /** Saves an edit of it there, where that machine lets this one. */
  saveNodePolicy: nodePolicyEditSchema,
  /** Named boxes, and what goes on in them. */
  boxes: nothing,
  /** The last lines of what a window of a box wrote. */
  boxTail: boxTailSchema,
  /** Shows the windows of a box at a terminal of their own. */
  attachBox: boxAttachSchema,
  /** What it wrote since the last time; the answer takes a few seconds where there is nothing. */
  readTerminal: terminalSchema,
  /** Types into it, and nowhere else. */
  typeTerminal: terminalTypeSchema,
  resizeTerminal: terminalResizeSchema,
  /** Leaves it, and the box as it is. */
  leaveTerminal: terminalSchema,
  /** Starts a box that does not run, by the command line: it outlives whoever started it. */
  startBox: boxStopSchema,
  /** Ends all in a box, and keeps its workspace and its name. */
  stopBox: boxStopSchema,
  /** The emergency stop of one box. */
  lockBox: boxLockSchema,
  /** Which agents there are, and which of them are behind the gate. */
  connectable: nothing,
  /** What connecting one would change in its settings. Changes nothing. */
  connectPreview: s.object({ host: agentHost }),
  /** Connects it. `digest`: of the preview that was accepted. */
  connect: s.object({ host: agentHost, digest }),
  guide: nothing,
  /** The first passphrase. Refused where there is one already, and while everything is locked. */
  setPassphrase: s.object({ passphrase: name(1_000) }),
  /** Raises a real ask for a harmless command, so that there is one to answer. */
  tryAsk: nothing,
  /** Starts the runner, as a service where there is one. Refused while one answers. */
  startRunner: nothing,
  /** Shows this page in the person's browser, where passkeys work, and there what they go for. */
  openInBrowser: s.object({
    errand: s.oneOf(['ask', 'passkeys', 'unlock']),
    id: s.optional(name(200)),
  }),
};

/** The arguments of a call, by its name. */
export type CallArgs = {
  readonly [C in keyof typeof callSchemas]: Static<(typeof callSchemas)[C]>;
};

/**
 * What a page asks for by itself, by a timer or as often as it is answered: it tells of no person, so a
 * session that nobody uses ends in spite of it.
 */
export const callsOfItself: ReadonlySet<keyof CallArgs> = new Set([
  'nodes',
  'boxes',
  'boxTail',
  'readTerminal',
  'resizeTerminal',
]);

/** Calls that come with every key and every answer, and have a pace of their own. */
export const terminalCalls: ReadonlySet<keyof CallArgs> = new Set(['readTerminal', 'typeTerminal']);

export const bridgeCalls = Object.keys(callSchemas) as readonly (keyof CallArgs)[];
