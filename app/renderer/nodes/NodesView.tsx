import { useEffect, useRef, useState } from 'react';
import { displayPlain } from '../../../shared/base/index.ts';
import { clockText, secondsLeft } from '../../bridge/state.ts';
import type {
  BridgeCalls,
  FleetGatewayInfo,
  NodeInfo,
  NodeProblem,
  WaitingNode,
} from '../../bridge/types.ts';
import { lockOf } from '../../../shared/wire/index.ts';
import { NodePolicyEditor } from '../allowlist/AllowlistView.tsx';
import { editPolicyOf } from '../allowlist/draft.ts';
import { Button } from '../primitives/Button.tsx';
import { Dialog } from '../primitives/Dialog.tsx';
import { Empty } from '../primitives/Empty.tsx';
import { callOrShow, useHostNow } from '../state/app.ts';
import { readPolicy, usePolicy } from '../state/policy.ts';
import { useLook } from '../state/asking.ts';
import { useText } from '../state/preferences.ts';
import { fullTime, relativeTime } from '../text/format.ts';
import {
  Gateway,
  LastSeen,
  List,
  LostLinks,
  OwnGateway,
  ShortId,
  shownDigits,
  State,
} from './Gateways.tsx';
import './nodes.css';

type Known = BridgeCalls['nodes']['result'];

/** Other machines, or the policy of one of them. */
export function NodesView() {
  const nodes = useLook('nodes');
  const [shownId, setShownId] = useState<string | null>(null);
  const shown = nodes.known?.nodes.find(({ id }) => id === shownId);
  return shown === undefined ? (
    <Machines {...nodes} onPolicy={setShownId} />
  ) : (
    <NodePolicy node={shown} onBack={() => setShownId(null)} />
  );
}

/** Other machines: who waits to be paired, who is paired and there, and this machine as a node. */
function Machines({
  known,
  problem,
  look,
  onPolicy,
}: ReturnType<typeof useLook<'nodes'>> & { readonly onPolicy: (id: string) => void }) {
  const { nodes: words } = useText();
  const [pairing, setPairing] = useState<WaitingNode | null>(null);
  const [going, setGoing] = useState<NodeInfo | null>(null);
  const done = async (work: Promise<unknown>): Promise<void> => {
    setPairing(null);
    setGoing(null);
    await work;
    await look();
  };
  const own = known?.own ?? null;
  const isBare = known !== null && known.nodes.length + known.waiting.length === 0;
  return (
    <section className="nodes" aria-labelledby="nodes-title">
      <header className="view-head">
        <h2 id="nodes-title">{words.title}</h2>
        {known !== null && <span className="quiet">{comingWords(known, words)}</span>}
      </header>
      <Problem sentence={problem} />
      <Problem sentence={known?.problem ?? null} />
      {own !== null && <Own own={own} />}
      {known !== null && known.waiting.length > 0 && (
        <List title={words.waiting}>
          {known.waiting.map((one) => (
            <Waiting
              key={one.code}
              waiting={one}
              onPair={() => setPairing(one)}
              onDecline={() => void done(callOrShow('declineNode', { code: one.code }))}
            />
          ))}
        </List>
      )}
      {known !== null && known.nodes.length > 0 && (
        <List title={words.paired}>
          {known.nodes.map((node) => (
            <Paired
              key={node.id}
              node={node}
              gateways={known.gateways}
              onPolicy={() => onPolicy(node.id)}
              onRemove={() => setGoing(node)}
            />
          ))}
        </List>
      )}
      {known !== null && known.gateways.length > 0 && (
        <List title={words.gateways}>
          {known.gateways.map((gateway) => (
            <Gateway key={gateway.id} gateway={gateway} />
          ))}
        </List>
      )}
      {isBare && (
        <Empty icon="nodes" title={words.none} text={words.noneText}>
          <code className="mono">interlock node pair HOST</code>
        </Empty>
      )}
      {pairing !== null && (
        <PairDialog
          pairing={pairing}
          onClose={() => setPairing(null)}
          onPair={() => void done(callOrShow('approveNode', { code: pairing.code }))}
        />
      )}
      {going !== null && (
        <RemoveDialog
          node={going}
          onClose={() => setGoing(null)}
          onRemove={() => void done(callOrShow('removeNode', { node: going.id }))}
        />
      )}
    </section>
  );
}

/** How other machines come here. */
function comingWords(
  { listening, calls }: Known,
  words: ReturnType<typeof useText>['nodes'],
): string {
  if (listening !== null) return words.listening(listening);
  return calls.length > 0 ? words.calling(calls.map(displayPlain).join(', ')) : words.notListening;
}

function Problem({ sentence }: { readonly sentence: string | null }) {
  if (sentence === null) return null;
  return (
    <p className="field-problem" role="alert">
      {displayPlain(sentence)}
    </p>
  );
}

/** The code once more, and the question that only who stands before the other machine can answer. */
function PairDialog({
  pairing,
  onClose,
  onPair,
}: {
  readonly pairing: WaitingNode;
  readonly onClose: () => void;
  readonly onPair: () => void;
}) {
  const { nodes: words } = useText();
  return (
    <Dialog title={words.pairTitle(displayPlain(pairing.displayName))} onClose={onClose}>
      <p className="node-code">{pairing.code}</p>
      <p>{words.pairText}</p>
      <div className="dialog-actions">
        <Button onClick={onClose}>{words.cancel}</Button>
        <Button look="solid" onClick={onPair}>
          {words.same}
        </Button>
      </div>
    </Dialog>
  );
}

function RemoveDialog({
  node,
  onClose,
  onRemove,
}: {
  readonly node: NodeInfo;
  readonly onClose: () => void;
  readonly onRemove: () => void;
}) {
  const { nodes: words } = useText();
  return (
    <Dialog title={words.removeTitle(displayPlain(node.displayName))} onClose={onClose}>
      <p>{words.removeText}</p>
      <div className="dialog-actions">
        <Button onClick={onClose}>{words.cancel}</Button>
        <Button look="danger" onClick={onRemove}>
          {words.remove}
        </Button>
      </div>
    </Dialog>
  );
}

function Own({ own }: { readonly own: NonNullable<Known['own']> }) {
  const { nodes: words } = useText();
  const state = own.connected ? words.connected : own.given ? words.given : words.notConnected;
  const { further = [] } = own;
  return (
    <>
      <p className={own.connected ? 'quiet' : 'field-problem'}>
        {words.own(displayPlain(own.displayName), `${displayPlain(own.gateway)} (${own.address})`)}{' '}
        {state} {own.problem !== null && displayPlain(own.problem)}
      </p>
      {further.length > 0 && (
        <List title={words.ownFurther}>
          {further.map((one) => (
            <OwnGateway key={one.id} gateway={one} />
          ))}
        </List>
      )}
    </>
  );
}

function Waiting({
  waiting,
  onPair,
  onDecline,
}: {
  readonly waiting: WaitingNode;
  readonly onPair: () => void;
  readonly onDecline: () => void;
}) {
  const { nodes: words } = useText();
  const now = useHostNow();
  const name = displayPlain(waiting.displayName);
  return (
    <li className="node">
      <div className="node-words">
        <strong>{name}</strong>
        <p className="node-code">{waiting.code}</p>
        <p className="quiet">{words.waitingText(name)}</p>
        <p className="faint small">
          {words.from(waiting.address, displayPlain(waiting.version))}
          {waiting.isKnown && ` · ${words.known}`}
        </p>
      </div>
      <span className="node-left">
        {words.left(clockText(secondsLeft(waiting.expiresAt, now)))}
      </span>
      <Button small aria-label={`${words.decline}: ${name}`} onClick={onDecline}>
        {words.decline}
      </Button>
      <Button small look="solid" aria-label={`${words.pair} ${name}`} onClick={onPair}>
        {words.pair}
      </Button>
    </li>
  );
}

/** Whether the last lockout has reached it, or another one. */
function Locked({ node }: { readonly node: NodeInfo }) {
  const { nodes: words } = useText();
  const lock = lockOf(node);
  if (lock === null) return null;
  const said = { locked: `✓ ${words.locked}`, unlocked: words.unlocked, waiting: words.lockWaits };
  const look = lock === 'locked' ? 'online' : 'removed';
  return (
    <>
      {' '}
      <span className={`node-state node-${look}`}>{said[lock]}</span>
    </>
  );
}

/** What is wrong with it, a line each, in the words of the page where it has any. */
function Problems({ problems }: { readonly problems: readonly NodeProblem[] }) {
  const { codes, code: language } = useText();
  const now = useHostNow();
  if (problems.length === 0) return null;
  return (
    <ul className="node-problems small">
      {problems.map(({ code, message, at }) => {
        const own = codes.nodeProblems[code];
        return (
          <li key={code}>
            <span lang={own === undefined ? 'en' : undefined}>{own ?? displayPlain(message)}</span>
            {at !== null && (
              <span className="faint" title={fullTime(at, language)}>
                {' '}
                {relativeTime(at, now, language)}
              </span>
            )}
          </li>
        );
      })}
    </ul>
  );
}

/** The policy of one node, read over its link and edited as far as that machine lets this one. */
function NodePolicy({ node, onBack }: { readonly node: NodeInfo; readonly onBack: () => void }) {
  const text = useText();
  const { nodes: words } = text;
  const { machine, policy, mayEdit, refusal } = usePolicy();
  const { id, policyHash, online } = node;
  useEffect(() => {
    editPolicyOf(id);
    return () => editPolicyOf(null);
  }, [id]);
  // A sign of life with another hash, or the node is there again: somebody has edited it meanwhile.
  const sign = `${id} ${policyHash ?? ''} ${String(online)}`;
  const heard = useRef(sign);
  useEffect(() => {
    if (heard.current !== sign) void readPolicy();
    heard.current = sign;
  }, [sign]);
  const isThere = machine === id && policy !== null;
  return (
    <section className="node-shown" aria-labelledby="node-policy-title">
      <header className="view-head">
        <Button small onClick={onBack}>
          {words.back}
        </Button>
        <h2 id="node-policy-title">{words.policyTitle(displayPlain(node.displayName))}</h2>
      </header>
      <Problem sentence={refusal === null ? null : `${refusal.message} ${refusal.hint}`} />
      {!isThere && refusal === null && (
        <p className="faint" role="status">
          {text.history.loading}
        </p>
      )}
      {isThere && <p className="quiet">{mayEdit ? words.mayEdit : words.mayRead}</p>}
      {isThere && <NodePolicyEditor />}
    </section>
  );
}

function Paired({
  node,
  gateways,
  onPolicy,
  onRemove,
}: {
  readonly node: NodeInfo;
  readonly gateways: readonly FleetGatewayInfo[];
  readonly onPolicy: () => void;
  readonly onRemove: () => void;
}) {
  const { nodes: words } = useText();
  const name = displayPlain(node.displayName);
  const how = node.state === 'removed' ? 'removed' : node.online ? 'online' : 'offline';
  const { lastSeenAt } = node;
  return (
    <li className="node">
      <div className="node-words">
        <strong>{name}</strong> <State is={how} />
        <Locked node={node} />
        <p className="quiet">
          {words.from(node.lastAddress, displayPlain(node.version))}
          {' · '}
          <span className="mono" title={node.policyHash ?? ''}>
            {words.policy(node.policyHash?.slice(0, shownDigits) ?? null)}
          </span>
        </p>
        <p className="faint small">
          <ShortId id={node.id} />
          {how !== 'online' && (
            <>
              {' · '}
              {lastSeenAt === null ? words.neverSeen : <LastSeen at={lastSeenAt} />}
            </>
          )}
        </p>
        <LostLinks node={node} gateways={gateways} />
        <Problems problems={node.problems ?? []} />
      </div>
      {how === 'online' && (
        <Button small aria-label={`${words.showPolicy}: ${name}`} onClick={onPolicy}>
          {words.showPolicy}
        </Button>
      )}
      {node.state === 'approved' && (
        <Button small aria-label={`${words.remove}: ${name}`} onClick={onRemove}>
          {words.remove}
        </Button>
      )}
    </li>
  );
}
