import { resolve } from 'node:path';
import { refusalOf, refuse } from '../../shared/base/index.ts';
import { openHome, systemClock } from '../../shared/home/index.ts';
import type { Home } from '../../shared/home/index.ts';
import { gatewayAddress, readGatewayToken } from '../ingress/openclaw/access.ts';
import type { GatewayAddress } from '../ingress/openclaw/access.ts';
import { openDevice } from '../nodes/device.ts';
import {
  forgetPairing,
  openclawState,
  readPairing,
  readRuntimeState,
  savePairing,
} from '../ingress/openclaw/pairing.ts';
import type { Pairing, RuntimeState } from '../ingress/openclaw/pairing.ts';
import { signIn } from '../ingress/openclaw/sign-in.ts';
import type { Credentials, SignInOptions, SignedIn } from '../ingress/openclaw/sign-in.ts';
import { readVersion } from '../version.ts';
import { CliError } from './failure.ts';
import type { Io } from './io.ts';
import { folderOf } from './request.ts';

/** Flags that every command to a Gateway takes. */
export interface GatewayFlags {
  readonly url: string;
  readonly tokenFile?: string;
}

/** Flags of what looks into OpenClaw's own state. */
export interface StateFlags {
  readonly state?: string;
  readonly node?: string;
}

type Access = GatewayAddress & Omit<SignInOptions, 'scope' | 'onEvent' | 'credentials'>;

function accessTo(url: string): Access {
  return {
    ...gatewayAddress(url),
    clock: systemClock,
    version: readVersion(),
    platform: process.platform,
  };
}

function tokenIn(file: string, io: Io, { uid }: Home): string {
  return readGatewayToken(resolve(folderOf(io), file), uid);
}

/**
 * What a look at OpenClaw's policy needs. On this machine no device is shown, so that ours is never
 * given the rights of an administrator.
 */
export function adminAccess(
  { url, tokenFile }: GatewayFlags & { readonly tokenFile: string },
  io: Io,
): Access & { readonly credentials: Credentials } {
  const home = openHome(io.env);
  const access = accessTo(url);
  const device = access.isLocal ? null : openDevice(home.openclawDevice, home.uid);
  return {
    ...access,
    credentials: { kind: 'shared', token: tokenIn(tokenFile, io, home), device },
  };
}

/** What an approver needs: the pairing with this Gateway, else the token in the file that is named. */
export async function approverAccess(
  { url, tokenFile }: GatewayFlags,
  io: Io,
): Promise<Access & { readonly credentials: () => Promise<Credentials> }> {
  const home = openHome(io.env);
  const access = accessTo(url);
  const secrets = await home.openSecrets();
  const credentials = async (): Promise<Credentials> => {
    const kept = await readPairing(secrets, access.url);
    const device = openDevice(home.openclawDevice, home.uid);
    if (kept !== null) return { kind: 'paired', ...tokensOf(kept), device };
    if (tokenFile === undefined) throw notPaired(access.url);
    return { kind: 'shared', token: tokenIn(tokenFile, io, home), device };
  };
  await credentials();
  return { ...access, credentials };
}

function tokensOf({ deviceToken, runtimeToken }: Pairing): Omit<Pairing, 'url' | 'version'> {
  return { deviceToken, runtimeToken };
}

function notPaired(url: string): Error {
  return new CliError(
    `This home is not paired with the Gateway at ${url}.`,
    'Pair it once: interlock openclaw pair --token-file FILE',
  );
}

async function runtimeState(flags: StateFlags, io: Io, { uid }: Home): Promise<RuntimeState> {
  const at = (path: string): string => resolve(folderOf(io), path);
  return readRuntimeState({
    state: flags.state === undefined ? openclawState(io.env) : at(flags.state),
    node: flags.node === undefined ? process.execPath : at(flags.node),
    uid,
  });
}

const justLooking = { scope: 'operator.approvals', onEvent: () => undefined } as const;

async function leaving<T>(gateway: SignedIn, work: (gateway: SignedIn) => Promise<T>): Promise<T> {
  try {
    return await work(gateway);
  } finally {
    gateway.dispose();
    await gateway.ended;
  }
}

/**
 * Makes this home an approver of the Gateway that sees every ask, with no more rights than it takes:
 * a token of its own for the scope `operator.approvals`, and the approval runtime's. Both are tried
 * before they are kept. Resolves with what the Gateway says it is.
 */
export async function pair(
  flags: GatewayFlags & StateFlags & { readonly tokenFile: string },
  io: Io,
): Promise<string> {
  const home = openHome(io.env);
  const access = accessTo(flags.url);
  if (!access.isLocal)
    throw refuse(
      'invalid-request',
      'A Gateway on another machine shows the asks of its clients to nobody by this way.',
      'Run Interlock on the machine of the Gateway, and pair it there.',
    );
  const token = tokenIn(flags.tokenFile, io, home);
  const { token: runtimeToken } = await runtimeState(flags, io, home);
  const device = openDevice(home.openclawDevice, home.uid);
  const first = await signIn({
    ...access,
    ...justLooking,
    credentials: { kind: 'pairing', token, device },
  });
  const deviceToken = await leaving(first, async ({ hello }) =>
    Promise.resolve(hello.auth?.deviceToken),
  );
  if (deviceToken === undefined)
    throw new CliError(
      "OpenClaw's Gateway gave this home no token of its own.",
      'Releases before 2026.8 need none: interlock openclaw connect --token-file FILE',
    );
  const credentials: Credentials = { kind: 'paired', deviceToken, runtimeToken, device };
  const version = await leaving(
    await signIn({ ...access, ...justLooking, credentials }),
    async (gateway) => {
      await gateway.call('exec.approval.list', {});
      return gateway.hello.server?.version ?? 'of an unknown release';
    },
  );
  const secrets = await home.openSecrets();
  await savePairing(secrets, { version: 1, url: access.url, deviceToken, runtimeToken });
  return version;
}

/** Takes both tokens out of the secret store; true when there were any. */
export async function unpair(io: Io): Promise<boolean> {
  return forgetPairing(await openHome(io.env).openSecrets());
}

/** What is true of this home and a Gateway. */
export interface OpenClawStatus {
  readonly url: string;
  readonly paired: boolean;
  /** The release that answers; null where none does, or where we are not paired. */
  readonly gateway: string | null;
  /** The rights that the Gateway gave; empty where it was not asked. */
  readonly scopes: readonly string[];
  /** Whether the asks of other clients are shown to us; null where that cannot be told. */
  readonly seesAsks: boolean | null;
  /** Sentences: what is in the way, and what to do. */
  readonly problems: readonly string[];
  /** Sentences: what no approver gets to see. */
  readonly failBefore: readonly string[];
}

/** Runs that end in the Gateway before anybody is asked, as 2026.9.6 was seen to do. */
const failBefore = [
  'Runs that were started by a client without operator.approvals fail with "missing scope".',
  'Sub-agents fail in the same way, under whatever agent they were started.',
  'Runs without a person in front end at once when no approver is connected at that moment.',
  'Requests of nodes are refused at the plan where the node has no policy that allows to ask.',
] as const;

/** Looks at the pairing, the Gateway and OpenClaw's state. Never throws for what is found there. */
export async function statusOf(flags: GatewayFlags & StateFlags, io: Io): Promise<OpenClawStatus> {
  const home = openHome(io.env);
  const access = accessTo(flags.url);
  const { url } = access;
  const kept = await readPairing(await home.openSecrets(), url);
  const none = { url, paired: false, gateway: null, scopes: [], seesAsks: false, failBefore };
  if (kept === null) return { ...none, problems: [sentenceOf(notPaired(url))] };
  const device = openDevice(home.openclawDevice, home.uid);
  const credentials: Credentials = { kind: 'paired', ...tokensOf(kept), device };
  const problems: string[] = [];
  const hello = await signIn({ ...access, ...justLooking, credentials })
    .then(async (gateway) => leaving(gateway, async (open) => Promise.resolve(open.hello)))
    .catch((error: unknown) => {
      problems.push(sentenceOf(error));
      return null;
    });
  const state = await runtimeState(flags, io, home).catch((error: unknown) => {
    problems.push(sentenceOf(error));
    return null;
  });
  const fits = state === null ? null : state.token === kept.runtimeToken;
  if (fits === false)
    problems.push(
      'OpenClaw has another approval token than at the pairing, so it shows us no asks. Pair again: interlock openclaw pair --token-file FILE',
    );
  if (state !== null && (state.ask ?? 'off') === 'off')
    problems.push(
      "OpenClaw's policy asks nobody by default (ask: off). Set it: interlock openclaw policy set",
    );
  return {
    ...none,
    paired: true,
    gateway: hello === null ? null : (hello.server?.version ?? 'of an unknown release'),
    scopes: hello?.auth?.scopes ?? [],
    seesAsks: hello === null ? false : fits,
    problems,
  };
}

/** One sentence or two for a failure that somebody foresaw; everything else is thrown on. */
function sentenceOf(error: unknown): string {
  const told = refusalOf(error) ?? (error as { message?: unknown; hint?: unknown } | null);
  if (typeof told?.message !== 'string' || typeof told.hint !== 'string') throw error;
  return told.hint === '' ? told.message : `${told.message} ${told.hint}`;
}
