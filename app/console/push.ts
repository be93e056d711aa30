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
export async function sendPush({ endpoint, headers, body }: PushRequest): Promise<number> {
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
/** A device is told no more often; further asks stand behind the same notification. */
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
  const tellAll = (asks: AppState['queue'], { passkeys = [], now: at }: AppState): void => {
    const now = clock.elapsed();
    for (const device of devicesToTell(file)) {
      const passkey = passkeys.find(({ id }) => id === device.passkey);
      if (!asks.some(({ ask }) => mayBeShown(ask, passkey, at))) continue;
      if (now - (told.get(device.id) ?? -apartMs) < apartMs) continue;
      told.set(device.id, now);
      // Who is not told finds the ask on the page; nothing else depends on it.
      tell(device).catch(() => undefined);
    }
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
      await changeDevices(file, (devices) =>
        devices.map((one) => (one.id === id ? { ...one, push } : one)),
      );
    },
    follow: (host) => {
      let known: ReadonlySet<string> | null = null;
      return host.subscribe((state: AppState) => {
        const { queue } = state;
        const before = known;
        known = new Set(queue.map(({ ask }) => ask.id));
        const fresh = before === null ? [] : queue.filter(({ ask }) => !before.has(ask.id));
        if (fresh.length > 0) tellAll(fresh, state);
      });
    },
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
