import { displayPlain } from '../../shared/base/index.ts';
import type { Clock } from '../../shared/base/index.ts';
import type { NodeProblem, NodeProblemCode } from '../../shared/wire/index.ts';
import type { LinkEnd } from './link.ts';
import { Rejection } from './talk.ts';

/** What a gateway knows of a node that is judged here. */
interface Judged {
  readonly id: string;
  readonly version: string;
  readonly policyHash: string | null;
  /** Null: never since it was paired, so that it has not said yet what decides there. */
  readonly lastSeenAt: number | null;
}

/** What is wrong with nodes, as their gateway sees it, since it was started. */
export interface Troubles {
  /** Somebody came under this id and was not let in. */
  refused(id: string, error: unknown): void;
  /** Its link is over. */
  ended(id: string, end: LinkEnd): void;
  /** It has proven who it is: what was before is over. */
  came(id: string): void;
  of(node: Judged): readonly NodeProblem[];
}

const refusals: Partial<Record<Rejection['code'], NodeProblemCode>> = {
  unproven: 'not-proven',
  busy: 'too-often',
};
const badEnds: readonly LinkEnd['code'][] = ['bad-frame', 'reader-failed', 'backlog'];

/** The account of a gateway with this version. */
export function createTroubles(clock: Pick<Clock, 'now'>, ownVersion: string): Troubles {
  const last = new Map<string, NodeProblem>();
  const put = (id: string, code: NodeProblemCode, message: string): void =>
    void last.set(id, { code, message, at: clock.now() });
  return {
    refused: (id, error) => {
      const code = error instanceof Rejection ? refusals[error.code] : undefined;
      if (code === 'not-proven')
        put(id, code, 'Somebody came under its id and could not prove to be it.');
      if (code === 'too-often')
        put(id, code, 'It connects again and again, as two copies of one machine do.');
    },
    ended: (id, { code, detail }) => {
      if (badEnds.includes(code))
        put(
          id,
          'ended-badly',
          `Its connection was ended for what it said: ${displayPlain(detail)}`,
        );
    },
    came: (id) => void last.delete(id),
    of: ({ id, version, policyHash, lastSeenAt }) => {
      const kept = last.get(id);
      return [
        ...(kept === undefined ? [] : [kept]),
        ...(policyHash === null && lastSeenAt !== null ? [noPolicy] : []),
        ...(isOlder(version, ownVersion) ? [older(version, ownVersion)] : []),
      ];
    },
  };
}

const noPolicy: NodeProblem = {
  code: 'no-policy',
  message: 'It has no policy that it can use, and runs nothing.',
  at: null,
};

function older(version: string, own: string): NodeProblem {
  const message = `It has Interlock ${displayPlain(version)}, older than the ${own} of this machine.`;
  return { code: 'older', message, at: null };
}

/** Whether a version is known to come before another; what is not a version is not known to be older. */
function isOlder(version: string, own: string): boolean {
  const [one, other] = [partsOf(version), partsOf(own)];
  if (one === null || other === null) return false;
  const at = one.findIndex((part, index) => part !== other[index]);
  return at >= 0 && (one[at] ?? 0) < (other[at] ?? 0);
}

function partsOf(version: string): readonly number[] | null {
  const found = /^(\d{1,9})\.(\d{1,9})\.(\d{1,9})/u.exec(version);
  return found === null ? null : found.slice(1).map(Number);
}
