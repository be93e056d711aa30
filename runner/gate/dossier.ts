import { sessionOf } from '../principals/guest.ts';
import type { Identity, Incoming, Matched, Target, Understood } from './types.ts';

/** What is known of a request so far. Each step adds to it; the record and the report read it. */
export interface Dossier {
  readonly id: string;
  /** When it came in, in milliseconds since the epoch. */
  readonly at: number;
  readonly incoming: Incoming;
  /** As the runner knows it: those of other users carry the user in front. */
  readonly session: string | null;
  identity: Identity | null;
  target: Target | null;
  understood: Understood | null;
  matched: Matched | null;
  /** The yes stands in the log: from here on an outcome has to follow. */
  recorded: boolean;
  /** The command was started, or may have been. */
  startedAt: number | null;
}

export function openDossier(
  { id, at, owner }: { readonly id: string; readonly at: number; readonly owner: number },
  incoming: Incoming,
): Dossier {
  const { request, peer } = incoming;
  return {
    id,
    at,
    incoming,
    session: sessionOf(request.session, { caller: peer?.uid ?? null, owner }),
    identity: null,
    target: null,
    understood: null,
    matched: null,
    recorded: false,
    startedAt: null,
  };
}
