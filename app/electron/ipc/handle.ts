import type { IpcMainInvokeEvent } from 'electron';
import { refuse, refusalOf } from '../../../shared/refusal/refusal.ts';
import type { Refusal } from '../../../shared/refusal/refusal.ts';
import type { Checked } from '../../../shared/schema/compile.ts';
import type { ElectronPort } from '../port.ts';
import type { channels } from './channels.ts';
import { isOurPage } from './sender.ts';

export interface Door<Args, Result> {
  readonly channel: (typeof channels)['call' | 'ready'];
  /** Checks the whole list of arguments; the result is all that `run` sees. */
  readonly check: (args: readonly unknown[]) => Checked<Args>;
  readonly run: (args: Args) => Promise<Result> | Result;
}

export type Handled<Result> =
  { readonly ok: true; readonly value: Result } | { readonly ok: false; readonly refusal: Refusal };

/**
 * The only way in from a page. A message from anywhere but the top frame of our own page, or with
 * arguments that fail the check, is refused; so is one whose handler throws.
 */
export function handle<Args, Result>(
  port: Pick<ElectronPort, 'ipcMain'>,
  isOurs: (webContentsId: number) => boolean,
  door: Door<Args, Result>,
): void {
  port.ipcMain.handle(
    door.channel,
    async (event: IpcMainInvokeEvent, ...args: unknown[]): Promise<Handled<Result>> => {
      try {
        if (!isOurPage(event, isOurs)) throw notOurs();
        const checked = door.check(args);
        if (!checked.ok) throw badArguments(checked.error);
        return { ok: true, value: await door.run(checked.value) };
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
