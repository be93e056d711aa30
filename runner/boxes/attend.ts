import { closeSync } from 'node:fs';
import { Server } from 'node:net';
import { join } from 'node:path';
import { messageOf } from '../../shared/base/index.ts';
import type { Clock } from '../../shared/base/index.ts';
import { agentOfBox, withBoxes } from '../../shared/engine/index.ts';
import type { Config } from '../../shared/engine/index.ts';
import { watchFile } from '../../shared/home/index.ts';
import type { HostTask } from '../hosts/host.ts';
import type { BoxNetwork } from '../hosts/sandbox/launch.ts';
import { boxRuns, takeListener } from './kernel.ts';
import { boxLocks } from './locks.ts';
import type { BoxLocks } from './locks.ts';
import { changedFile, openBoxRecords } from './record.ts';
import type { BoxRecord, BoxRecords } from './record.ts';

/** What a runner does for named boxes, which were there before it and will be after it. */
export interface BoxAttendant {
  /** The configuration with the boxes of now as agents of their own. */
  readonly withBoxes: (config: Config) => Config;
  /** Takes up boxes that began, and lets go of those that ended or changed. */
  readonly look: () => void;
  readonly dispose: () => void;
}

export interface AttendOptions {
  /** Where records lie. */
  readonly directory: string;
  readonly uid: number;
  readonly clock: Clock;
  /** Opens the filtered way out of a box. */
  readonly open: (task: HostTask) => Promise<BoxNetwork>;
  readonly warn: (text: string) => void;
  /** What the settings say of a box may be another now. */
  readonly changed: () => void;
  /** Stand in for the records and the kernel; for tests. */
  readonly records?: Pick<BoxRecords, 'names' | 'read' | 'socketOf'>;
  readonly takes?: (socket: string) => number | null;
  readonly runs?: (record: BoxRecord) => boolean;
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
  const { directory, uid, clock, open, warn } = options;
  const records = options.records ?? openBoxRecords(directory, uid);
  const locks = options.locks ?? boxLocks(openBoxRecords(directory, uid), uid);
  const takes = options.takes ?? takeListener;
  const runs = options.runs ?? (({ keeper }: BoxRecord) => boxRuns(keeper));
  const attended = new Map<string, Attended>();
  let known: ReadonlyMap<string, BoxRecord> = new Map();
  let version = '';
  let last: { readonly from: Config; readonly version: string; readonly made: Config } | null =
    null;

  const serve = (record: BoxRecord, about: string): void => {
    const listener = takes(records.socketOf(record.name));
    if (listener === null) return;
    const close = serveBox(record, listener, open, (error) => {
      warn(`The network of the box "${record.name}" could not be served: ${messageOf(error)}`);
      attended.delete(record.name);
    });
    attended.set(record.name, { about, close });
  };

  const look = (): void => {
    known = new Map(records.names().flatMap((name) => readQuietly(records, name)));
    const text = JSON.stringify(
      [...known].map(([name, { template, network }]) => [name, template, network]),
    );
    if (text !== version) {
      version = text;
      options.changed();
    }
    const wanted = new Map(
      [...known.values()]
        .filter(
          (record) =>
            record.network !== 'full' &&
            record.journal === null &&
            locks.of(record.name) === null &&
            runs(record),
        )
        .map((record) => [record.name, record]),
    );
    for (const [name, { about, close }] of attended) {
      const record = wanted.get(name);
      if (record !== undefined && aboutOf(record) === about) continue;
      attended.delete(name);
      close();
    }
    for (const record of wanted.values())
      if (!attended.has(record.name)) serve(record, aboutOf(record));
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
      for (const { close } of attended.values()) close();
      attended.clear();
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

function aboutOf({ keeper, network, template }: BoxRecord): string {
  return JSON.stringify([keeper, network, template.egress]);
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
