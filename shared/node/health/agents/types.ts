import type { AgentHost } from '../../../adapters/types.ts';

/** An agent host that has, or should have, a hook of ours; as it was found. */
export interface AgentFacts {
  readonly host: AgentHost;
  /** The file with the hook. */
  readonly path: string;
  /** Only for one folder. */
  readonly isProject: boolean;
  /** Null where the file cannot be read any more. */
  readonly hook: HookFacts | null;
  /** Sentences: why it does not hold the agent, and what to know besides. */
  readonly broken: readonly string[];
  readonly remarks: readonly string[];
}

export interface HookFacts {
  /** In whose name it asks. */
  readonly agent: string;
  /** Of Node and the hook program, what is not there; absolute paths. */
  readonly missing: readonly string[];
  /** It starts the hook program of this very installation. */
  readonly isOurs: boolean;
  readonly key: 'there' | 'none' | 'taken-away';
  /** Whole seconds: after which the hook gives up, and which the policy gives a person. */
  readonly wait: number;
  readonly asking: number;
}
