import { refuse } from '../../shared/base/index.ts';
import { answerProblem, mayCall, stateForDevice } from '../bridge/device-rights.ts';
import type { DeviceSession } from '../bridge/device-rights.ts';
import { callChecks } from '../bridge/page-message.ts';
import type { Answer, AppState, BridgeCall, BridgeResult } from '../bridge/types.ts';
import { refusalOfError } from '../host/refusals.ts';
import type { UiHost } from '../host/types.ts';
import type { Push } from './push.ts';

const ended = refuse(
  'confirm-rejected',
  'This device may not do this.',
  'Do it at the machine itself, or pair the device anew with more rights.',
).refusal;
/**
 * How long a yes may be under way, in milliseconds: a network that was away hands over later what the
 * phone gave up, and whoever pressed has gone on. A page gives one up later than this.
 */
const longestWayMs = 5_000;
/** How far a page may be ahead: this machine's clock may have been set back. */
const aheadMs = 5_000;

const isFresh = (sentAt: number | undefined, now: number): boolean =>
  sentAt !== undefined && sentAt <= now + aheadMs && now - sentAt <= longestWayMs;

const stale = refuse(
  'confirm-rejected',
  'This answer was under way for too long, so it does not count.',
  'Look at what waits now, and answer again.',
).refusal;
const late: BridgeResult<BridgeCall> = { ok: true, result: { accepted: false } };

/**
 * The host as one device sees it: every call is held to its rights before anything else looks at it,
 * and the state is what it may see. An answer counts only for an ask that is in that state.
 */
export function hostForDevice(
  host: Pick<UiHost, 'handle' | 'subscribe'>,
  who: DeviceSession,
  isOver: () => boolean,
  { push, now }: { readonly push: Pick<Push, 'key' | 'subscribe'>; readonly now: () => number },
): Pick<UiHost, 'handle' | 'subscribe'> {
  /** What this very device is shown now: what is not before a person is not answered by them. */
  const queueNow = (): AppState['queue'] => {
    let queue: AppState['queue'] = [];
    host.subscribe((state) => {
      ({ queue } = stateForDevice(who, state));
    })();
    return queue;
  };
  const answer = async ({ sentAt, ...given }: Answer): Promise<BridgeResult<BridgeCall>> => {
    if (given.decision !== 'deny' && !isFresh(sentAt, now())) return { ok: false, refusal: stale };
    const queue = queueNow();
    const refusal = answerProblem(who, queue, given);
    if (refusal !== null) return { ok: false, refusal };
    const waits = queue.some(
      ({ ask, askDigest }) => ask.id === given.id && askDigest === given.askDigest,
    );
    return waits ? host.handle('answer', given) : late;
  };
  return {
    handle: async (call, args) => {
      if (isOver() || !mayCall(who, call)) return { ok: false, refusal: ended };
      if (call === 'pushKey' || call === 'subscribePush')
        return pushCall(call, args, { who, push });
      if (call === 'answer') {
        const checked = callChecks.answer(args);
        return checked.ok ? answer(checked.value) : host.handle(call, args);
      }
      if (call !== 'answerMany') return host.handle(call, args);
      const checked = callChecks.answerMany(args);
      if (!checked.ok) return host.handle(call, args);
      const accepted: boolean[] = [];
      for (const each of checked.value.answers) {
        const one = await answer(each);
        if (!one.ok) return one;
        accepted.push((one.result as { readonly accepted: boolean }).accepted);
      }
      return { ok: true, result: { accepted } };
    },
    subscribe: (listener) => host.subscribe((state) => listener(stateForDevice(who, state))),
  };
}

/** A device has itself told, and no other. */
async function pushCall(
  call: 'pushKey' | 'subscribePush',
  args: unknown,
  { who, push }: { readonly who: DeviceSession; readonly push: Pick<Push, 'key' | 'subscribe'> },
): Promise<BridgeResult<BridgeCall>> {
  try {
    if (call === 'pushKey') return { ok: true, result: { key: await push.key() } };
    const checked = callChecks.subscribePush(args);
    if (!checked.ok) throw refuse('invalid-request', checked.error, 'Reload the page.');
    await push.subscribe(who.device.id, checked.value);
    return { ok: true, result: {} };
  } catch (error) {
    return { ok: false, refusal: refusalOfError(error) };
  }
}
