import { refuse } from '../../shared/base/index.ts';
import type { Refusal } from '../../shared/base/index.ts';
import { mayAnswerAlone, needsStepUp } from '../../shared/engine/index.ts';
import type { Ask, Device, DeviceRights, RunnerState } from '../../shared/engine/index.ts';
import { callSchemas } from './calls.ts';
import { defaultSettings, pageSettings } from './settings.ts';
import type { SettingsView } from './settings.ts';
import type { Answer, AppState, BridgeCall, KnownPasskey, QueuedAsk } from './types.ts';

/** What a connected device may do: of its rights that much which it has shown a person for. */
export interface DeviceSession {
  readonly device: Pick<Device, 'id' | 'name' | 'rights' | 'passkey'> & {
    /** Whose passkey opened it; absent: the owner's, or none did yet. */
    readonly person?: string;
  };
  /** `locked`: its key alone opened the page; a lockout is all that this gives. */
  readonly opened: 'locked' | 'passkey';
}

/** `desk`: only on the machine itself, from no device. */
type NeededRights = DeviceRights | 'desk';

/**
 * What each call takes. A record, so that none is left out; what is not in it takes `desk`. What
 * loosens anything for longer than one command, or brings in a key, is for the desk.
 */
export const rightsOfCalls: Readonly<Record<BridgeCall, NeededRights>> = {
  lockout: 'lockout',
  answer: 'answer',
  answerMany: 'answer',
  pause: 'answer',
  pushKey: 'answer',
  subscribePush: 'answer',
  policy: 'everything',
  testCommand: 'everything',
  simulate: 'everything',
  reach: 'everything',
  history: 'everything',
  historyStats: 'everything',
  changes: 'everything',
  takeBack: 'everything',
  grants: 'everything',
  endGrant: 'everything',
  health: 'everything',
  resume: 'everything',
  passkeyNonce: 'everything',
  unlockWithPasskey: 'everything',
  undoAlways: 'desk',
  savePolicy: 'desk',
  modeBounds: 'desk',
  secrets: 'desk',
  removeSecret: 'desk',
  mend: 'desk',
  unlock: 'desk',
  inviteDevice: 'desk',
  revokeDevice: 'desk',
  addPasskey: 'desk',
  removePasskey: 'desk',
  handOver: 'desk',
  settings: 'desk',
  changeSettings: 'desk',
  importRules: 'desk',
  effectOf: 'desk',
  suggestRule: 'desk',
  starterFolders: 'desk',
  starter: 'desk',
  addStarter: 'desk',
  nodes: 'desk',
  approveNode: 'desk',
  declineNode: 'desk',
  removeNode: 'desk',
  nodePolicy: 'desk',
  saveNodePolicy: 'desk',
  boxes: 'desk',
  boxTail: 'desk',
  attachBox: 'desk',
  readTerminal: 'desk',
  typeTerminal: 'desk',
  resizeTerminal: 'desk',
  leaveTerminal: 'desk',
  startBox: 'desk',
  stopBox: 'desk',
  lockBox: 'desk',
  connectable: 'desk',
  connectPreview: 'desk',
  connect: 'desk',
  guide: 'desk',
  setPassphrase: 'desk',
  tryAsk: 'desk',
  startRunner: 'desk',
  openInBrowser: 'desk',
};

const weight: Readonly<Record<NeededRights, number>> = {
  lockout: 0,
  answer: 1,
  everything: 2,
  desk: 3,
};

/** Whether a device may make a call of this name at all; a name that is not known is none of them. */
export function mayCall({ device, opened }: DeviceSession, name: string): boolean {
  const needed = Object.hasOwn(callSchemas, name)
    ? rightsOfCalls[name as BridgeCall]
    : ('desk' as const);
  const has = opened === 'passkey' ? device.rights : 'lockout';
  // Somebody else answers and stops; the rest of this home is the owner's.
  const most = device.person === undefined ? has : 'answer';
  return weight[needed] <= Math.min(weight[has], weight[most]);
}

/**
 * Whether a device sees an ask: the owner's sees all; another person's, what wants two people, and
 * all else while they stand in for the owner. One whose passkey is gone sees none.
 */
export function mayBeShown(
  { approvers = 1 }: Pick<Ask, 'approvers'>,
  passkey: Pick<KnownPasskey, 'person' | 'standsInUntil'> | undefined,
  now: number,
): boolean {
  return passkey !== undefined && (approvers > 1 || mayAnswerAlone(passkey, now));
}

const atTheDesk = 'Answer it at the machine itself.';

/**
 * Why a device may not give this answer; null where it may. A no is always taken, as long as it is
 * for once. A yes is for once, signed by the passkey of this very device, and for a low risk alone
 * where its rights say so.
 */
export function answerProblem(
  { device }: DeviceSession,
  queue: readonly QueuedAsk[],
  { id, decision, remember, assertion }: Answer,
): Refusal | null {
  const no = (why: string): Refusal => refuse('confirm-rejected', why, atTheDesk).refusal;
  if (remember !== undefined || decision === 'allow-always')
    return no('Nothing is remembered from a device.');
  if (decision === 'deny') return null;
  if (assertion?.id !== device.passkey)
    return no("A yes from a device takes this device's own passkey.");
  const queued = queue.find(({ ask }) => ask.id === id);
  if (queued === undefined || device.rights === 'everything') return null;
  return queued.ask.risk.level !== 'high' && !needsStepUp(queued.ask)
    ? null
    : no('This device may allow only what has a low risk.');
}

/** The state as a device may see it: behind its lock screen nothing but whether all is locked. */
export function stateForDevice(
  { device, opened }: DeviceSession,
  { revision, now, stop, pace, ...state }: AppState,
): AppState {
  const { id, name, rights, passkey, person } = device;
  const isBehindScreen = opened === 'locked' || rights === 'lockout';
  const seesAll = !isBehindScreen && person === undefined;
  const always = {
    revision,
    now,
    // The reason is in the words of whoever gave it, an agent's as well, and may tell of a command.
    ...(stop !== undefined && { stop: seesAll ? stop : { ...stop, reason: null } }),
    ...(pace !== undefined && { pace }),
    device: { id, name, rights, opened, ...(person !== undefined && { person }) },
  };
  if (isBehindScreen)
    return { ...always, runner: null, queue: [], missed: [], policy: { hash: '', problem: null } };
  const { runner, missed, policy, covered, wayOut, settings } = state;
  const passkeys = (state.passkeys ?? []).filter((one) => one.id === passkey);
  const queue = state.queue.filter(({ ask }) => mayBeShown(ask, passkeys[0], now));
  const shared = {
    ...always,
    runner: runner === null || seesAll ? runner : forOthers(runner),
    queue,
    policy: seesAll ? policy : { hash: '', problem: null },
    ...(settings !== undefined && { settings: ofThePage(settings) }),
    passkeys,
  };
  // What is over tells of commands that only the owner was to see.
  if (person !== undefined) return { ...shared, missed: [] };
  return {
    ...shared,
    missed,
    ...(covered !== undefined && { covered }),
    ...(wayOut !== undefined && { wayOut }),
  };
}

/** What the owner's sessions were raised to, and why all stands still, is no matter of another person's. */
function forOthers({ elevated: _elevated, ...runner }: RunnerState): RunnerState {
  return { ...runner, reason: null, policyProblem: null };
}

/** How the page looks; what else the owner has set about the app is for the machine itself. */
function ofThePage({ settings }: SettingsView): SettingsView {
  const looks = Object.fromEntries(pageSettings.map((name) => [name, settings[name]]));
  return { settings: { ...defaultSettings, ...looks }, honoured: [], problem: null, taken: [] };
}
