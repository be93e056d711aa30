import type { ReactNode } from 'react';
import { displayPlain } from '../../../shared/base/index.ts';
import { lostLinks } from '../../../shared/wire/index.ts';
import type { BridgeCalls, FleetGatewayInfo, NodeInfo } from '../../bridge/types.ts';
import { useHostNow } from '../state/app.ts';
import { useText } from '../state/preferences.ts';
import { fullTime, relativeTime } from '../text/format.ts';

type Own = NonNullable<BridgeCalls['nodes']['result']['own']>;

/** How much of an id is shown. */
export const shownDigits = 12;

/** The begin of an id; the whole of it under the pointer. */
export function ShortId({ id }: { readonly id: string }) {
  return (
    <span className="mono" title={id}>
      {id.slice(0, shownDigits)}
    </span>
  );
}

/** When a machine was last seen, in milliseconds since the epoch. */
export function LastSeen({ at }: { readonly at: number }) {
  const { nodes: words, code } = useText();
  const now = useHostNow();
  return <span title={fullTime(at, code)}>{words.seen(relativeTime(at, now, code))}</span>;
}

/** A list of machines under its title. */
export function List({
  title,
  children,
}: {
  readonly title: string;
  readonly children: ReactNode;
}) {
  return (
    <>
      <h3>{title}</h3>
      <ul className="nodes-list">{children}</ul>
    </>
  );
}

/** Whether a machine is there. */
export function State({ is }: { readonly is: 'online' | 'offline' | 'removed' }) {
  const { nodes: words } = useText();
  return <span className={`node-state node-${is}`}>{words[is]}</span>;
}

/** A gateway of the fleet, as the machines that are connected here tell of it. */
export function Gateway({ gateway }: { readonly gateway: FleetGatewayInfo }) {
  const { nodes: words } = useText();
  const { id, displayName, isThis, links, lastSeenAt } = gateway;
  return (
    <li className="node">
      <div className="node-words">
        <strong>{displayName === null ? words.firstGateway : displayPlain(displayName)}</strong>{' '}
        {isThis ? (
          <span className="quiet">{words.thisMachine}</span>
        ) : (
          links !== null && <State is={links > 0 ? 'online' : 'offline'} />
        )}
        <p className="faint small">
          <ShortId id={id} />
          {' · '}
          {links === null ? words.linksUnknown : words.links(links)}
          {lastSeenAt !== null && (
            <>
              {' · '}
              <LastSeen at={lastSeenAt} />
            </>
          )}
        </p>
      </div>
    </li>
  );
}

/** Another gateway of this machine. */
export function OwnGateway({ gateway }: { readonly gateway: NonNullable<Own['further']>[number] }) {
  const { id, displayName, connected, problem, lastSeenAt } = gateway;
  return (
    <li className="node">
      <div className="node-words">
        <strong>{displayPlain(displayName)}</strong> <State is={connected ? 'online' : 'offline'} />
        <p className="faint small">
          <ShortId id={id} />
          {lastSeenAt !== null && (
            <>
              {' · '}
              <LastSeen at={lastSeenAt} />
            </>
          )}
          {problem !== null && ` · ${displayPlain(problem)}`}
        </p>
      </div>
    </li>
  );
}

/** The gateways of the fleet that it has no link to. */
export function LostLinks({
  node,
  gateways,
}: {
  readonly node: NodeInfo;
  readonly gateways: readonly FleetGatewayInfo[];
}) {
  const { nodes: words } = useText();
  const lost = lostLinks(node, gateways);
  if (lost.length === 0) return null;
  return (
    <ul className="node-problems small">
      {lost.map(({ gateway, since }) => (
        <li key={gateway.id}>
          {words.lostLink(gateway.displayName === null ? null : displayPlain(gateway.displayName))}
          {since !== null && (
            <span className="faint">
              {' · '}
              <LastSeen at={since} />
            </span>
          )}
        </li>
      ))}
    </ul>
  );
}
