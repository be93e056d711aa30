import { refuse } from '../../shared/base/index.ts';
import type { NodeOutcome, NodeTask, RunEnd } from '../../shared/wire/index.ts';
import { isSameNode, normalizedName, resolveNode } from '../nodes/binding.ts';
import type { NamedNode } from '../nodes/binding.ts';
import type { Host } from './host.ts';

/** Name of the host whose commands other machines run. */
export const nodeHostName = 'node';

/** Has other machines run commands. */
export interface NodeRunner {
  /**
   * Has a node run it, at most once, whatever happens to link and machines. Rejects with a
   * `RefusalError` where it was not asked for at all. `unknown` also where the node has not said
   * within the time what became of it.
   */
  run(nodeId: string, task: NodeTask, io: NodeRunIo): Promise<RunEnd<NodeOutcome>>;
}

export interface NodeRunIo {
  /** Aborted when it is to be stopped. */
  readonly signal: AbortSignal;
  /** For whom the end is, where it comes after the runner was started anew. */
  readonly session: string | null;
  /** It has begun there. */
  started(): void;
}

/** A machine that is paired with this one. */
interface PairedNode extends NamedNode {
  readonly state: 'approved' | 'removed';
}

/** What names of nodes mean. */
export interface NodeNames {
  /** The one node that is meant; `name` is fit for events. Throws `host-unavailable`. */
  find(name: string | null): { readonly id: string; readonly name: string };
  readonly isSame: (asked: string, bound: string) => boolean;
}

/** The host `node`, and what it is joined to once it is known which machines there are. */
export interface JoinedHost {
  readonly host: Host;
  readonly names: NodeNames;
  /** From now on these are the machines. */
  join(list: () => readonly PairedNode[]): void;
  /** From now on this has them run commands. */
  runBy(runner: NodeRunner): void;
}

/** The host `node` of a runner. Until it is joined, no machine is paired with this one. */
export function createNodeHost(): JoinedHost {
  let list = (): readonly PairedNode[] => [];
  let runner: NodeRunner | null = null;
  const paired = () => list().filter(({ state }) => state === 'approved');
  return {
    host: nodeHost({
      run: async (...run) => {
        if (runner === null)
          throw refuse(
            'host-unavailable',
            'No node is connected.',
            'Look at "interlock node list", and ask again once one is there.',
          );
        return runner.run(...run);
      },
    }),
    names: {
      find: (name) => {
        const { id, displayName } = resolveNode(paired(), name);
        return { id, name: normalizedName(displayName) || id.slice(0, 12) };
      },
      isSame: (asked, bound) => isSameNode(paired(), asked, bound),
    },
    join: (of) => {
      list = of;
    },
    runBy: (by) => {
      runner = by;
    },
  };
}

/** The host `node`: nothing runs here, so that there is nothing to signal and nothing to stop. */
function nodeHost(runner: NodeRunner): Host {
  return {
    name: nodeHostName,
    there: runner,
    probe: async () => ({ ok: true }),
    run: async () => {
      throw refuse(
        'host-unavailable',
        'A node runs what was asked for, not what this machine makes of it.',
        'This is a fault of Interlock: have a person look at the log.',
      );
    },
    groups: () => [],
    stopStrays: () => 0,
  };
}
