import type { WithdrawReason } from '../../../shared/ask/types.ts';
import { codes } from './en/codes.ts';
import { guide, startRunner } from './en/guide.ts';
import { exchange } from './en/exchange.ts';
import { prompt } from './en/prompt.ts';
import { rules, ruleForm, tester, conflict } from './en/rules.ts';
import { history } from './en/history.ts';
import { settings } from './en/settings.ts';
import { lockout } from './en/lockout.ts';
import { plural } from './plural.ts';

const withdrawn: Record<WithdrawReason, string> = {
  answered: 'Answered elsewhere',
  expired: 'Time ran out',
  'requester-gone': 'The agent stopped waiting',
  lockout: 'Refused by the lockout',
  pause: 'Refused by the pause',
  'runner-stopping': 'The runner stopped',
};

/** Every word that the app shows, in English. Other languages have the type of this one. */
export const en = {
  code: 'en',
  name: 'English',
  app: 'Interlock',
  views: {
    asks: 'Asks',
    allowlist: 'Allowlist',
    history: 'History',
    missed: 'Missed',
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
    ended: 'This console session has ended.',
    endedText: 'Run “interlock ui” in a terminal and open the new link it prints.',
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
  conflict,
  history,
  missed: {
    title: 'Missed',
    empty: 'You missed nothing',
    emptyText: 'Asks that ended without your answer are kept here.',
    reasons: withdrawn,
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
  lockout,
  settings,
  guide,
  exchange,
  codes,
  sample: 'interlock run -- rm -rf /tmp/demo',
};

/** What each language has to offer. A key that is missing does not compile. */
export type Catalogue = typeof en;
