import type { BridgeCall, BridgeCalls, BridgeResult } from '../../bridge/types.ts';
import { useApp } from './app.ts';

/** Makes a call; a bridge that breaks becomes a refusal like any other. */
export async function call<C extends BridgeCall>(
  name: C,
  args: BridgeCalls[C]['args'],
): Promise<BridgeResult<C>> {
  const { bridge } = useApp.getState();
  try {
    if (bridge !== null) return await bridge.call(name, args);
  } catch {
    // Falls through to the refusal: what became of the call is not known here.
  }
  return {
    ok: false,
    refusal: {
      code: 'host-unavailable',
      message: 'The approver did not take this.',
      hint: 'Look at the queue and the history to see whether it counted.',
    },
  };
}

/**
 * Makes a call whose refusal is shown at the top of the page; null when it was refused. What
 * worked takes the refusal of an earlier call away.
 */
export async function callOrShow<C extends BridgeCall>(
  name: C,
  args: BridgeCalls[C]['args'],
): Promise<BridgeCalls[C]['result'] | null> {
  const answer = await call(name, args);
  if (answer.ok) {
    useApp.getState().fail(null);
    return answer.result;
  }
  useApp.getState().fail(answer.refusal);
  return null;
}
