import type { ShellTexts } from './texts.ts';

function count(n: number, one: string, many: string): string {
  return n === 1 ? one : `${n} ${many}`;
}

export const en: ShellTexts = {
  status: {
    armed: 'Interlock: armed',
    running: (n) => count(n, '1 command running', 'commands running'),
    asking: (n) => count(n, '1 ask waiting', 'asks waiting'),
    paused: 'Interlock: paused',
    locked: 'Interlock: locked out',
    invalid: 'Interlock: the policy is not valid, everything is refused',
    gone: 'Interlock: the runner is gone',
  },
  menu: {
    asksHeading: 'Waiting for you',
    moreAsks: (n) => count(n, '1 more…', 'more…'),
    ask: (agent, command) => `${agent}: ${command}`,
    raisedHeading: 'Raised for a while',
    endRaised: (who, as, until) => `End ${as} of ${who}, until ${until}`,
    open: 'Open Interlock',
    showOldest: 'Show the oldest ask',
    pause: 'Pause',
    resume: 'Resume',
    lockout: 'Lock out now',
    unlock: 'Unlock…',
    startRunner: 'Start the runner',
    settings: 'Settings',
    quit: 'Quit',
    edit: 'Edit',
    view: 'View',
    window: 'Window',
    gate: 'Gate',
  },
  settings: {
    attention: 'When an agent asks',
    attentionModes: {
      window: 'Show the prompt',
      notification: 'Notify me',
      both: 'Show the prompt and notify me',
      tray: 'Only change the icon',
    },
    sound: 'With a sound',
    startAtLogin: 'Start at login',
    startRunner: 'Start the runner with the app',
    onScreenLock: 'When the screen locks',
    onSuspend: 'When the computer sleeps',
    awayActions: { nothing: 'Do nothing', pause: 'Pause', lockout: 'Lock out' },
    lockoutShortcut: 'Lock out from anywhere',
    oldestAskShortcut: 'Show the oldest ask from anywhere',
    off: 'Off',
    touchId: 'Touch ID before an unlock',
    problem: 'Settings were not read:',
    shortcutTaken: (accelerator) => `${accelerator} is taken by another program`,
  },
  notification: {
    title: (agent) => `${agent} asks`,
    highRisk: 'High risk: read it in the window.',
    cut: 'The command is longer than this: read it in the window.',
    allowOnce: 'Allow once',
    deny: 'Deny',
    show: 'Show',
    notCounted: 'The answer came too late and did not count.',
    lockedOut: (stopped, keys) =>
      `Locked out. ${count(stopped, '1 process', 'processes')} stopped, ${count(keys, '1 key', 'keys')} replaced.`,
    lockedAlone: 'Locked out. No runner answered; the rest was done without one.',
    lockedElsewhere: (reason) =>
      `Locked out, everything was stopped${reason === null ? '' : `: ${reason}`}.`,
    updateFailed: 'The update feed could not be read.',
    lockoutFailed: 'The lockout did not work. Run: interlock lockout',
  },
  reasons: {
    tray: 'Locked out from the menu bar',
    pausedTray: 'Paused from the menu bar',
    shortcut: 'Locked out with the shortcut',
    screenLock: 'The screen was locked',
    suspend: 'The computer went to sleep',
  },
  touchId: {
    reason: 'unlock Interlock',
    refused: 'Touch ID did not confirm that you are there.',
    hint: 'Try again, or unlock in a terminal: interlock unlock',
  },
  dialog: {
    failedTitle: 'Interlock could not start',
    runsElsewhere: (shell, pid) =>
      `Interlock is already open as its ${shell} approver (process ${pid}). Close that one first.`,
  },
};
