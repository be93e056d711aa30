import type { RunnerClient } from '../../shared/ipc/index.ts';
import type { CallHandlers } from './dispatch.ts';
import { PolicyConflictError, PolicyDoubtError } from './refusals.ts';

export type NodesOfRunner = Pick<
  RunnerClient,
  'nodes' | 'approveNode' | 'declineNode' | 'removeNode' | 'nodePolicy' | 'editNodePolicy'
>;
type NodeCalls =
  'nodes' | 'approveNode' | 'declineNode' | 'removeNode' | 'nodePolicy' | 'saveNodePolicy';

/** The handlers of the calls about other machines: the runner knows them, and lets them in and out. */
export function nodeHandlers(runner: NodesOfRunner): Pick<CallHandlers, NodeCalls> {
  return {
    nodes: async () => {
      const { ok: _ok, ...body } = await runner.nodes();
      return body;
    },
    approveNode: async ({ code }) => ({ node: await runner.approveNode(code) }),
    declineNode: async ({ code }) => {
      await runner.declineNode(code);
      return {};
    },
    nodePolicy: async ({ node }) => {
      const { hash, document, mayEdit } = await runner.nodePolicy(node);
      return { hash, document, mayEdit };
    },
    saveNodePolicy: async (edit) => {
      const edited = await runner.editNodePolicy(edit);
      if (edited.kind === 'saved') return { hash: edited.hash };
      if (edited.kind === 'doubts') throw new PolicyDoubtError(edited.problem, edited.doubts);
      // Which file it is there is read anew.
      throw new PolicyConflictError({ hash: '', problem: null });
    },
    removeNode: async ({ node }) => ({ node: await runner.removeNode(node) }),
  };
}
