import {
  RefusalError,
  createTokenBucket,
  displayPlain,
  knownRefusalCode,
  messageOf,
  refusalOf,
  refuse,
} from '../../shared/base/index.ts';
import type { Clock, Refusal } from '../../shared/base/index.ts';
import { parsePolicy, withoutSocketToken } from '../../shared/engine/index.ts';
import type { PolicyEdit, PolicyPatch } from '../../shared/engine/index.ts';
import type { PolicyFile, PolicyFileEdit } from '../../shared/home/index.ts';
import { maxNodePolicyLength } from '../../shared/wire/index.ts';
import type {
  NodePolicyBody,
  NodePolicyEditBody,
  PolicyAnswer,
  ToGatewayFrame,
  ToNodeFrame,
} from '../../shared/wire/index.ts';
import type { LinkToNode } from './gateway-runs.ts';
import { maxFrameBytes } from './link.ts';
import type { LinkPeer } from './link.ts';

/** The policy of a node, as its gateway asks for it and as the node answers. */

export type PolicyQuestion = Extract<ToNodeFrame, { type: 'policy-read' | 'policy-edit' }>;
type Unnumbered<T> = T extends unknown ? Omit<T, 'question'> : never;

/** How long a node may take to answer, in milliseconds. */
const answerMs = 15_000;
/** Room that a frame has beside what is long in it. */
const frameBytes = 1_024;
const longest = 16_384;
const mostDoubts = 50;

/** What a person at the gateway does with the policies of nodes. */
export interface NodePolicies {
  /** Throws a refusal: that of the node, or why there is no answer. */
  read(nodeId: string): Promise<Omit<NodePolicyBody, 'ok'>>;
  edit(
    nodeId: string,
    edit: PolicyEdit,
    options: { readonly accepted: boolean },
  ): Promise<NodePolicyEditBody['edited']>;
  /** A node has answered. What nobody waits for counts for nothing. */
  answered(link: LinkToNode, frame: Extract<ToGatewayFrame, { type: 'policy-answer' }>): void;
}

export interface NodePoliciesOptions {
  readonly clock: Clock;
  readonly linkTo: (nodeId: string) => LinkToNode | null;
  /** For the record. Throws where it cannot be written: nothing is sent then. */
  readonly record: (code: string, text: string) => void;
}

interface Waiting {
  readonly link: LinkToNode;
  readonly settle: (answer: PolicyAnswer | null) => void;
}

/** The gateway's end. */
export function openNodePolicies({ clock, linkTo, record }: NodePoliciesOptions): NodePolicies {
  const waiting = new Map<number, Waiting>();
  const heeded = new WeakSet<LinkToNode>();
  let last = 0;
  const ask = async (link: LinkToNode, frame: Unnumbered<PolicyQuestion>) => {
    last += 1;
    const question = last;
    if (!heeded.has(link)) {
      heeded.add(link);
      link.onClose(() => {
        for (const each of waiting.values()) if (each.link === link) each.settle(null);
      });
    }
    const answer = await new Promise<PolicyAnswer | null>((resolve) => {
      const cancel = clock.after(answerMs, () => settle(null));
      const settle = (said: PolicyAnswer | null): void => {
        cancel();
        waiting.delete(question);
        resolve(said);
      };
      waiting.set(question, { link, settle });
      if (!link.send({ ...frame, question })) settle(null);
    });
    return answer ?? unanswered();
  };
  return {
    read: async (nodeId) => {
      const answer = await ask(linkTo(nodeId) ?? notThere(), { type: 'policy-read' });
      if (answer.kind !== 'policy') throw refusedBy(answer);
      const parsed = parsePolicy(answer.text);
      if (!parsed.ok) throw unreadable(parsed.problem);
      // What a node says of itself is its word: this machine shows no token of it either.
      const document = withoutSocketToken(parsed.document);
      return { hash: answer.hash, document, mayEdit: answer.mayEdit };
    },
    edit: async (nodeId, edit, { accepted }) => {
      const link = linkTo(nodeId) ?? notThere();
      if (Buffer.byteLength(JSON.stringify(edit)) + frameBytes > maxFrameBytes)
        throw refuse(
          'invalid-request',
          'The edit is too long to be sent to a node at once.',
          'Save fewer rules at a time.',
        );
      const who = `${displayPlain(link.peer.displayName)} (${link.peer.id})`;
      record('node-policy-edit', `${who}, from ${edit.baseHash}: ${wordsOfPatch(edit.patch)}.`);
      const answer = await ask(link, { type: 'policy-edit', edit, accepted });
      if (answer.kind === 'saved') {
        tried(() => record('node-policy-edited', `${who} has the policy ${answer.hash} now.`));
        return { kind: 'saved', hash: answer.hash };
      }
      if (answer.kind === 'conflict') return { kind: 'conflict' };
      const error = refusedBy(answer);
      const doubts = answer.kind === 'refused' ? answer.doubts : undefined;
      if (doubts === undefined) throw error;
      return { kind: 'doubts', problem: error.refusal, doubts };
    },
    answered: (link, { question, answer }) => {
      const asked = waiting.get(question);
      if (asked?.link === link) asked.settle(answer);
    },
  };
}

function notThere(): never {
  throw refuse(
    'host-unavailable',
    'The node is not connected.',
    'Look at "interlock node list", and try again once it is there.',
  );
}

function unanswered(): never {
  throw refuse(
    'host-unavailable',
    'The node did not answer, so that nobody knows here whether it has taken the edit up.',
    'Look at its policy again: it shows what holds there.',
  );
}

function unreadable({ message }: Refusal): RefusalError {
  return refuse(
    'config-invalid',
    `What the node shows as its policy cannot be read here. ${message}`,
    'Have the same version of Interlock on both machines, or edit it on that machine.',
  );
}

/** What the node has refused, as its word. */
function refusedBy(answer: PolicyAnswer): RefusalError {
  if (answer.kind !== 'refused')
    return refuse(
      'host-unavailable',
      'The node answered something else than it was asked.',
      'Have the same version of Interlock on both machines.',
    );
  return new RefusalError({
    code: knownRefusalCode(answer.code),
    message: displayPlain(answer.message),
    hint: displayPlain(answer.hint),
  });
}

export interface OwnPolicyOptions {
  readonly clock: Pick<Clock, 'elapsed'>;
  /** What the settings of this machine let its gateway do. Throws while they are not valid. */
  readonly allowed: () => 'none' | 'read' | 'edit';
  readonly read: () => PolicyFile;
  /** The one way in which the policy is edited. */
  readonly edit: (edit: PolicyEdit, accepted: boolean) => Promise<PolicyFileEdit>;
  /** Throws while this machine is locked. */
  readonly requireUnlocked: () => void;
  /** For the record. Throws where it cannot be written: nothing is edited then. */
  readonly record: (code: string, text: string) => void;
}

/** Answers what the gateway asks about the policy of this machine. Never rejects. */
export type OwnPolicy = (question: PolicyQuestion, gateway: LinkPeer) => Promise<PolicyAnswer>;

/** The node's end: it alone decides what of it its gateway may do. */
export function openOwnPolicy(options: OwnPolicyOptions): OwnPolicy {
  const { clock, allowed, record } = options;
  const mayAsk = createTokenBucket(clock, { burst: 20, perSecond: 1 });
  const mayFill = createTokenBucket(clock, { burst: 5, perSecond: 1 / 60 });
  let isEditing = false;
  return async (question, { id, displayName }) => {
    const who = `${displayPlain(displayName)} (${id})`;
    try {
      if (!mayAsk()) throw tooOften();
      const may = allowed();
      if (may === 'none' || (may === 'read' && question.type === 'policy-edit'))
        throw notLetIn(question.type);
      if (question.type === 'policy-read') return shown(options.read(), may === 'edit');
      options.requireUnlocked();
      if (isEditing) throw tooOften();
      isEditing = true;
      try {
        return await edited(question, who, options);
      } finally {
        isEditing = false;
      }
    } catch (error) {
      const refusal = refusalOf(error) ?? notWritten(error);
      if (mayFill()) tried(() => record('gateway-policy-refused', `${who}: ${refusal.message}`));
      return refused(refusal);
    }
  };
}

function shown(file: PolicyFile, mayEdit: boolean): PolicyAnswer {
  if (!file.ok) throw new RefusalError(file.problem);
  const text = JSON.stringify(withoutSocketToken(file.document));
  const bytes = Buffer.byteLength(JSON.stringify(text)) + frameBytes;
  if (text.length > maxNodePolicyLength || bytes > maxFrameBytes)
    throw refuse(
      'invalid-request',
      'The policy of this node is too long to be shown to its gateway.',
      'Edit it on that machine.',
    );
  return { kind: 'policy', hash: file.hash, text, mayEdit };
}

/** Edits, with a line in the record before and after. */
async function edited(
  { edit, accepted }: Extract<PolicyQuestion, { type: 'policy-edit' }>,
  who: string,
  options: OwnPolicyOptions,
): Promise<PolicyAnswer> {
  const { record } = options;
  record(
    'gateway-policy-edit',
    `${who} edits the policy ${edit.baseHash}: ${wordsOfPatch(edit.patch)}.`,
  );
  const done = await options.edit(edit, accepted);
  if (done.kind === 'refused') return refused(done.problem, done.doubts);
  if (done.kind === 'conflict') return { kind: 'conflict' };
  // It is written by now: a record that cannot be kept does not make that undone.
  tried(() => record('gateway-policy-edited', `${who} has made the policy ${done.hash}.`));
  return { kind: 'saved', hash: done.hash };
}

function refused({ code, message, hint }: Refusal, doubts?: readonly string[]): PolicyAnswer {
  const [said = '', then = ''] = [message, hint].map((text) => text.slice(0, longest));
  const all = doubts?.slice(0, mostDoubts).map((text) => text.slice(0, longest));
  return {
    kind: 'refused',
    code,
    message: said,
    hint: then,
    ...(all !== undefined && { doubts: all }),
  };
}

function tried(write: () => void): void {
  try {
    write();
  } catch {
    // The answer is a no, or the edit stands already and is told.
  }
}

function tooOften(): RefusalError {
  return refuse(
    'rate-limit',
    'The node is asked about its policy more often than it answers.',
    'Wait a moment, then try again.',
  );
}

function notLetIn(type: PolicyQuestion['type']): RefusalError {
  return type === 'policy-read'
    ? refuse(
        'policy-deny',
        'This node does not show its policy to its gateway.',
        'Its person can, there: "gateway": { "policy": "read" } or "edit" in its config.json.',
      )
    : refuse(
        'policy-deny',
        'This node does not let its gateway edit its policy.',
        'Its person can, there: "gateway": { "policy": "edit" } in its config.json.',
      );
}

function notWritten(error: unknown): Refusal {
  return refuse(
    'config-invalid',
    `The policy could not be edited there: ${messageOf(error)}`,
    'Nothing was changed. Have a person look at the disk of that machine.',
  ).refusal;
}

/** What a patch changes, in one line for the record: names, modes and numbers, and no text of a rule. */
function wordsOfPatch({ defaults, agents = {} }: PolicyPatch): string {
  const modes = (changed: object): string =>
    Object.entries(changed)
      .map(([field, value]) => `${field} ${value === null ? 'unset' : JSON.stringify(value)}`)
      .join(', ');
  const parts = Object.entries(agents).map(([name, { modes: set = {}, rules = {} }]) => {
    const count = (what: string, number: number): string[] =>
      number === 0 ? [] : [`${String(number)} rules ${what}`];
    const said = [
      ...(Object.keys(set).length === 0 ? [] : [modes(set)]),
      ...count('in', (rules.insert ?? []).flatMap(({ items }) => items).length),
      ...count('replaced', rules.replace?.length ?? 0),
      ...count('out', rules.remove?.length ?? 0),
    ];
    return `${displayPlain(name)}: ${said.join(', ') || 'nothing'}`;
  });
  const all = [...(defaults === undefined ? [] : [`defaults: ${modes(defaults)}`]), ...parts];
  return (all.join('; ') || 'nothing').slice(0, longestLine);
}

const longestLine = 2_000;
