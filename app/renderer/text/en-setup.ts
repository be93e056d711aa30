import type { GuideStep } from '../../bridge/types.ts';
import { plural } from './format.ts';

const steps: Record<GuideStep, string> = {
  policy: 'A policy, in which everybody has to ask',
  passphrase: 'A passphrase for the way out of a lockout',
  runner: 'The runner, which stands between agents and your shell',
  agent: 'An agent that asks',
  starter: 'Rules to begin with, so that you are asked less',
  'first-ask': 'An ask that you answered',
};

/** What to type when there is no runner; the banner says the same. */
export const startRunner =
  'Start it with “interlock runner” in a terminal, or for good with “interlock service install”.';

const hints: Partial<Record<GuideStep, string>> = { runner: startRunner };

/** The first steps. */
export const guide = {
  title: 'First steps',
  text: 'Agents ask here before a command runs. This is what it takes.',
  steps,
  hints,
  done: 'done',
  open: 'to do',
  try: 'Try it with a real ask',
  trying: 'Asking',
  tryText: 'It runs “echo”, changes nothing, and you decide.',
  skip: 'Skip this',
  passphrase: 'Passphrase',
  passphraseAgain: 'The same again',
  passphraseSet: 'Set the passphrase',
  passphraseDiffers: 'The two are not the same',
  passphraseText:
    'A few words that only you would put together. They open a lockout, and are themselves kept nowhere.',
  finishedTitle: 'All set',
  finishedText: 'From now on asks come up here by themselves. The history keeps every answer.',
  close: 'Close the first steps',
};

/** What was allowed for a while. */
export const grants = {
  title: 'Allowed for a while',
  oneCommand: 'One exact command',
  everySession: 'every session',
  session: (name: string) => `session ${name}`,
  untilRestart: 'until the runner restarts',
  untilEnd: 'until the session ends',
  left: (time: string) => `${time} left`,
  revoke: 'Revoke',
};

/** What a person raised a session to, at the top of every view. */
export const elevation = {
  title: 'Raised for a while',
  session: (name: string) => `session ${name}`,
  times: (since: string, until: string) => `since ${since}, until ${until}`,
  left: (time: string) => `${time} left`,
  end: 'End it',
  endOf: (agent: string, session: string) => `End it: ${agent}, session ${session}`,
  announce: (agent: string) => `A session of ${agent} is raised for a while.`,
};

/** Sets of rules to begin with, in the first steps and in the editor. */
export const starters = {
  title: 'Rules to begin with',
  sets: {
    'look-around': {
      title: 'Look around',
      says: 'Programs that only read, Git where it only reads, and what GitHub shows.',
    },
    project: {
      title: 'Work on this project',
      says: 'Its tests, builds, linters and formatters, Git on this machine, and edits inside of it. An agent that edits tests and runs them runs code of its own: the sandbox bounds what that can reach.',
    },
  } as Record<string, { readonly title: string; readonly says: string }>,
  set: 'What agents may do unasked',
  folder: 'In this project and below',
  folderHelp:
    'The folder of one project, as in ~/src/app. Secrets and settings in it are asked about.',
  folderProblem: 'Start the folder with / or ~/.',
  looking: 'Looking at what it would cover',
  covers: {
    history: (n: number, of: number) =>
      `Would have covered ${n} of the ${of} commands that were run here`,
    sample: (n: number, of: number) => `Would cover ${n} of ${of} commands of an ordinary day`,
  },
  left: 'What you would still be asked about',
  rules: (n: number) => plural(n, '1 rule', `${n} rules`),
  use: (n: number) => plural(n, 'Use this rule', `Use these ${n} rules`),
  using: 'Adding them',
  nothing: 'All of it is in the policy already.',
  version: (n: number) => `version ${n}`,
  used: (n: number) => plural(n, 'used once', `used ${n} times`),
  noFolder: 'a folder that no rule names any more',
  add: 'Add a set',
  addTitle: 'Add rules to begin with',
  updateTitle: (set: string) => `Bring “${set}” up to date`,
  updateText:
    'What this version of Interlock would change, rule by rule. This includes rules that you changed or removed by hand.',
  added: 'Added',
  removed: 'Removed',
  update: (version: number) => `Update to version ${version}`,
  compare: 'Compare',
  accept: 'Accept the change',
  off: 'Switch off',
  show: 'Show rules',
  hide: 'Hide rules',
  offDone: (set: string) => `“${set}” is off once you save.`,
};

/** Secrets that are kept by name: what they are for, never what they are. */
export const secrets = {
  title: 'Secrets',
  help: 'Tools and headers use them for agents, and no agent can read one. Keep one at a terminal:',
  none: 'No secret is kept.',
  kept: (when: string) => `kept ${when}`,
  lastUsed: (when: string, by: string | null) =>
    by === null ? `used ${when}` : `used ${when} by ${by}`,
  neverUsed: 'never used',
  noUse: 'Nothing here refers to it.',
  missing: (name: string) => `It is not kept yet: interlock secret set ${name}`,
  uses: {
    tool: (of: string) => `for the brokered tool ${of}`,
    header: (of: string) => `in a header for ${of}`,
    service: (of: string) => `for the service ${of}`,
    'github-app': (of: string) => `signs in at ${of}`,
    agent: (of: string) => `key of ${of} with interlock wrap`,
  },
  keep: 'Keep it',
  remove: 'Remove',
  removeTitle: (name: string) => `Remove the secret “${name}”`,
  removeText:
    'What uses it stops working. Where it came from it still counts, so revoke it there too.',
};
