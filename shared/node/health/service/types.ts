import type { SocketState } from '../types.ts';

/** A service that starts a runner on this home. */
export interface FoundService {
  /** Its unit or agent. */
  readonly file: string;
  /** Programs that it starts and that are not there. */
  readonly gone: readonly string[];
  /** Whether it starts by itself; null where that cannot be seen from files. */
  readonly isEnabled: boolean | null;
}

/** What is looked at around the runner: who starts it, who else may come, what it hears of, its keys. */
export interface ServiceFacts {
  readonly service: FoundService | null;
  /** Null where no door for other users is set up. */
  readonly door: {
    readonly path: string;
    readonly state: SocketState;
    /** How many users are named who may come. */
    readonly users: number;
  } | null;
  /** What keeps logind from being heard; null when it is heard or nobody wants to hear it. */
  readonly logindProblem: string | null;
  readonly wantsLogind: boolean;
  readonly keys: {
    /** Why the list of agents cannot be believed; null when it can. */
    readonly problem: string | null;
    readonly keyed: number;
    /** Agents whose key was taken away. */
    readonly revoked: readonly string[];
  };
  readonly hasPassphrase: boolean;
}
