import type { Server } from 'node:http';
import type { Clock } from '../../shared/base/index.ts';
import type { SharedSocket } from '../../shared/engine/index.ts';
import { handIn } from '../ingress/http/peers.ts';
import { keepDoorForGroup, openSharedDoor } from '../ingress/http/shared-socket.ts';
import type { SharedDoorOptions } from '../ingress/http/shared-socket.ts';
import type { Log } from './log.ts';
import type { ConfigStore } from './policy-store.ts';
import { isGuest } from '../principals/callers.ts';

interface SharedAccessOptions {
  readonly config: ConfigStore;
  readonly server: Server;
  readonly uid: number;
  readonly clock: Clock;
  readonly log: Log;
  readonly note: (code: string, text: string) => void;
  readonly credentials?: SharedDoorOptions['credentials'];
}

/** The door for other users, where `config.json` has one. */
export interface SharedAccess {
  /** Opens, moves or closes it, as the settings say now. Never rejects: a door that cannot be opened stays shut, and is told. */
  apply(): Promise<void>;
  dispose(): Promise<void>;
}

/** How long a stranger who was told of is not told of again, and how many of them are remembered. */
const quietMs = 60_000;
const mostStrangers = 1_000;

/** The shared door of a server. Who may come is looked up at each knock; where the door is, when it is applied. */
export function createSharedAccess(options: SharedAccessOptions): SharedAccess {
  const { config, server, uid, log } = options;
  let open: { readonly at: string; readonly close: () => Promise<void> } | null = null;
  const onStranger = strangers(options);
  const close = async (): Promise<void> => {
    const was = open;
    open = null;
    await was?.close();
  };
  const mayCome = (caller: number): boolean =>
    caller === uid || (config.problem() === null && isGuest(config.current(), caller));

  /** Whether the open door is still one that its group gets to; if not, it is made anew. */
  const isKept = (socket: SharedSocket): boolean => {
    try {
      return keepDoorForGroup({ socket, uid });
    } catch {
      return false;
    }
  };

  const apply = async (): Promise<void> => {
    const wanted = wantedSocket(config);
    const at = wanted === null ? null : `${wanted.path} ${wanted.gid}`;
    if (at === (open?.at ?? null) && (wanted === null || isKept(wanted))) return;
    await close();
    if (wanted === null || at === null) return;
    const letIn = handIn.bind(null, server);
    const { credentials } = options;
    const door = {
      socket: wanted,
      uid,
      mayCome,
      letIn,
      onStranger,
      ...(credentials && { credentials }),
    };
    try {
      open = { at, close: await openSharedDoor(door) };
      const { users, agents } = config.current();
      const isEmpty = users.length === 0 && Object.keys(agents).length === 0;
      log.info(`Other users may knock at ${wanted.path}`);
      if (isEmpty) log.warn('The settings name no user who may come, so everybody is turned away.');
    } catch (error) {
      log.error('The door for other users could not be opened', error);
    }
  };
  return { apply, dispose: close };
}

function wantedSocket(config: ConfigStore): SharedSocket | null {
  return config.problem() === null ? config.current().service.sharedSocket : null;
}

/** Tells of each stranger once a minute; a loop of them must not fill the log. */
function strangers({ clock, log, note }: SharedAccessOptions): (uid: number | null) => void {
  const told = new Map<number | null, number>();
  return (uid) => {
    const now = clock.now();
    const last = told.get(uid);
    if (last !== undefined && now >= last && now - last < quietMs) return;
    if (told.size >= mostStrangers) told.clear();
    told.set(uid, now);
    const text = `${uid === null ? 'Nobody knows who' : `User ${uid}`} knocked at the shared socket and was turned away.`;
    log.warn(text);
    note('stranger-refused', text);
  };
}
