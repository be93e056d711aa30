import { createHmac, randomBytes } from 'node:crypto';
import type { BreachReport, ReportedBreach } from '../../api/types.ts';
import { lengthPrefixed, sameMac } from '../protocol/keys.ts';

type UnsignedReport = Omit<BreachReport, 'mac'>;

const label = 'interlock breach report 1';

/** HMAC-SHA256 (hex) over every field under its length, so that no two reports share one input. */
function reportMac(token: string, { breaches, ts, nonce }: UnsignedReport): string {
  const told = breaches.flatMap(({ code, count, firstAt, lastAt, pid }) =>
    [code, count, firstAt, lastAt, pid].map(String),
  );
  return createHmac('sha256', Buffer.from(token, 'utf8'))
    .update(lengthPrefixed([label, String(ts), nonce, ...told]))
    .digest('hex');
}

/** Whether the report's mac was made with `token`; compared in constant time. */
export function isSignedReport(token: string, report: BreachReport): boolean {
  return sameMac(report.mac, reportMac(token, report));
}

/** A body for `POST /v1/breaches`, with a fresh nonce and the present time. */
export function signReport(
  options: {
    /** The approvals token of the policy file. */
    readonly token: string;
    readonly now: () => number;
  },
  breaches: readonly ReportedBreach[],
): BreachReport {
  const nonce = randomBytes(32).toString('base64url');
  const unsigned: UnsignedReport = { breaches, ts: options.now(), nonce };
  return { ...unsigned, mac: reportMac(options.token, unsigned) };
}
