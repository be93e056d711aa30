import type { IpcMainInvokeEvent } from 'electron';
import { compile, refusalOf, refuse, s } from '../../shared/base/index.ts';
import type { Checked, Refusal } from '../../shared/base/index.ts';
import { bridgeCalls } from '../bridge/calls.ts';
import { callChecks } from '../bridge/page-message.ts';
import type { AppState, BridgeCall, BridgeResult } from '../bridge/types.ts';
import { appOrigin } from './app-scheme.ts';
import type { ElectronPort } from './types.ts';

/** The channels between a page and the shell. `preload.cts` repeats them, as it can import nothing. */
export const channels = {
  /** Page to shell: a call of the bridge, answered with its result. */
  call: 'interlock:call',
  /** Page to shell: reads the state that was pushed last; null before the first. */
  ready: 'interlock:ready',
  /** Shell to page: what changed since the state before. */
  state: 'interlock:state',
} as const;

/** Whether a message comes from the top frame of one of our windows, showing our own page. */
function isOurPage(event: IpcMainInvokeEvent, isOurs: (webContentsId: number) => boolean): boolean {
  const frame = event.senderFrame;
  if (frame === null || frame.detached || frame.parent !== null) return false;
  if (frame.routingId !== event.sender.mainFrame.routingId) return false;
  if (frame.processId !== event.sender.mainFrame.processId) return false;
  if (!isOurs(event.sender.id)) return false;
  return frame.origin === appOrigin && frame.url.startsWith(`${appOrigin}/`);
}

interface ChannelHandler<Args, Result> {
  readonly channel: (typeof channels)['call' | 'ready'];
  /** Checks the whole list of arguments; the result is all that `run` sees. */
  readonly check: (args: readonly unknown[]) => Checked<Args>;
  readonly run: (args: Args) => Promise<Result> | Result;
}

type Handled<Result> =
  { readonly ok: true; readonly value: Result } | { readonly ok: false; readonly refusal: Refusal };

/**
 * The only way in from a page. A message from anywhere but the top frame of our own page, or with
 * arguments that fail the check, is refused; so is one whose handler throws.
 */
function handle<Args, Result>(
  port: Pick<ElectronPort, 'ipcMain'>,
  isOurs: (webContentsId: number) => boolean,
  handler: ChannelHandler<Args, Result>,
): void {
  port.ipcMain.handle(
    handler.channel,
    async (event: IpcMainInvokeEvent, ...args: unknown[]): Promise<Handled<Result>> => {
      try {
        if (!isOurPage(event, isOurs)) throw notOurs();
        const checked = handler.check(args);
        if (!checked.ok) throw badArguments(checked.error);
        return { ok: true, value: await handler.run(checked.value) };
      } catch (error) {
        return { ok: false, refusal: refusalOf(error) ?? unexpected() };
      }
    },
  );
}

function notOurs(): Error {
  return refuse(
    'invalid-request',
    'The message did not come from Interlock’s own page.',
    'Nothing was done. Restart Interlock if this appears again.',
  );
}

function badArguments(error: string): Error {
  return refuse('invalid-request', error, 'Nothing was done. Reload the window and try again.');
}

function unexpected(): Refusal {
  return refuse(
    'host-unavailable',
    'Interlock could not do this because of a fault of its own.',
    'Nothing was allowed. Look at Health, or restart Interlock.',
  ).refusal;
}

interface CallArguments {
  readonly name: BridgeCall;
  readonly args: unknown;
}

const checkEnvelope = compile(s.tuple(s.oneOf(bridgeCalls), s.record(s.unknown())));

const checkNothing = compile(s.tuple());

function checkCall(args: readonly unknown[]): Checked<CallArguments> {
  const envelope = checkEnvelope(args);
  if (!envelope.ok) return envelope;
  const [name, value] = envelope.value;
  const checked = callChecks[name](value);
  return checked.ok ? { ok: true, value: { name, args: checked.value } } : checked;
}

/** Handles the two messages of a page: a call, and reading the state when it starts to listen. */
export function handleBridgeMessages(
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
