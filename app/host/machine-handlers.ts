import type { RunnerClient } from '../../shared/ipc/index.ts';
import type { CallHandlers } from './dispatch.ts';
import { PolicyConflictError, PolicyDoubtError } from './refusals.ts';

export type BoxesOfRunner = Pick<
  RunnerClient,
  | 'boxes'
  | 'boxTail'
  | 'attachBox'
  | 'readTerminal'
  | 'typeTerminal'
  | 'resizeTerminal'
  | 'leaveTerminal'
  | 'stopBox'
  | 'lockBox'
>;

/** The handlers of the calls about named boxes: the runner looks at them, shows their windows and ends them. */
export function boxHandlers(runner: BoxesOfRunner): Pick<CallHandlers, keyof BoxesOfRunner> {
  return {
    boxes: async () => ({ boxes: await runner.boxes() }),
    boxTail: async ({ name, window }) => ({ lines: await runner.boxTail(name, window) }),
    attachBox: async (args) => ({ terminal: await runner.attachBox(args) }),
    readTerminal: async ({ terminal }) => runner.readTerminal(terminal),
    typeTerminal: async (args) => {
      await runner.typeTerminal(args);
      return {};
    },
    resizeTerminal: async (args) => {
      await runner.resizeTerminal(args);
      return {};
    },
    leaveTerminal: async ({ terminal }) => {
      await runner.leaveTerminal(terminal);
      return {};
    },
    stopBox: async ({ name }) => ({ notes: await runner.stopBox(name) }),
    lockBox: async ({ name, reason }) => ({ notes: await runner.lockBox(name, reason) }),
  };
}

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
