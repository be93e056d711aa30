import type { Check } from '../../shared/base/index.ts';
import { openLink } from '../../runner/nodes/link.ts';
import type { LinkPeer, NodeLink, TextWire, WireEvents } from '../../runner/nodes/link.ts';

export interface MemoryLinksOptions<ToGateway, ToNode> {
  /** Shapes of what each side may receive. */
  readonly checkAtGateway: Check<ToGateway>;
  readonly checkAtNode: Check<ToNode>;
  /** Whom the gateway takes the other end for; absent: a node called "build". */
  readonly node?: LinkPeer;
  readonly gateway?: LinkPeer;
}

export interface MemoryLinks<ToGateway, ToNode> {
  /** The gateway's end: its peer is the node. */
  readonly atGateway: NodeLink<ToGateway, ToNode>;
  readonly atNode: NodeLink<ToNode, ToGateway>;
  /** Cuts the wire: what is under way is lost, and both ends learn of it. */
  cut(): void;
  /** Puts a text on the wire to one end as though the other had sent it. */
  inject(to: 'gateway' | 'node', text: string): void;
  /** From now on texts to this end stay on the wire, and count as its sender's backlog. */
  hold(to: 'gateway' | 'node'): void;
  /** Lets through what was held, and all to come. */
  release(to: 'gateway' | 'node'): void;
}

/** Two ends of a link in memory. A frame arrives in a later microtask, never inside the call that sends it. */
export function memoryLinks<ToGateway, ToNode>(
  options: MemoryLinksOptions<ToGateway, ToNode>,
): MemoryLinks<ToGateway, ToNode> {
  const node = options.node ?? { id: 'n0de00000001', displayName: 'build', remoteAddress: null };
  const gateway = options.gateway ?? {
    id: '9a7e00000001',
    displayName: 'desk',
    remoteAddress: null,
  };
  const toGateway = direction();
  const toNode = direction();
  const atGateway = openLink<ToGateway, ToNode>({
    peer: node,
    check: options.checkAtGateway,
    wire: wireOf(toNode),
  });
  const atNode = openLink<ToNode, ToGateway>({
    peer: gateway,
    check: options.checkAtNode,
    wire: wireOf(toGateway),
  });
  toGateway.to = atGateway.events;
  toNode.to = atNode.events;
  const of = (to: 'gateway' | 'node') => (to === 'gateway' ? toGateway : toNode);
  return {
    atGateway: atGateway.link,
    atNode: atNode.link,
    cut: () => {
      toGateway.drop();
      toNode.drop();
      const end = { code: 'lost', detail: 'The connection broke.' } as const;
      atGateway.events.over(end);
      atNode.events.over(end);
    },
    inject: (to, text) => of(to).put(text),
    hold: (to) => {
      of(to).isHeld = true;
    },
    release: (to) => {
      of(to).isHeld = false;
      of(to).flush();
    },
  };
}

/** Two ends of a carrier in memory, for what stands below links. */
export function memoryWires(): {
  readonly toGateway: Direction;
  readonly toNode: Direction;
  readonly atGateway: TextWire;
  readonly atNode: TextWire;
} {
  const [toGateway, toNode] = [direction(), direction()];
  return { toGateway, toNode, atGateway: wireOf(toNode), atNode: wireOf(toGateway) };
}

/** One way of a carrier. */
export interface Direction {
  /** Every text that was put on it, oldest first. */
  readonly seen: string[];
  to: WireEvents | null;
  isHeld: boolean;
  put(text: string, left?: () => void): void;
  flush(): void;
  drop(): void;
  bytes(): number;
}

function direction(): Direction {
  let texts: { readonly text: string; readonly left: () => void }[] = [];
  const self: Direction = {
    seen: [],
    to: null,
    isHeld: false,
    put: (text, left = () => undefined) => {
      self.seen.push(text);
      texts.push({ text, left });
      queueMicrotask(() => self.flush());
    },
    flush: () => {
      while (!self.isHeld) {
        const next = texts.shift();
        if (next === undefined) return;
        self.to?.text(next.text);
        next.left();
      }
    },
    drop: () => {
      texts = [];
    },
    bytes: () => texts.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0),
  };
  return self;
}

function wireOf(out: Direction): TextWire {
  return {
    send: (text, left) => out.put(text, left),
    backlog: () => out.bytes(),
    close: (why) =>
      queueMicrotask(() => {
        out.drop();
        out.to?.over({ code: 'closed-by-peer', detail: why });
      }),
  };
}
