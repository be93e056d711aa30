import { callChecks } from '../../bridge/schemas/calls.ts';
import { bridgeCalls } from '../../bridge/messages.ts';
import type { AppState, BridgeCall, BridgeResult } from '../../bridge/types.ts';
import { compile } from '../../../shared/schema/compile.ts';
import type { Checked } from '../../../shared/schema/compile.ts';
import type { ElectronPort } from '../port.ts';
import { channels } from './channels.ts';
import { handle } from './handle.ts';

interface CallArguments {
  readonly name: BridgeCall;
  readonly args: unknown;
}

const checkEnvelope = compile<readonly [BridgeCall, object]>({
  type: 'array',
  minItems: 2,
  maxItems: 2,
  prefixItems: [{ type: 'string', enum: [...bridgeCalls] }, { type: 'object' }],
  items: false,
});

const checkNothing = compile<readonly []>({ type: 'array', maxItems: 0 });

function checkCall(args: readonly unknown[]): Checked<CallArguments> {
  const envelope = checkEnvelope(args);
  if (!envelope.ok) return envelope;
  const [name, value] = envelope.value;
  const checked = callChecks[name](value);
  return checked.ok ? { ok: true, value: { name, args: checked.value } } : checked;
}

/** Opens the bridge's two doors: calls, and the state for a page that starts to listen. */
export function openBridgeDoors(
  port: Pick<ElectronPort, 'ipcMain'>,
  options: {
    readonly isOurs: (webContentsId: number) => boolean;
    readonly call: (name: BridgeCall, args: unknown) => Promise<BridgeResult<BridgeCall>>;
    readonly lastState: () => AppState | null;
  },
): void {
  handle(port, options.isOurs, {
    channel: channels.call,
    check: checkCall,
    run: ({ name, args }) => options.call(name, args),
  });
  handle(port, options.isOurs, {
    channel: channels.ready,
    check: checkNothing,
    run: options.lastState,
  });
}
