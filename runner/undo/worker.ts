import { parentPort, workerData } from 'node:worker_threads';
import { messageOf } from '../../shared/base/index.ts';
import { openKeeper } from './keeper.ts';
import type { Beginning, Keeper, KeepSettings, TakeBackOptions, ToldHere } from './keeper.ts';
import { showEntries, showEntry } from './show.ts';

/** What the runner's main thread asks for. Each is answered in the order in which it came. */
export type Order = { readonly settings: KeepSettings } & (
  | { readonly kind: 'before'; readonly beginning: Beginning; readonly told: ToldHere }
  | {
      readonly kind: 'after';
      readonly id: string;
      readonly goesOn: boolean;
      readonly told: ToldHere;
    }
  | { readonly kind: 'check'; readonly workspace: string; readonly told: ToldHere }
  | { readonly kind: 'list'; readonly limit: number }
  | { readonly kind: 'show'; readonly id: string }
  | ({ readonly kind: 'take-back'; readonly id: string; readonly newId: string } & TakeBackOptions)
  | { readonly kind: 'close' }
);

export interface Reply {
  readonly number: number;
  readonly result?: unknown;
  /** What went wrong, where something did. */
  readonly problem?: string;
}

/** Works through what comes in on a port: a thread of its own, because walks of large trees take a while. */
function work(directory: string): void {
  let settings: KeepSettings | null = null;
  let keeper: Keeper | null = null;
  const reply = (answer: Reply): void => {
    // A thread has no origin.
    // oxlint-disable-next-line unicorn/require-post-message-target-origin
    parentPort?.postMessage(answer);
  };
  parentPort?.on('message', ({ number, order }: { number: number; order: Order }) => {
    settings = order.settings;
    try {
      keeper ??= openKeeper({
        directory,
        settings: () => settings ?? order.settings,
        now: Date.now,
      });
      reply({ number, result: carryOut(keeper, order) });
    } catch (error) {
      reply({ number, problem: messageOf(error) });
    }
  });
}

function carryOut(keeper: Keeper, order: Order): unknown {
  if (order.kind === 'before') return keeper.before(order.beginning, order.told);
  if (order.kind === 'after') return keeper.after(order.id, order.goesOn, order.told);
  if (order.kind === 'check') return keeper.check(order.workspace, order.told);
  if (order.kind === 'list') return showEntries(keeper.entries(), order.limit);
  if (order.kind === 'show')
    return showEntry(keeper.entry(order.id), (hash) => keeper.content(hash));
  if (order.kind === 'take-back') return keeper.takeBack(order.id, order);
  return keeper.close();
}

if (parentPort !== null) work(String(workerData));
