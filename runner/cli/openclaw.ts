import { resolve } from 'node:path';
import { openHome, systemClock } from '../../shared/home/index.ts';
import { gatewayAddress } from '../ingress/openclaw/access.ts';
import type { GatewayAddress } from '../ingress/openclaw/access.ts';
import type { SignInOptions } from '../ingress/openclaw/sign-in.ts';
import { openDevice } from '../ingress/openclaw/access.ts';
import { readGatewayToken } from '../ingress/openclaw/access.ts';
import { readVersion } from '../version.ts';
import type { Io } from './io.ts';
import type { GatewayFlags } from './commands/openclaw.ts';
import { folderOf } from './request.ts';

/** What a connection to the Gateway needs, less who listens and what for. */
export function gatewayAccess(
  { url, tokenFile }: GatewayFlags,
  io: Io,
): GatewayAddress & Omit<SignInOptions, 'scope' | 'onEvent'> {
  const { uid, openclawDevice } = openHome(io.env);
  return {
    ...gatewayAddress(url),
    credentials: {
      token: readGatewayToken(resolve(folderOf(io), tokenFile), uid),
      device: openDevice(openclawDevice, uid),
    },
    clock: systemClock,
    version: readVersion(),
    platform: process.platform,
  };
}
