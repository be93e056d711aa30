import { refuse } from '../../shared/base/index.ts';

/** Where a gateway listens. */
export interface NodeAddress {
  readonly host: string;
  readonly port: number;
}

/** The port where none is said. */
export const nodePort = 7_433;

/** Reads `HOST`, `HOST:PORT` or `[IPv6]:PORT`. Throws `invalid-request` for anything else. */
export function parseAddress(text: string): NodeAddress {
  const found =
    /^(?:\[([0-9A-Fa-f:.]{2,45})\]|([A-Za-z0-9](?:[A-Za-z0-9.-]{0,252})))(?::(\d{1,5}))?$/u.exec(
      text,
    );
  const port = Number(found?.[3] ?? nodePort);
  const host = found?.[1] ?? found?.[2];
  if (host !== undefined && port <= 65_535) return { host, port };
  throw refuse(
    'invalid-request',
    'This is not an address of a gateway.',
    `Write it as HOST, HOST:PORT or [IPv6]:PORT; the port is ${nodePort} where none is said.`,
  );
}

/** An address as it is written. */
export function addressText({ host, port }: NodeAddress): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}`;
}
