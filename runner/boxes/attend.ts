import { closeSync, existsSync, statSync } from 'node:fs';
import { Server } from 'node:net';
import { join } from 'node:path';
import { messageOf } from '../../shared/base/index.ts';
import type { Clock } from '../../shared/base/index.ts';
import { agentOfBox, withBoxes } from '../../shared/engine/index.ts';
import type { Config } from '../../shared/engine/index.ts';
import { watchFile } from '../../shared/home/index.ts';
import type { HostTask } from '../hosts/host.ts';
import type { BoxNetwork } from '../hosts/sandbox/launch.ts';
import type { AskingBox } from '../ingress/box-door.ts';
import { boxLocks } from './locks.ts';
import type { BoxLocks } from './locks.ts';
import { changedFile, openBoxRecords } from './record.ts';
import type { BoxRecord, BoxRecords } from './record.ts';
import type { BoxRuntime } from './runtime.ts';

/** What a runner does for named boxes, which were there before it and will be after it. */
export interface BoxAttendant {
  /** The configuration with the boxes of now as agents of their own. */
  readonly withBoxes: (config: Config) => Config;
  /** Takes up boxes that began, and lets go of those that ended or changed. */
  readonly look: () => void;
  readonly dispose: () => void;
}

interface AttendOptions {
  /** Where records lie. */
  readonly directory: string;
  readonly uid: number;
  readonly clock: Clock;
  /** Opens the filtered way out of a box. */
  readonly open: (task: HostTask) => Promise<BoxNetwork>;
  /** Opens the door by which a box asks for this machine; answers how to close it. */
  readonly door: (box: AskingBox) => Promise<() => void>;
  readonly warn: (text: string) => void;
  /** What the settings say of a box may be another now. */
  readonly changed: () => void;
  /** Boxes may have been made, ended, locked or unlocked. */
  readonly looked: () => void;
  /**
   * What was allowed for a while to an earlier box of this name holds no more: what was granted before
   * `since`, in milliseconds since the epoch, or all of it.
   */
  readonly fresh: (name: string, since: number | null) => void;
  readonly runtime: Pick<BoxRuntime, 'runs' | 'listener'>;
  /** Stand in for the records; for tests. */
  readonly records?: Pick<BoxRecords, 'names' | 'read' | 'doorOf'>;
  readonly locks?: Pick<BoxLocks, 'of'>;
}

/** One box that is looked after, by what it is about: anything else is another one. */
interface Attended {
  readonly about: string;
  readonly close: () => void;
}

const refusal =
  'HTTP/1.1 403 Forbidden\r\nContent-Type: text/plain\r\nConnection: close\r\n\r\nThis box has no network. A person gives it one: interlock box network NAME restricted\n';

/**
 * Serves the way out of named boxes. The socket on which a box's programs look for it is kept by the
 * box's keeper, so a runner that starts again goes on where the last one was; meanwhile whoever
 * connects waits.
 */
export function attendBoxes(options: AttendOptions): BoxAttendant {
  const { directory, uid, clock, open, door, warn, runtime } = options;
  const records = options.records ?? openBoxRecords(directory, uid);
  const locks = options.locks ?? boxLocks(openBoxRecords(directory, uid), uid);
  const attended = new Map<string, Attended>();
  let known: ReadonlyMap<string, BoxRecord> = new Map();
  let isFirst = true;
  let version = '';
  let last: { readonly from: Config; readonly version: string; readonly made: Config } | null =
    null;

  const failed = (what: string, name: string) => (error: unknown) => {
    warn(`${what} of the box "${name}" could not be served: ${messageOf(error)}`);
    attended.delete(name);
  };
  const networks: Service = {
    wants: ({ network }) => network !== 'full',
    about: ({ keeper, network, template }) => JSON.stringify([keeper, network, template.egress]),
    serve: (record) => {
      const listener = runtime.listener(record.name);
      const { name } = record;
      return listener === null
        ? null
        : serveBox(record, listener, open, failed('The network', name));
    },
    served: attended,
  };
  const doors: Service = {
    wants: ({ name }) => existsSync(records.doorOf(name)),
    about: ({ keeper, history }) => JSON.stringify([keeper, history]),
    serve: (record) =>
      serveDoor(record, records.doorOf(record.name), door, (error) =>
        warn(`The door of the box "${record.name}" could not be opened: ${messageOf(error)}`),
      ),
    served: new Map(),
  };

  const look = (): void => {
    const before = known;
    known = new Map(records.names().flatMap((name) => readQuietly(records, name)));
    for (const name of new Set([...before.keys(), ...known.keys()])) {
      const record = known.get(name);
      if (record === undefined || record.createdAt !== before.get(name)?.createdAt)
        options.fresh(name, isFirst ? (record?.createdAt ?? null) : null);
    }
    isFirst = false;
    const text = JSON.stringify(
      [...known].map(([name, { template, network }]) => [name, template, network]),
    );
    if (text !== version) {
      version = text;
      options.changed();
    }
    const running = [...known.values()].filter(
      ({ name, journal, keeper }) =>
        journal === null &&
        keeper !== null &&
        locks.of(name) === null &&
        runtime.runs(name, keeper),
    );
    // Before doors are closed: what waits is to end with the reason, and not as left alone.
    options.looked();
    for (const service of [networks, doors]) renew(service, running);
  };
  const stop = watchFile(join(directory, changedFile), { look, clock });
  look();
  return {
    withBoxes: (config) => {
      if (last?.from !== config || last.version !== version)
        last = { from: config, version, made: withBoxes(config, known) };
      return last.made;
    },
    look,
    dispose: () => {
      stop();
      for (const { served } of [networks, doors]) {
        for (const { close } of served.values()) close();
        served.clear();
      }
    },
  };
}

/** Serves a listener by what the box's network is; returns what ends that. */
function serveBox(
  record: BoxRecord,
  listener: number,
  open: AttendOptions['open'],
  failed: (error: unknown) => void,
): () => void {
  const server = new Server({ allowHalfOpen: true });
  server.on('error', () => server.close());
  if (record.network === 'none') {
    server.on('connection', (socket) => {
      socket.on('error', () => socket.destroy());
      socket.end(refusal);
    });
    server.listen({ fd: listener }).unref();
    return () => void server.close();
  }
  let network: BoxNetwork | null = null;
  let isClosed = false;
  const begin = async (): Promise<void> => {
    try {
      network = await open(taskOf(record));
    } catch (error) {
      closeSync(listener);
      if (!isClosed) failed(error);
      return;
    }
    network.listens(server);
    if (isClosed) {
      network.close();
      closeSync(listener);
    } else server.listen({ fd: listener }).unref();
  };
  void begin();
  return () => {
    isClosed = true;
    server.close();
    network?.close();
  };
}

/** Something that is done for each box that runs, until it ends or is another one. */
interface Service {
  readonly wants: (record: BoxRecord) => boolean;
  readonly about: (record: BoxRecord) => string;
  /** Null where it cannot be done now. */
  readonly serve: (record: BoxRecord) => (() => void) | null;
  readonly served: Map<string, Attended>;
}

/** Lets go of what a service does for boxes that are not there any more, and takes up the others. */
function renew({ wants, about, serve, served }: Service, running: readonly BoxRecord[]): void {
  const wanted = new Map(running.filter(wants).map((record) => [record.name, record]));
  for (const [name, one] of served) {
    const record = wanted.get(name);
    if (record !== undefined && about(record) === one.about) continue;
    served.delete(name);
    one.close();
  }
  for (const [name, record] of wanted) {
    if (served.has(name)) continue;
    const close = serve(record);
    if (close !== null) served.set(name, { about: about(record), close });
  }
}

/** Opens a door, and closes it also where that is wanted before it stands open. */
function serveDoor(
  { name, workspace, history = null, keeper }: BoxRecord,
  folder: string,
  open: AttendOptions['door'],
  failed: (error: unknown) => void,
): (() => void) | null {
  if (keeper === null) return null;
  const { uid } = statSync(folder);
  const box = { name, workspace: workspace.path, history, uid, keeper: keeper.pid, folder };
  let close: (() => void) | null = null;
  let isClosed = false;
  const begin = async (): Promise<void> => {
    try {
      close = await open(box);
    } catch (error) {
      if (!isClosed) failed(error);
      return;
    }
    if (isClosed) close();
  };
  void begin();
  return () => {
    isClosed = true;
    close?.();
  };
}

function readQuietly(
  records: Pick<BoxRecords, 'read'>,
  name: string,
): readonly (readonly [string, BoxRecord])[] {
  try {
    const record = records.read(name);
    return record === null ? [] : [[name, record]];
  } catch {
    // What nobody can read has no way out.
    return [];
  }
}

/** Who asks where something in a box does. */
function taskOf({ name, workspace }: BoxRecord): HostTask {
  return {
    id: `box:${name}`,
    agent: agentOfBox(name),
    session: name,
    execution: { kind: 'missing', name: 'box' },
    cwd: workspace.path,
    env: {},
    unasked: true,
  };
}
