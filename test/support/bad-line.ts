import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { onTestFinished } from 'vitest';

/** What happens to a piece of what goes through. */
const faults = ['halve', 'delay', 'swap', 'lose', 'repeat', 'spoil', 'cut'] as const;

/** A line between two machines that treats what goes through badly, until a test has it behave. */
export interface BadLine {
  readonly port: number;
  /** Passes everything on as it is from now on. */
  behave(): void;
  /** How often each fault has happened. */
  readonly seen: ReadonlyMap<string, number>;
}

/** Opens a line to a port of loopback. Of each piece a number from `random` (0 up to 1) decides what becomes of it. */
export async function badLine(
  to: () => number,
  { random, rate }: { readonly random: () => number; readonly rate: number },
): Promise<BadLine> {
  const open = new Set<Socket>();
  const seen = new Map<string, number>();
  let isBad = true;
  const carry = (from: Socket, into: Socket): void => {
    let before = Promise.resolve();
    let held: Buffer | null = null;
    const treat = async (piece: Buffer): Promise<void> => {
      const fault = isBad && random() < rate ? faults[Math.floor(random() * faults.length)] : null;
      if (fault !== null && fault !== undefined) seen.set(fault, (seen.get(fault) ?? 0) + 1);
      const [late, now] = [held, Buffer.from(piece)];
      held = null;
      if (fault === 'cut') from.destroy();
      else if (fault === 'swap') held = now;
      else if (fault === 'halve') {
        into.write(now.subarray(0, now.length >> 1));
        await turn();
        into.write(now.subarray(now.length >> 1));
      } else if (fault !== 'lose') {
        if (fault === 'delay') for (let n = 0; n < 50; n += 1) await turn();
        if (fault === 'spoil') now[now.length - 1] = (now.at(-1) ?? 0) ^ 1;
        into.write(now);
        if (fault === 'repeat') into.write(now);
      }
      if (late !== null) into.write(late);
    };
    from.on('data', (piece: Buffer) => {
      before = before.then(async () => treat(piece));
    });
    from.on('error', () => from.destroy());
    from.once('close', () => {
      open.delete(from);
      into.destroy();
    });
  };
  const server = createServer((socket) => {
    const far = connect(to(), '127.0.0.1');
    for (const each of [socket, far]) open.add(each);
    carry(socket, far);
    carry(far, socket);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    for (const socket of open) socket.destroy();
  });
  const { port } = server.address() as AddressInfo;
  return { port, seen, behave: () => void (isBad = false) };
}
