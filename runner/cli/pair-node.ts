import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { displayPlain } from '../../shared/base/index.ts';
import { systemClock } from '../../shared/home/index.ts';
import type { Home } from '../../shared/home/index.ts';
import { addressText, parseAddress } from '../nodes/address.ts';
import { newDevice } from '../nodes/device.ts';
import { dial } from '../nodes/dial.ts';
import { pairWithGateway } from '../nodes/handshake.ts';
import { readNodeFile, writeNodeFile } from '../nodes/node-file.ts';
import { Rejection } from '../nodes/talk.ts';
import { readVersion } from '../version.ts';
import { CliError } from './failure.ts';
import { say } from './io.ts';
import type { Io } from './io.ts';
import { confirm } from './presence.ts';

export interface PairOptions {
  readonly gateway: string;
  readonly name?: string;
  readonly replace?: true;
}

const longestName = 64;

/** Pairs this machine with a gateway, with a person who compares the code. Throws a `CliError` for a no. */
export async function pairNode(
  io: Io,
  home: Home,
  { gateway, name, replace }: PairOptions,
): Promise<{ readonly displayName: string; readonly address: string }> {
  const address = parseAddress(gateway);
  const kept = readNodeFile(home.nodeFile, home.uid);
  if (kept !== null && replace !== true)
    throw new CliError(
      `This machine is a node of ${displayPlain(kept.file.gateway.displayName)} already.`,
      'Say --replace to make it one of another gateway, or to pair it anew.',
    );
  const displayName = (name ?? (hostname() || 'node')).trim();
  if (displayName === '' || displayName.length > longestName)
    throw new CliError(`A name has 1 to ${longestName} characters.`, 'Say another --name.');
  // The same key as before, so that a gateway knows the machine again.
  const { device, pem } = kept === null ? newDevice() : { device: kept.device, pem: kept.file.key };
  const policy = home.readPolicy();
  const stop = new AbortController();
  let isGivenUp = false;
  try {
    const { talk, channel } = await dial({
      ...address,
      certificate: null,
      clock: systemClock,
      signal: stop.signal,
    });
    const unlisten = io.onSignal(() => {
      isGivenUp = true;
      talk.close('The pairing was given up.');
    });
    try {
      const paired = await pairWithGateway(talk, {
        device,
        channel,
        displayName,
        nonce: () => randomBytes(32).toString('base64url'),
        state: { version: readVersion(), policyHash: policy.hash },
        confirm: async (shown, gone) => compare(io, shown, gone),
        keep: ({ key, token, displayName: called }) =>
          writeNodeFile(home.nodeFile, {
            version: 1,
            id: device.id,
            displayName,
            key: pem,
            token,
            gateway: {
              ...address,
              displayName: called,
              key,
              certificate: Buffer.from(channel.certificate).toString('hex'),
            },
            pairedAt: io.now(),
          }),
      });
      talk.close('The pairing is done.');
      return { displayName: paired.displayName, address: addressText(address) };
    } finally {
      unlisten();
    }
  } catch (error) {
    if (!(error instanceof Rejection)) throw error;
    const hint = isGivenUp ? 'Start again when you are ready.' : hintFor(error);
    throw new CliError(`Nothing was paired: ${error.message}`, hint, { cause: error });
  }
}

async function compare(
  io: Io,
  { code, gateway }: { readonly code: string; readonly gateway: string },
  gone: AbortSignal,
): Promise<boolean> {
  say(io.stdout, `Connected to ${gateway}. The code is`);
  say(io.stdout, `\n  ${code}\n`);
  say(
    io.stdout,
    `Look at ${gateway}: its app shows a code under Nodes, and so does "interlock node list". Approve it there only if it is the same, letter by letter.`,
  );
  const isSame = await confirm(io, 'Is it the same? Then type yes: ', ['yes', 'y'], gone);
  if (isSame) say(io.stdout, 'Waiting for the gateway …');
  return isSame;
}

function hintFor({ code }: Rejection): string {
  if (code === 'lost') return 'Is the address right, and does config.json there have nodes.listen?';
  if (code === 'version') return 'Use the same version of Interlock on both machines.';
  if (code === 'unproven')
    return 'Start again. If it happens again, somebody stands between the two machines.';
  return 'Start again when you are ready.';
}
