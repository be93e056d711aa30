import { request } from 'node:https';
import { compile, readJson, refusalOf, refuse, s } from '../../shared/base/index.ts';
import type { Clock, Static } from '../../shared/base/index.ts';
import type { Device, PushAddress } from '../../shared/engine/index.ts';
import { readPrivateFile, writeFileAtomic } from '../../shared/home/index.ts';
import type { HomePaths } from '../../shared/home/index.ts';
import { changeDevices, readDevices } from '../../shared/operations/index.ts';
import { mayBeShown } from '../bridge/device-rights.ts';
import type { AppState } from '../bridge/types.ts';
import type { UiHost } from '../host/types.ts';

/** The whole of what a push says: whose ask it is, and for what, is behind the lock screen. */
export const pushText = 'an ask waits';

/** The push services of browsers. Nothing is sent to any other address, whatever a device says. */
const services = [
  /^fcm\.googleapis\.com$/,
  /^updates\.push\.services\.mozilla\.com$/,
  /^web\.push\.apple\.com$/,
  /^[a-z0-9-]+\.notify\.windows\.com$/,
] as const;

/** Whether an address is of a browser's push service, at its own port. */
export function isPushService(endpoint: string): boolean {
  if (!URL.canParse(endpoint)) return false;
  const { protocol, hostname, port, username } = new URL(endpoint);
  const isPlain = protocol === 'https:' && port === '' && username === '';
  return isPlain && services.some((service) => service.test(hostname));
}

/** One message as it goes out. */
export interface PushRequest {
  readonly endpoint: string;
  readonly headers: Readonly<Record<string, string | number>>;
  readonly body: Buffer;
}

const sendTimeoutMs = 10_000;

/** Sends one; the status that came back, 0 where none did. Follows no redirection. */
async function sendPush({ endpoint, headers, body }: PushRequest): Promise<number> {
  return new Promise((resolve) => {
    const sent = request(endpoint, { method: 'POST', headers, timeout: sendTimeoutMs });
    sent.once('response', (response) => {
      response.destroy();
      resolve(response.statusCode ?? 0);
    });
    sent.once('timeout', () => sent.destroy());
    sent.once('error', () => resolve(0));
    sent.end(body);
  });
}

const keysSchema = s.object({
  version: s.literal(1),
  publicKey: s.string({ pattern: '^[A-Za-z0-9_-]{87}$' }),
  privateKey: s.string({ pattern: '^[A-Za-z0-9_-]{43}$' }),
});
const checkKeys = compile(keysSchema);

interface PushOptions {
  readonly paths: Pick<HomePaths, 'devices' | 'pushKeys'>;
  readonly uid: number;
  readonly clock: Clock;
  readonly send?: (request: PushRequest) => Promise<number>;
  readonly isService?: (endpoint: string) => boolean;
}

/** Tells devices that an ask waits, by the push service of their browser. */
export interface Push {
  /** The public half of our own VAPID key, base64url; made when it is first asked for. */
  key(): Promise<string>;
  /** Has a device told at this address from now on. Throws where that is not the one of a push service. */
  subscribe(device: string, address: PushAddress): Promise<void>;
  /** Tells of each ask that comes, until what it answers is called. */
  follow(host: Pick<UiHost, 'subscribe'>): () => void;
}

/** Who sends, as push services want it: nothing of the person. */
const subject = 'https://github.com/interlock-gate/interlock';
/** A device is told no more often. */
const apartMs = 20_000;
const ttlSeconds = 120;

export function createPush(options: PushOptions): Push {
  const { paths, uid, clock, send = sendPush, isService = isPushService } = options;
  const file = { paths, uid };
  const told = new Map<string, number>();
  const tell = async ({ id, push }: Device): Promise<void> => {
    if (push === undefined) return;
    const { generateRequestDetails } = await import('web-push');
    const { p256dh, auth, endpoint } = push;
    const { publicKey, privateKey } = await ownKeys(options);
    const made = generateRequestDetails({ endpoint, keys: { p256dh, auth } }, pushText, {
      vapidDetails: { subject, publicKey, privateKey },
      TTL: ttlSeconds,
      urgency: 'high',
      topic: 'ask',
      contentEncoding: 'aes128gcm',
    });
    const status = await send({
      endpoint: made.endpoint,
      headers: made.headers,
      body: made.body,
    });
    if (status === 404 || status === 410) await forget(id, endpoint);
  };
  const forget = (id: string, endpoint: string): Promise<void> =>
    changeDevices(file, (devices) =>
      devices.map(({ push, ...one }) =>
        push === undefined || (one.id === id && push.endpoint === endpoint)
          ? one
          : { ...one, push },
      ),
    );
  /** Tells whom these asks concern; answers who was told too shortly before, and for how long they are left alone. */
  const tellAll = (
    asks: AppState['queue'],
    { passkeys = [], now: at }: AppState,
    only?: string,
  ): readonly (readonly [device: string, waitMs: number])[] => {
    const now = clock.elapsed();
    const later: (readonly [string, number])[] = [];
    for (const device of devicesToTell(file)) {
      if (only !== undefined && device.id !== only) continue;
      const passkey = passkeys.find(({ id }) => id === device.passkey);
      if (!asks.some(({ ask }) => mayBeShown(ask, passkey, at))) continue;
      const next = (told.get(device.id) ?? -apartMs) + apartMs;
      if (now < next) later.push([device.id, next - now]);
      else {
        told.set(device.id, now);
        // Who is not told finds the ask on the page; nothing else depends on it.
        tell(device).catch(() => undefined);
      }
    }
    return later;
  };
  return {
    key: async () => (await ownKeys(options)).publicKey,
    subscribe: async (id, push) => {
      if (!isService(push.endpoint))
        throw refuse(
          'invalid-request',
          'This is not the push service of a browser that is known here.',
          'Keep the page open, or use another browser.',
        );
      // Each page that is opened says it anew.
      const before = readDevices(file).find((one) => one.id === id)?.push;
      if (before !== undefined && JSON.stringify(before) === JSON.stringify(push)) return;
      await changeDevices(file, (devices) =>
        devices.map((one) => (one.id === id ? { ...one, push } : one)),
      );
    },
    follow: (host) => follow(host, { clock, tellAll }),
  };
}

interface FollowOptions {
  readonly clock: Clock;
  readonly tellAll: (
    asks: AppState['queue'],
    state: AppState,
    /** No other device than this one. */
    only?: string,
  ) => readonly (readonly [device: string, waitMs: number])[];
}

/**
 * Tells of each ask once, as soon as it comes or, where a device was told of another shortly before, as
 * soon as that is over, if it still waits then.
 */
function follow(host: Pick<UiHost, 'subscribe'>, { clock, tellAll }: FollowOptions): () => void {
  let latest: AppState | null = null;
  const owed = new Map<string, { readonly asks: Set<string>; readonly cancel: () => void }>();
  const tellOf = (asks: AppState['queue'], state: AppState, only?: string): void => {
    if (asks.length === 0) return;
    const ids = asks.map(({ ask }) => ask.id);
    for (const [device, waitMs] of tellAll(asks, state, only)) {
      const before = owed.get(device);
      for (const id of ids) before?.asks.add(id);
      if (before !== undefined) continue;
      const mine = new Set(ids);
      const cancel = clock.after(waitMs, () => {
        owed.delete(device);
        if (latest !== null)
          tellOf(
            latest.queue.filter(({ ask }) => mine.has(ask.id)),
            latest,
            device,
          );
      });
      owed.set(device, { asks: mine, cancel });
    }
  };
  const stop = host.subscribe((state) => {
    const before = latest;
    latest = state;
    if (before === null) return;
    const known = new Set(before.queue.map(({ ask }) => ask.id));
    tellOf(
      state.queue.filter(({ ask }) => !known.has(ask.id)),
      state,
    );
  });
  return () => {
    stop();
    for (const { cancel } of owed.values()) cancel();
  };
}

function devicesToTell(file: Parameters<typeof readDevices>[0]): readonly Device[] {
  try {
    return readDevices(file).filter(
      ({ rights, push }) => rights !== 'lockout' && push !== undefined,
    );
  } catch (error) {
    if (refusalOf(error) === undefined) throw error;
    return [];
  }
}

/** Our own VAPID keys, made where there are none. Throws where the file is not ours alone. */
async function ownKeys({
  paths,
  uid,
}: Pick<PushOptions, 'paths' | 'uid'>): Promise<Static<typeof keysSchema>> {
  const file = readPrivateFile(paths.pushKeys, { uid, maxBytes: 4_096 });
  if (file.kind === 'missing') {
    const { generateVAPIDKeys } = await import('web-push');
    const made = { version: 1, ...generateVAPIDKeys() } as const;
    writeFileAtomic(paths.pushKeys, `${JSON.stringify(made)}\n`);
    return made;
  }
  const checked = file.kind === 'text' ? readJson(checkKeys, file.text) : null;
  if (checked?.ok === true) return checked.value;
  throw refuse(
    'config-invalid',
    `${paths.pushKeys} cannot be read as the keys of notifications.`,
    'Move it away: new ones are made, and each device turns notifications on anew.',
  );
}
