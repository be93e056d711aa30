import { X509Certificate, createPrivateKey } from 'node:crypto';
import { lookup } from 'node:dns/promises';
import { createServer } from 'node:https';
import type { Server } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { networkInterfaces } from 'node:os';
import { RefusalError, compile, readJson, refuse, s } from '../../shared/base/index.ts';
import type { Check, Clock } from '../../shared/base/index.ts';
import {
  deviceOpenFields,
  devicePairFields,
  isPeerOf,
  listenProblem,
} from '../../shared/engine/index.ts';
import { readPrivateFile, watchFile } from '../../shared/home/index.ts';
import { readCertificateText } from '../../shared/operations/index.ts';
import { devicePaths } from '../bridge/console-session.ts';
import type { DeviceSession } from '../bridge/device-rights.ts';
import type { DeviceDoor } from '../host/device-door.ts';
import type { PageFiles } from '../host/page-files.ts';
import type { UiHost } from '../host/types.ts';
import { hostForDevice } from './device-host.ts';
import { createHttpHandler } from './http-handler.ts';
import type { Post } from './http-handler.ts';
import { createNewcomers } from './newcomers.ts';
import { createPages } from './page-socket.ts';
import type { Push } from './push.ts';
import { closed, listening, requestLimits, socketTimeoutMs } from './server.ts';
import { createDeviceSessions } from './sessions.ts';

/** Where devices connect, and with which certificate. */
export interface DeviceListen {
  /** The name that the page has, that its certificate is for, and that passkeys are made for. */
  readonly host: string;
  readonly port: number;
  /** Addresses of this machine that a person named; empty: those that the name leads to. */
  readonly addresses: readonly string[];
  /** Absolute paths, PEM. */
  readonly certificate: string;
  readonly key: string;
}

const mend = 'docs/phone.md says how a certificate and a name are had.';
const unfit = (why: string): RefusalError => refuse('config-invalid', why, mend);

/** PEM, both. */
interface CertificatePair {
  readonly cert: string;
  readonly key: string;
}

interface FollowOptions {
  readonly listen: Pick<DeviceListen, 'host' | 'certificate' | 'key'>;
  readonly uid: number;
  readonly clock: Clock;
  readonly log: (line: string) => void;
  readonly use: (pair: CertificatePair) => void;
}

/**
 * Hands over a certificate that was renewed: those of today hold for weeks. One that is not fit is not
 * used, and said once; what is used stays. Returns how to stop.
 */
export function followCertificate(
  used: CertificatePair,
  { listen, uid, clock, log, use }: FollowOptions,
): () => void {
  let now = used;
  let problem: string | null = null;
  let said: string | null = null;
  const look = (): void => {
    try {
      const found = readCertificate(listen, { uid, now: clock.now() });
      problem = null;
      if (found.cert === now.cert && found.key === now.key) return;
      use(found);
      now = found;
      said = null;
    } catch (error) {
      const { message } = error as Error;
      // The two files come one after the other: only what is still so at the next look is said.
      if (message === problem && message !== said) {
        said = message;
        log(
          `The certificate for phones cannot be renewed; the one before is still used. ${message}`,
        );
      }
      problem = message;
    }
  };
  const stops = [listen.certificate, listen.key].map((path) => watchFile(path, { look, clock }));
  return () => {
    for (const stop of stops) stop();
  };
}

/** The certificate and its key. Throws unless they belong together, are for the name, and hold now. */
export function readCertificate(
  { host, certificate, key }: Pick<DeviceListen, 'host' | 'certificate' | 'key'>,
  { uid, now }: { readonly uid: number; readonly now: number },
): CertificatePair {
  const file = readPrivateFile(key, { uid, maxBytes: 64 * 1024 });
  if (file.kind !== 'text') throw unfit(`${key} is no file of yours that others cannot read.`);
  const cert = readCertificateText(certificate);
  if (cert === null) throw unfit(`${certificate} cannot be read as a certificate.`);
  let fits: boolean;
  let parsed: X509Certificate;
  try {
    parsed = new X509Certificate(cert);
    fits = parsed.checkPrivateKey(createPrivateKey(file.text));
  } catch (error) {
    if (error instanceof RefusalError) throw error;
    throw unfit('The certificate or its key is not PEM that can be read.');
  }
  if (!fits) throw unfit('The certificate and the key do not belong together.');
  if (parsed.checkHost(host, { subject: 'never' }) === undefined)
    throw unfit(`The certificate is not for ${host}.`);
  if (now < Date.parse(parsed.validFrom) || now > Date.parse(parsed.validTo))
    throw unfit('The certificate does not hold now: it is too old, or not valid yet.');
  return { cert, key: file.text };
}

/** The addresses to listen at. Throws where one of them is not fit: all are, or none is used. */
export async function addressesOf({
  host,
  addresses,
}: Pick<DeviceListen, 'host' | 'addresses'>): Promise<readonly string[]> {
  const found =
    addresses.length > 0
      ? addresses
      : (await lookup(host, { all: true }).catch(() => [])).map(({ address }) => address);
  if (found.length === 0) throw unfit(`${host} leads to no address here.`);
  for (const address of found) {
    const problem = listenProblem(address, addresses.includes(address));
    if (problem !== null) throw unfit(problem);
  }
  return [...new Set(found)];
}

interface DeviceServerOptions {
  readonly host: Pick<UiHost, 'handle' | 'subscribe'>;
  readonly door: DeviceDoor;
  readonly push: Pick<Push, 'key' | 'subscribe' | 'follow'>;
  readonly files: PageFiles;
  readonly clock: Clock;
  readonly random: (bytes: number) => Uint8Array;
  readonly uid: number;
  readonly listen: DeviceListen;
  readonly log: (line: string) => void;
}

/** The page for devices, as it runs. */
export interface DeviceServer {
  /** `https://NAME:PORT` */
  readonly origin: string;
  dispose(): Promise<void>;
}

/** A device that nobody used for so long has to show its passkey again. */
const deviceIdleMs = 10 * 60_000;
const sweepEveryMs = 15_000;
/** Connections that have shown nothing yet, at all addresses together. */
export const mostNewcomers = 128;
/**
 * How many may come from addresses where no device was seen: TLS takes a millisecond for each, and the
 * person at the machine is served by the same process.
 */
const newcomerRate = { burst: 200, perSecond: 100 };

/** What devices are served, at whichever address they connect. */
function serving({ host, door, push, files, clock, random }: DeviceServerOptions) {
  const sessions = createDeviceSessions({
    now: () => clock.elapsed(),
    random,
    idleMs: deviceIdleMs,
    isKnown: (who) => door.isKnown(who),
  });
  const newcomers = createNewcomers({ clock, most: mostNewcomers, rate: newcomerRate });
  const pages = createPages({
    scheme: 'https',
    ownerOf: ({ who }) => who.device.id,
    onPage: (socket) => newcomers.keep(socket),
    sessions,
    clock,
    hostOf: (session) =>
      hostForDevice(host, session.who, () => sessions.isOver(session), {
        push,
        now: () => clock.now(),
      }),
  });
  const posts = devicePosts({
    door,
    open: (who, peer) => {
      newcomers.know(peer);
      return sessions.open(who);
    },
  });
  return { newcomers, pages, handle: createHttpHandler({ files, posts, scheme: 'https' }) };
}

/** Serves the page to devices, over TLS alone. Rejects with a refusal where that cannot be safe. */
export async function openDeviceServer(options: DeviceServerOptions): Promise<DeviceServer> {
  const { host, door, clock, listen } = options;
  const certificate = readCertificate(listen, { uid: options.uid, now: clock.now() });
  const addresses = await addressesOf(listen);
  const { newcomers, pages, handle } = serving(options);
  let port = listen.port;
  const authority = (): string => (port === 443 ? listen.host : `${listen.host}:${port}`);
  const rule = (sent: string): boolean => sent === authority();
  const servers: Server[] = [];
  const minVersion = 'TLSv1.3';
  try {
    for (const address of addresses) {
      const limits = { ...requestLimits, handshakeTimeout: 10_000 };
      const server = createServer({ ...certificate, ...limits, minVersion });
      server.setTimeout(socketTimeoutMs);
      server.on('connection', (socket: Socket) => {
        if (isOfOurNetwork(socket, address)) newcomers.admit(socket);
        else socket.destroy();
      });
      server.on('request', (request, response) => handle(request, response, rule));
      server.on('upgrade', (request, socket, head) => pages.upgrade(request, socket, head, rule));
      await listening(server, { host: address, port, ipv6Only: address.includes(':') });
      servers.push(server);
      ({ port } = server.address() as AddressInfo);
    }
  } catch (error) {
    await Promise.all(servers.map(closed));
    const { code = '' } = error as NodeJS.ErrnoException;
    if (code === 'EADDRNOTAVAIL') throw unfit(`${listen.host} is not at this machine.`);
    if (code === 'EADDRINUSE') throw refuse('concurrency-busy', `Port ${port} is taken.`, mend);
    throw error;
  }
  const stopFollowing = followCertificate(certificate, {
    listen,
    uid: options.uid,
    clock,
    log: options.log,
    use: (pair) => {
      for (const server of servers) server.setSecureContext({ ...pair, minVersion });
    },
  });
  const stopTelling = options.push.follow(host);
  const stopWatch = door.watch(() => pages.endOver());
  let cancel = (): void => undefined;
  const sweepLater = (): void => {
    cancel = clock.after(sweepEveryMs, () => {
      pages.sweep();
      sweepLater();
    });
  };
  sweepLater();
  return {
    origin: `https://${authority()}`,
    dispose: async () => {
      cancel();
      stopFollowing();
      stopTelling();
      stopWatch();
      pages.dispose();
      await Promise.all(servers.map(closed));
    },
  };
}

function isOfOurNetwork({ remoteAddress = '' }: Socket, own: string): boolean {
  const all = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
  const cidr = all.find(({ address }) => address === own)?.cidr ?? null;
  return isPeerOf(remoteAddress, own, cidr);
}

const checks = {
  nothing: compile(s.object({})),
  code: compile(s.object({ code: devicePairFields.code })),
  pair: compile(s.object(devicePairFields)),
  open: compile(s.object(deviceOpenFields)),
};

interface DevicePostsOptions extends Pick<DeviceServerOptions, 'door'> {
  /** `peer`: the address that the device came from. */
  readonly open: (who: DeviceSession, peer: string) => string;
}

/** What a device posts: for a nonce, to be paired, to be connected. */
export function devicePosts({ door, open }: DevicePostsOptions): ReadonlyMap<string, Post> {
  const post =
    <T>(
      check: Check<T>,
      answer: (value: T, from: Parameters<Post>[1]) => Promise<object> | object,
    ): Post =>
    (body, from) => {
      const read = body === null ? null : readJson(check, body);
      if (read?.ok !== true)
        throw refuse('invalid-request', 'This is not what our page sends.', 'Reload the page.');
      return answer(read.value, from);
    };
  return new Map<string, Post>([
    [devicePaths.nonce, post(checks.nothing, () => ({ nonce: door.nonce() }))],
    [devicePaths.invitation, post(checks.code, ({ code }) => door.invitation(code))],
    [
      devicePaths.pair,
      post(checks.pair, async (shown, { origin }) => ({
        device: (await door.pair(shown, origin)).id,
      })),
    ],
    [
      devicePaths.session,
      post(checks.open, async (shown, { origin, peer }) => ({
        session: open(await door.open(shown, origin), peer),
      })),
    ],
  ]);
}
