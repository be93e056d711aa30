import type { NatsConnection } from '@nats-io/transport-node';
import { messageOf } from '../../shared/base/index.ts';
import type { FleetGatewayInfo, NodeProblem } from '../../shared/wire/index.ts';
import { deviceId } from '../nodes/device.ts';
import { openControl, remembered } from './control.ts';
import type { FleetControl, FleetControlOptions } from './control.ts';
import { aloneIn, documentNames, readDocument } from './documents.ts';
import type { DocumentName, Tick, Trust } from './documents.ts';
import { topics } from './keys.ts';
import { readRoster, trustIn } from './roster.ts';
import type { Roster } from './roster.ts';

/** What the runner of a gateway sees of its fleet, as long as it is at nats-server. */
export interface FleetWatch {
  /**
   * nats-server is there, again: what it shows is held to what was told last, and put back where it shows
   * less. Never rejects.
   */
  reached(connection: NatsConnection): Promise<void>;
  /** What a node of the fleet, by its id, has not taken up by its own signed word, as it is now. */
  behind(): (id: string) => readonly NodeProblem[];
}

export interface FleetWatchOptions extends FleetControlOptions {
  /** For the log and the record. */
  readonly note: (code: string, text: string) => void;
  /** What nats-server withholds from nodes, one line; null where it shows all that was told. */
  readonly onWithheld: (why: string | null) => void;
}

/** Watches a fleet for its gateway. */
export function watchFleet(options: FleetWatchOptions): FleetWatch {
  const { note, onWithheld } = options;
  const ticks = new Map<string, Tick>();
  return {
    reached: async (connection) => {
      try {
        const control = await openControl(connection, options);
        control.onTick((tick) => void ticks.set(tick.id, tick));
        for (const [id, tick] of await control.ticks()) if (!ticks.has(id)) ticks.set(id, tick);
        for (const name of documentNames) await control.current(name);
        followNews(connection, control, options);
        const why = withheldBy(control);
        if (why !== null) {
          note('fleet-withheld', `nats-server: ${why}`);
          const back = await control.restore();
          if (back.length > 0)
            note('fleet-restored', `nats-server has ${back.join(' and ')} again as last told.`);
        }
        onWithheld(withheldBy(control));
      } catch (error) {
        if (connection.isClosed()) return;
        note('fleet-unwatched', `What nats-server shows could not be read: ${messageOf(error)}`);
      }
    },
    behind: () => {
      try {
        // Once for all nodes, however many there are.
        const trust = trustKept(options);
        const last = followedNames.map(
          (name) => [name, remembered(name, trust, options)?.seq ?? 0] as const,
        );
        return (id) =>
          last.flatMap(([name, seq]) => (seq > (ticks.get(id)?.[name] ?? 0) ? behind[name] : []));
      } catch {
        // `interlock fleet status` says what is wrong with the file.
        return () => [];
      }
    },
  };
}

function withheldBy(control: Pick<FleetControl, 'withheld'>): string | null {
  const names = control.withheld().join(' and ');
  return names === '' ? null : `It shows an older ${names} than this machine told, or none.`;
}

/** Reads, and so keeps, each version that another gateway tells while the connection stands. */
function followNews(
  connection: NatsConnection,
  control: FleetControl,
  options: FleetWatchOptions,
): void {
  const hear = async (text: string): Promise<void> => {
    const trust = trustKept(options);
    const document = readDocument(text, trust);
    if (document === null) return;
    const last = remembered(document.name, trust, options)?.seq ?? 0;
    if (document.seq > last) await control.current(document.name);
  };
  const news = connection.subscribe(topics.news);
  const hearAll = async (): Promise<void> => {
    for await (const message of news)
      await hear(message.string()).catch((error: unknown) => {
        if (connection.isClosed()) return;
        const why = messageOf(error);
        options.note('fleet-unwatched', `What is told there could not be read: ${why}`);
      });
  };
  hearAll().catch(() => undefined);
}

/** Whose word counts, as it is kept here. Throws `config-invalid`. */
export function trustKept(options: Pick<FleetControlOptions, 'keeper' | 'path' | 'uid'>): Trust {
  return trustIn(options.keeper, rosterKept(options));
}

/** Who the gateways of the fleet are, as it is kept here; empty where there is one alone. */
export function gatewaysKept(
  options: Pick<FleetControlOptions, 'device' | 'keeper' | 'path' | 'uid'>,
): readonly Pick<FleetGatewayInfo, 'id' | 'displayName' | 'isThis'>[] {
  const { keeper, device } = options;
  const gateways = gatewaysOf(options);
  if (gateways.length === 0) return [];
  return [{ displayName: null, key: keeper }, ...gateways].map(({ displayName, key }) => ({
    id: deviceId(key),
    displayName,
    isThis: key === device.publicKey,
  }));
}

function gatewaysOf(options: Parameters<typeof rosterKept>[0]): Roster['gateways'] {
  try {
    return rosterKept(options).gateways;
  } catch {
    // `interlock fleet status` says what is wrong with the file.
    return [];
  }
}

function rosterKept(options: Pick<FleetControlOptions, 'keeper' | 'path' | 'uid'>): Roster {
  return readRoster(remembered('gateways', aloneIn(options.keeper), options)?.text ?? null);
}

/** Of which of them nodes say how far they have come. */
const followedNames = ['policy', 'lockout'] as const satisfies readonly DocumentName[];

const behind: Readonly<Record<(typeof followedNames)[number], NodeProblem>> = {
  policy: {
    code: 'bounds-behind',
    message: 'It has not taken up the newest bounds of the fleet.',
    at: null,
  },
  lockout: {
    code: 'lockout-behind',
    message: 'It has not heard of the last lockout of the fleet, or of its end.',
    at: null,
  },
};
