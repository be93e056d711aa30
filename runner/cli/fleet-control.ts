import { hashOfText, systemClock } from '../../shared/home/index.ts';
import type { Home } from '../../shared/home/index.ts';
import { openControl } from '../fleet/control.ts';
import type { FleetControl } from '../fleet/control.ts';
import { readOrder } from '../fleet/documents.ts';
import type { DocumentName, FleetDocument, Tick } from '../fleet/documents.ts';
import type { FleetSeat } from '../service/call-nodes.ts';
import { connectFleet } from '../fleet/streams.ts';
import { openDevice } from '../nodes/device.ts';
import { openRegistry } from '../nodes/registry.ts';

/** A node of the fleet, and whether it has taken up what the fleet was told last. */
interface FleetNode {
  readonly id: string;
  readonly displayName: string;
  readonly policy: boolean;
  readonly lockout: boolean;
}

export interface FleetReport {
  /** sha256 (hex) of the policy of the fleet; null: there is none. */
  readonly policy: string | null;
  /** Whether machines of the fleet lock when they hear of it. */
  readonly locked: boolean;
  /** What nats-server keeps from nodes: it shows an older version than this gateway told, or none. */
  readonly withheld: readonly DocumentName[];
  readonly nodes: readonly FleetNode[];
}

/** Of these, nodes say how far they have come. */
type Followed = Exclude<DocumentName, 'gateways'>;

/** How long it is waited for nodes that are connected. */
const waitMs = 3_000;
/** Where a node connected from that came by nats-server: its key there. */
const userKey = /^U[A-Z2-7]{55}$/u;

/** Works on the fleet of this home, over a connection that ends with it. */
export async function withControl<T>(
  home: Home,
  { access, keeper }: FleetSeat,
  work: (control: FleetControl, known: Known) => Promise<T>,
): Promise<T> {
  const registry = openRegistry({ path: home.nodes, uid: home.uid });
  const nodes = registry.list().filter(({ state }) => state === 'approved');
  const keys = new Map(nodes.map(({ id, key }) => [id, key]));
  const device = openDevice(home.nodesDevice, home.uid);
  const connection = await connectFleet(access);
  try {
    const control = await openControl(connection, {
      device,
      keeper: keeper ?? device.publicKey,
      keyOf: (id) => keys.get(id) ?? null,
      clock: systemClock,
      path: home.fleetTold,
      uid: home.uid,
    });
    return await work(control, nodes);
  } finally {
    await connection.close();
  }
}

type Known = readonly {
  readonly id: string;
  readonly displayName: string;
  readonly lastAddress: string | null;
}[];

/** How the fleet stands, by what its nodes said last. */
export async function reportOf(control: FleetControl, known: Known): Promise<FleetReport> {
  const [policy, lockout] = [await control.current('policy'), await control.current('lockout')];
  const withheld = control.withheld();
  return shown({ policy, lockout, withheld, ticks: await control.ticks(), known });
}

/** Tells the fleet something, and waits a while for the nodes that are connected. */
export async function tellAndWait(
  control: FleetControl,
  known: Known,
  { name, text, base }: Pick<FleetDocument, 'text' | 'base'> & { readonly name: Followed },
  withinMs = waitMs,
): Promise<FleetReport> {
  const ticks = new Map(await control.ticks());
  const waiting = new Set(known.filter((node) => isMember(node, ticks)).map(({ id }) => id));
  let finish = (): void => undefined;
  const all = new Promise<void>((resolve) => {
    finish = resolve;
  });
  let seq = Number.POSITIVE_INFINITY;
  const unlisten = control.onTick((tick) => {
    ticks.set(tick.id, tick);
    if (tick[name] >= seq) waiting.delete(tick.id);
    if (waiting.size === 0) finish();
  });
  let cancel = (): void => undefined;
  try {
    const told = await control.tell(name, text, base);
    seq = told.seq;
    for (const [id, tick] of ticks) if (tick[name] >= seq) waiting.delete(id);
    cancel = systemClock.after(withinMs, finish);
    if (waiting.size > 0) await all;
  } finally {
    cancel();
    unlisten();
  }
  const [policy, lockout] = [await control.current('policy'), await control.current('lockout')];
  return shown({ policy, lockout, withheld: control.withheld(), ticks, known });
}

function isMember({ id, lastAddress }: Known[number], ticks: ReadonlyMap<string, Tick>): boolean {
  return ticks.has(id) || (lastAddress !== null && userKey.test(lastAddress));
}

interface Found {
  readonly policy: FleetDocument | null;
  readonly lockout: FleetDocument | null;
  readonly withheld: readonly DocumentName[];
  readonly ticks: ReadonlyMap<string, Tick>;
  readonly known: Known;
}

function shown({ policy, lockout, withheld, ticks, known }: Found): FleetReport {
  const order = lockout === null ? null : readOrder(lockout.text);
  return {
    policy: policy === null ? null : hashOfText(policy.text),
    locked: lockout !== null && order?.locked !== false,
    withheld,
    nodes: known
      .filter((node) => isMember(node, ticks))
      .map(({ id, displayName }) => ({
        id,
        displayName,
        policy: (ticks.get(id)?.policy ?? 0) >= (policy?.seq ?? 0),
        lockout: (ticks.get(id)?.lockout ?? 0) >= (lockout?.seq ?? 0),
      })),
  };
}
