import { changes } from './en-changes.ts';
import { device } from './en-device.ts';
import { boxes, nodes } from './en-machines.ts';
import { passkeys } from './en-passkeys.ts';
import { secrets, elevation, grants, guide, startRunner, starters } from './en-setup.ts';
import type { RefusalCode } from '../../../shared/base/index.ts';
import type { ReviewCode, RiskCode, StageReason } from '../../../shared/engine/index.ts';
import type { NodeProblemCode } from '../../../shared/wire/index.ts';
import type { AttentionMode, AwayAction, SettingName, Theme } from '../../bridge/settings.ts';
import { byWords, outcomeWords, withdrawnWords } from '../../bridge/words.ts';
import { calm, connect, notify, palette } from './en-hand.ts';
import { prompt } from './en-prompt.ts';
import { conflict, exchange, reach, ruleForm, rules, tester } from './en-rules.ts';
import { plural } from './format.ts';

/** Sentences about a program that is named, and whether they say all that the gate's own do. */
export type StageWording = Readonly<
  Record<StageReason, { readonly says: (name: string) => string; readonly isWhole: boolean }>
>;

/**
 * Sentences for stable codes. The gate writes English: where a language has a sentence of its own
 * it is shown first, and the gate's beneath it. English has none.
 */
const codes = {
  outcomes: outcomeWords,
  refusals: {} as Partial<Record<RefusalCode, string>>,
  verdicts: {} as Readonly<Record<string, string>>,
  /** What became of one stage; null where the gate's own sentence is in the language of the page. */
  stages: null as StageWording | null,
  /** Why an answer is not remembered for good, by why one is asked. */
  notAlways: {} as Readonly<Record<string, string>>,
  /** The title of a check of the set-up; undefined where only the gate's own is known. */
  healthTitle: (() => undefined) as (title: string) => string | undefined,
  nodeProblems: {} as Partial<Record<NodeProblemCode, string>>,
  reviews: {} as Partial<Record<ReviewCode, string>>,
  risks: {} as Partial<Record<RiskCode, string>>,
};

const history = {
  title: 'History',
  search: 'Search commands',
  agent: 'Agent',
  advisor: 'Advisor',
  passkey: 'Passkey',
  answers: { yes: 'Said yes', no: 'Said no' },
  places: { app: 'in the app', terminal: 'at a terminal', gateway: 'at the gateway' },
  signed: (person: string | null, passkey: string) =>
    `${person === null ? 'the owner' : person}, with the passkey “${passkey}”`,
  decision: 'Decision',
  everyAgent: 'Every agent',
  any: 'Any',
  allowed: 'Allowed',
  denied: 'Denied',
  by: byWords,
  who: 'Who decided',
  everybody: 'Anyone',
  when: 'When',
  periods: {
    any: 'At any time',
    hour: 'Last hour',
    day: 'Last 24 hours',
    week: 'Last 7 days',
    month: 'Last 30 days',
  },
  one: 'One decision',
  copy: 'Copy the command',
  copied: 'Copied',
  directory: 'In',
  session: 'Session',
  at: 'At',
  exit: (code: number) => `exit ${code}`,
  inSandbox: 'in the sandbox',
  trust: (level: string) => `counted as “${level}”, not as the owner`,
  total: (n: number, more: boolean) =>
    more ? `${n} decisions and perhaps more` : plural(n, '1 decision', `${n} decisions`),
  makeRule: 'Make a rule from this',
  empty: 'Nothing has been decided yet',
  emptyText: 'Each decision appears here with who made it and what came of it.',
  unreadable: 'The history cannot be read now',
  unreadableText: 'The runner keeps it and is not connected. Nothing of it is lost.',
  nothingFound: 'No decision matches the search',
  loading: 'Loading',
  chart: 'Asks per day',
  chartText: (asks: number, needless: number, days: number) =>
    `${asks} asks in ${days} days, ${needless} of them needless`,
  chartNone: 'Nobody was asked in these 30 days.',
  asks: 'Asks',
  needless: 'Needless',
  needlessMeans: (times: number) =>
    `An ask is needless when you allowed once what you had allowed ${times} times before in the same folder.`,
  dayText: (day: string, asks: number, needless: number) =>
    needless > 0 ? `${day}: ${asks} asks, ${needless} needless` : `${day}: ${asks} asks`,
  table: 'As a table',
  day: 'Day',
  allowedAsks: 'Allowed',
  unanswered: 'Not answered',
  unasked: 'Not asked about',
  worth: 'Asked again and again',
  worthTimes: (n: number) => plural(n, 'needless once', `needless ${n} times`),
};

const lockout = {
  button: 'Lock out',
  buttonLocked: 'Locked out',
  noLink: {
    message: 'Nothing was locked: this page has no connection to Interlock.',
    hint: 'Lock out from a terminal with “interlock lockout”, or open a new link and press again.',
  },
  title: 'Stop everything and refuse every request at once',
  reason: 'Lockout from the approver',
  locked: 'Everything is locked out',
  text: 'Every request of every agent is refused, also after a restart.',
  because: 'Reason',
  did: 'What the lockout did',
  stopped: (n: number) =>
    plural(n, '1 running command was stopped', `${n} running commands were stopped`),
  noneStopped: 'No command was running',
  rotated: (n: number) => plural(n, '1 key was replaced', `${n} keys were replaced`),
  noneRotated: 'No key had to be replaced',
  withdrawn: (n: number | undefined) =>
    n === undefined
      ? 'Every open ask was refused'
      : n === 0
        ? 'No ask was open'
        : plural(n, '1 open ask was refused', `${n} open asks were refused`),
  token: 'The approvals token was replaced',
  left: (n: number) =>
    plural(n, '1 process could not be stopped', `${n} processes could not be stopped`),
  holding: 'Keep holding',
  unlocking: 'Unlocking',
  noRunner: 'No runner answered: the lock holds, and one that starts will keep to it',
  noPassphrase:
    'No passphrase is set. Find out first what happened. Then unlock at a terminal, which lets you choose one:',
  wayOut: 'The way out',
  wayOutText: 'First find out what happened. Then type the passphrase and hold the button.',
  passphrase: 'Passphrase',
  hold: 'Hold to unlock',
  agents: 'Give the agents new keys, so that all of them can ask again',
};

const names: Record<Exclude<SettingName, 'guideClosed'>, string> = {
  theme: 'Appearance',
  language: 'Language',
  attention: 'A new ask shows as',
  sound: 'Sound',
  startAtLogin: 'Start at login',
  startRunner: 'Start the runner',
  lockoutShortcut: 'Lock out from anywhere',
  oldestAskShortcut: 'Show the oldest ask',
  onScreenLock: 'When the screen locks',
  onSuspend: 'When the machine sleeps',
  touchIdForUnlock: 'Touch ID before unlocking',
  updateFeed: 'Update feed',
};

const help: Partial<Record<SettingName, string>> = {
  attention: 'Notifications can deny, or allow once. “Always” is only in the window.',
  sound: 'One short sound for each new ask.',
  startAtLogin: 'Interlock waits in the menu bar after you log in.',
  startRunner: 'The app starts its own runner when no other one answers.',
  touchIdForUnlock: 'Asked for besides the passphrase, where there is a sensor.',
  updateFeed: 'An https address. Empty never looks for updates.',
};

const themes: Record<Theme, string> = { system: 'As the system', light: 'Light', dark: 'Dark' };

const attention: Record<AttentionMode, string> = {
  window: 'A window',
  notification: 'A notification',
  both: 'Both',
  tray: 'The icon alone',
};

const away: Record<AwayAction, string> = {
  nothing: 'Nothing',
  pause: 'Pause',
  lockout: 'Lock out',
};

/** The settings and the keys. */
const settings = {
  title: 'Settings',
  names,
  help,
  themes,
  attention,
  away,
  languageSystem: 'As the system',
  look: 'Look',
  asks: 'When an ask comes',
  shortcuts: 'Shortcuts in every program',
  starting: 'Start',
  absence: 'When you are away',
  updates: 'Updates',
  on: 'On',
  off: 'Off',
  press: 'Press the keys together. Delete takes the shortcut away.',
  pressed: 'Use at least one of Ctrl, Alt, Shift or Cmd with another key.',
  none: 'none',
  taken: 'Another program has this shortcut, so it does not work.',
  notHere: 'Kept for the menu-bar app. A browser page cannot do this.',
  notOnSystem: 'This system does not offer it.',
  notKept: 'This shell keeps no settings. What you choose here holds for this browser.',
  problem: 'The settings file is damaged. Nothing is saved until it is repaired.',
  feed: 'An address begins with https:// and has no user name in it.',
  save: 'Save',
  keys: 'Keys',
  showKeys: 'Show all keys',
  remember: 'Allow and remember',
  never: 'Deny for good, where that is offered',
  next: 'Next ask',
  previous: 'Previous ask',
  keyNames: { Escape: 'Esc', ArrowDown: '↓', ArrowUp: '↑' } as Record<string, string>,
  guide: 'First steps',
  showGuide: 'Show the first steps again',
};

/** What an answer has changed. */
const toast = {
  kinds: {
    rule: 'Rule added',
    grant: 'Allowed for a while',
    undone: 'Rule removed. What has already run is not undone',
    ungranted: 'You will be asked again. What has already run is not undone',
    edited: 'Changed, not saved yet',
    saved: 'Rules saved',
    setting: 'Setting changed',
    revoked: 'Revoked: you will be asked again',
    starter: 'Set of rules added',
    reverted: 'Taken back',
    back: 'Done. Interlock goes on in the menu bar; this tab can be closed',
  },
  covered: (n: number) => plural(n, '1 more allowed', `${n} more allowed`),
  undo: 'Undo',
  review: 'Review',
  waits: (agent: string, wants: string, command: string) => `${agent} ${wants} ${command}`,
};

/** All text of the app, in English. The other languages have the type of this one. */
export const en = {
  code: 'en',
  name: 'English',
  app: 'Interlock',
  views: {
    asks: 'Asks',
    allowlist: 'Allowlist',
    history: 'History',
    missed: 'Missed',
    boxes: 'Boxes',
    nodes: 'Nodes',
    health: 'Health',
    settings: 'Settings',
  },
  shell: {
    skip: 'Skip to the content',
    navigation: 'Views',
    waiting: (n: number) => plural(n, '1 ask waiting', `${n} asks waiting`),
    settings: 'Settings',
    close: 'Close',
    dismiss: 'Dismiss',
    startRunner: 'Start the runner',
    starting: 'Starting',
    original: 'In the words of the gate',
  },
  mode: {
    armed: 'Armed',
    paused: 'Paused',
    locked: 'Locked out',
    gone: 'Runner not connected',
    connecting: 'Connecting',
    lost: 'Not connected',
    pausedText: 'Every request is refused until you resume.',
    running: (n: number) => plural(n, '1 command running', `${n} commands running`),
    pause: 'Pause',
    resume: 'Resume',
    pauseReason: 'Paused from the approver',
  },
  title: {
    asks: (n: number) => plural(n, '1 ask', `${n} asks`),
  },
  banner: {
    policy: 'The policy file is not valid, so everything is refused.',
    lost: 'The connection to the approver is lost.',
    lostText: 'Nothing can be answered from here until it is back. Trying again.',
    outside: 'This tab is not connected to Interlock.',
    outsideText:
      'No other tab of this browser is connected either. Run “interlock ui” in a terminal and open the new link.',
    ended: 'This console session has ended.',
    endedText: 'Run “interlock ui” in a terminal and open the new link it prints.',
    again: 'Look for a connection again',
    runner: 'The runner is not connected.',
    runnerText: `${startRunner} Until then agents get no command through.`,
  },
  prompt,
  queue: {
    title: 'Waiting',
    empty: 'Nothing waits for you',
    emptyText: 'When an agent wants to run something that no rule decides, it appears here.',
    tryIt: 'Try it from a terminal:',
    count: (n: number) => plural(n, '1 ask', `${n} asks`),
    flood: (agent: string, n: number) => `${agent} has asked ${n} times. Shown as one.`,
    onScreen: 'on screen',
    choose: 'Choose this one',
    chosen: (n: number) => `${n} chosen`,
    chooseNone: 'Choose none',
    denyChosen: (n: number) => plural(n, 'Deny the chosen one', `Deny the ${n} chosen`),
    allowOne: 'Allow…',
    gone: 'gone',
    came: (n: number) => plural(n, '1 more came', `${n} more came`),
    like: (n: number) => `${n} alike:`,
    reveal: 'Show each',
    hide: 'Collapse',
    denyAll: (n: number) => `Deny all ${n}`,
    denyAgent: (agent: string) => `Deny everything that ${agent} has asked`,
    allowAll: (n: number) => `Review and allow ${n}`,
    reviewTitle: (n: number) => `Allow these ${n} once each?`,
    reviewText: 'Each one runs once. Nothing is remembered.',
    allowThese: (n: number) => `Allow all ${n} once`,
    cancel: 'Cancel',
    done: (n: number, of: number) => `${n} of ${of} answers were accepted.`,
  },
  rules,
  ruleForm,
  tester,
  reach,
  conflict,
  history,
  toast,
  missed: {
    title: 'Missed',
    empty: 'You missed nothing',
    emptyText: 'Asks that ended without your answer are kept here.',
    reasons: withdrawnWords,
    makeRule: 'Make a rule from this',
  },
  health: {
    title: 'Health',
    checking: 'Looking at the set-up',
    again: 'Check again',
    mend: 'Mend',
    mending: 'Mending',
    levels: { ok: 'Sound', warning: 'Worth mending', danger: 'Unsafe' },
    allGood: 'Everything is sound.',
    found: (n: number) => plural(n, '1 thing needs care', `${n} things need care`),
  },
  changes,
  boxes,
  nodes,
  passkeys,
  device,
  secrets,
  lockout,
  settings,
  guide,
  starters,
  grants,
  elevation,
  exchange,
  palette,
  calm,
  connect,
  notify,
  codes,
  sample: 'interlock run -- rm -rf /tmp/demo',
};

/** What each language has to provide. A missing key does not compile. */
export type Catalogue = typeof en;
