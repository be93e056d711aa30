import type { IncomingHttpHeaders } from 'node:http';

/** Which `Host` a listener takes: its own address, or any loopback name behind an `ssh -L`. */
export type HostRule = (host: string) => boolean;

/** For the loopback listeners: exactly one name, under which passkeys work, and one port. */
export function exactHost(port: number): HostRule {
  return (host) => host === `localhost:${port}`;
}

const loopbackHost = /^(?:127\.0\.0\.1|localhost|\[::1\])(?::[0-9]{1,5})?$/;

/** For the Unix socket: the far end of the tunnel chooses the port, but it is on loopback. */
export const tunnelHost: HostRule = (host) => loopbackHost.test(host);

/**
 * Whether a request names us by our own address. A page of another site that had its name point
 * to loopback (DNS rebinding) still sends its own name here.
 */
export function isForUs(headers: IncomingHttpHeaders, rule: HostRule): boolean {
  return headers.host !== undefined && rule(headers.host);
}

/** Whether our own page sent a request that changes something: its `Origin` is exactly our address. */
export function isFromOurPage(
  headers: IncomingHttpHeaders,
  rule: HostRule,
  scheme: 'http' | 'https' = 'http',
): boolean {
  const site = headers['sec-fetch-site'];
  return (
    isForUs(headers, rule) &&
    headers.origin === `${scheme}://${headers.host}` &&
    (site === undefined || site === 'same-origin')
  );
}
