import type { RunnerClient } from '../../shared/ipc/index.ts';
import type { CallHandlers } from './dispatch.ts';

export type NodesOfRunner = Pick<
  RunnerClient,
  'nodes' | 'approveNode' | 'declineNode' | 'removeNode'
>;

/** The handlers of the calls about other machines: the runner knows them, and lets them in and out. */
export function nodeHandlers(runner: NodesOfRunner): Pick<CallHandlers, keyof NodesOfRunner> {
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
    removeNode: async ({ node }) => ({ node: await runner.removeNode(node) }),
  };
}
