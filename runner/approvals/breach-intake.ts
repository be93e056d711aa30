import { answerWindowMs } from '../../shared/wire/index.ts';
import type { BreachReport, ReportedBreach } from '../../shared/wire/index.ts';
import { refuse } from '../../shared/base/index.ts';
import type { Clock } from '../../shared/base/index.ts';
import { createNonceMemory, isSignedReport } from '../../shared/ipc/index.ts';

interface BreachIntakeOptions {
  readonly clock: Clock;
  /** The approvals token; null while the policy has none. */
  readonly token: () => Promise<string | null>;
  /** Writes a note to the audit log. Throws when it cannot. */
  readonly note: (code: string, text: string) => void;
}

/**
 * Writes down what the approver saw at its socket, a row for each kind of breach, and answers how
 * many. Throws a refusal, and the approver keeps the report, when it is not signed or cannot be
 * written.
 */
export type BreachIntake = (report: BreachReport) => Promise<number>;

/** The rows have sentences of our own: nothing in them was written by who broke the protocol. */
export function createBreachIntake({ clock, token, note }: BreachIntakeOptions): BreachIntake {
  const nonces = createNonceMemory(clock);
  return async (report) => {
    const secret = await token();
    if (secret === null || !isSignedReport(secret, report))
      throw refuse(
        'hmac-fail',
        'The report is not signed with the approvals token.',
        'Only the approver of this home may report.',
      );
    if (Math.abs(clock.now() - report.ts) > answerWindowMs)
      throw refuse('replay-detected', 'The report is too old.', 'Send it again.');
    if (!nonces.use(report.nonce, report.ts + 2 * answerWindowMs))
      throw refuse('replay-detected', 'The report was used before.', 'Send it once.');
    try {
      for (const breach of report.breaches) note(`approver-saw-${breach.code}`, wordsFor(breach));
    } catch (error) {
      throw refuse(
        'audit-unavailable',
        'The report could not be written down.',
        'Send it again later.',
        { cause: error },
      );
    }
    return report.breaches.length;
  };
}

function wordsFor({ count, firstAt, lastAt, pid }: ReportedBreach): string {
  const last = new Date(lastAt).toISOString();
  const by = pid === null ? '' : ` (process ${String(pid)})`;
  if (count === 1) return `The approver closed a connection at ${last}${by}. It allowed nothing.`;
  const first = new Date(firstAt).toISOString();
  return `The approver closed ${String(count)} connections since ${first}, the last one at ${last}${by}. They allowed nothing.`;
}
