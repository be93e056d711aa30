import {
  compile,
  createTokenBucket,
  displayPlain,
  messageOf,
  readJson,
  sha256,
} from '../../shared/base/index.ts';
import type { Clock, TokenBucket } from '../../shared/base/index.ts';
import { answerWords, presenceModes, relayedAskSchema } from '../../shared/engine/index.ts';
import type { Ask, Presence, RelayedAsk } from '../../shared/engine/index.ts';
import type { NodeTask, RelayTold, ToGatewayFrame } from '../../shared/wire/index.ts';
import { answersOf } from '../gate/answers.ts';
import type { AskDraft, AskEnding } from '../gate/ports.ts';
import type { LinkToNode, NodeAsks } from './gateway-runs.ts';

/** How a question of a node is put to the person here. */
export interface NodeQuestion {
  readonly timeoutMs: number;
  /** Aborted when nobody has to answer it any more. */
  readonly gone: AbortSignal;
  /** It is in front of somebody. */
  readonly onShown: () => void;
}

export interface NodeAsksOptions {
  readonly clock: Pick<Clock, 'elapsed'>;
  readonly newId: () => string;
  /** Asks the person here; throws where that cannot be, or may not be now. */
  readonly ask: (draft: AskDraft, how: NodeQuestion) => Promise<AskEnding>;
  /** What the policy here wants for a yes to this agent, at a risk. Throws while it is not valid. */
  readonly wanted: (
    agent: string,
    risk: Ask['risk']['level'],
  ) => { readonly presence: Presence | null; readonly approvers: number };
  /** For the record. Throws where it cannot be written: the answer is not told then. */
  readonly record: (code: string, text: string) => void;
  /** For the record, where nothing depends on it. */
  readonly note: (code: string, text: string) => void;
}

interface Shown {
  readonly run: number;
  readonly stop: AbortController;
}

const checkRelayed = compile(relayedAskSchema);
/** How often a node may ask: more than any person answers. */
const asking = { burst: 30, perSecond: 0.5 } as const;
/** How often the record is told of what the other machine does wrong. */
const telling = { burst: 5, perSecond: 1 / 60 } as const;
/** Longest that a frame has, in characters. */
const mostSaidBy = 300;

/** The gateway's end: the asks of all nodes, in the app here. */
export function openNodeAsks(options: NodeAsksOptions): NodeAsks {
  const { clock, note } = options;
  const shown = new WeakMap<LinkToNode, Map<number, Shown>>();
  const paces = new Map<string, { readonly ask: TokenBucket; readonly tell: TokenBucket }>();
  const shownOver = (link: LinkToNode): Map<number, Shown> => {
    const known = shown.get(link);
    if (known !== undefined) return known;
    const fresh = new Map<number, Shown>();
    shown.set(link, fresh);
    link.onClose(() => {
      for (const { stop } of fresh.values()) stop.abort();
    });
    return fresh;
  };
  const paceOf = ({ peer: { id } }: LinkToNode) => {
    const pace = paces.get(id) ?? {
      ask: createTokenBucket(clock, asking),
      tell: createTokenBucket(clock, telling),
    };
    paces.set(id, pace);
    return pace;
  };
  return {
    raised: (link, frame, task) => {
      const { question, run } = frame;
      const open = shownOver(link);
      const pace = paceOf(link);
      const tell = (told: RelayTold): void => {
        if (told.kind !== 'shown') open.delete(question);
        link.send({ type: 'ask-told', question, told });
      };
      const isOneMore = open.has(question) || [...open.values()].some((each) => each.run === run);
      if (task === null || isOneMore || !pace.ask()) {
        link.send({ type: 'ask-told', question, told: { kind: 'nobody' } });
        return;
      }
      const stop = new AbortController();
      open.set(question, { run, stop });
      show({ link, frame, task, tell, gone: stop.signal }, options).catch((error: unknown) => {
        const who = `${displayPlain(link.peer.displayName)} (${link.peer.id})`;
        if (pace.tell()) note('node-ask-unshown', `${who}: ${displayPlain(messageOf(error))}`);
        tell({ kind: 'over' });
      });
    },
    over: (link, question) => {
      const asked = shown.get(link)?.get(question);
      shown.get(link)?.delete(question);
      asked?.stop.abort();
    },
  };
}

interface Showing {
  readonly link: LinkToNode;
  readonly frame: Extract<ToGatewayFrame, { type: 'ask' }>;
  readonly task: NodeTask;
  readonly tell: (told: RelayTold) => void;
  readonly gone: AbortSignal;
}

/** Has the person here asked, and tells the node what came of it, once that stands in the record. */
async function show(showing: Showing, options: NodeAsksOptions): Promise<void> {
  const { link, frame, task, tell, gone } = showing;
  const read = readJson(checkRelayed, frame.text);
  if (!read.ok) throw new Error(`What it asks cannot be read here: ${read.error}`);
  const draft = draftOf(read.value, showing, options);
  const ending = await options.ask(draft, {
    timeoutMs: frame.leftMs,
    gone,
    onShown: () => tell({ kind: 'shown' }),
  });
  if (ending.kind !== 'decided' || ending.decision.decision === 'allow-always') {
    tell({ kind: ending.kind === 'unreachable' ? 'nobody' : 'over' });
    return;
  }
  const { decision, note } = ending.decision;
  const said = decision === 'deny' ? 'no' : 'yes';
  const answers = answersOf(ending);
  const digest = sha256(frame.text);
  const who = `${displayPlain(link.peer.displayName)} (${link.peer.id})`;
  const by = answers.map((one) => answerWords(one).slice(one.said.length + 1)).join(' and ');
  options.record('node-ask-answered', `${who}, request ${task.id}, ask ${digest}: ${said} ${by}.`);
  const words = said === 'yes' || note === undefined ? {} : { note };
  tell({
    kind: 'answer',
    digest,
    said,
    by: Array.from(by).slice(0, mostSaidBy).join(''),
    ...words,
  });
}

/** The ask as it is put to the person here: who asks is what this machine knows, the rest the node's word. */
function draftOf(
  { isSandboxed, presence, ...said }: RelayedAsk,
  { link, task }: Showing,
  { newId, wanted }: NodeAsksOptions,
): AskDraft {
  const agent = task.isNamed ? task.agent : '*';
  const here = wanted(agent, said.risk.level);
  const name = displayPlain(link.peer.displayName);
  const isWanted = (mode: Presence): boolean => mode === here.presence || mode === presence;
  const strictest = here.approvers > 1 ? 'passkey' : presenceModes.find(isWanted);
  return {
    id: newId(),
    agent,
    session: task.session ?? null,
    host: isSandboxed ? `node ${name}, sandbox` : `node ${name}`,
    node: { id: link.peer.id, name },
    ...legible(said),
    whyNotAlways: 'A node asks; what is allowed there for longer is said on that machine.',
    ...(strictest !== undefined && { presence: strictest }),
    ...(here.approvers > 1 && { approvers: here.approvers }),
    ancestry: [],
    proposals: [],
    durations: ['once'],
  };
}

/** What every view writes out by itself, as it does for agents of this machine; spans point into it. */
const writtenOut = new Set(['command', 'argv', 'value', 'detail', 'statedReason']);

/** The same with all sentences display-safe: here they are not this machine's own. */
function legible<T>(said: T): T {
  const safe = (value: unknown): unknown => {
    if (typeof value === 'string') return displayPlain(value);
    if (Array.isArray(value)) return value.map(safe);
    if (typeof value !== 'object' || value === null) return value;
    const fields = Object.entries(value).map(([name, each]): [string, unknown] =>
      writtenOut.has(name) ? [name, each] : [name, safe(each)],
    );
    return Object.fromEntries(fields);
  };
  return safe(said) as T;
}
