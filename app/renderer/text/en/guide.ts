import type { GuideStep } from '../../../bridge/guide.ts';

const steps: Record<GuideStep, string> = {
  policy: 'A policy, in which everybody has to ask',
  passphrase: 'A passphrase for the way out of a lockout',
  runner: 'The runner, which stands between agents and your shell',
  agent: 'An agent that asks',
  'first-ask': 'An ask that you answered',
};

/** What to type where there is no runner; the banner says the same. */
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
  finishedTitle: 'That was it',
  finishedText: 'From now on asks come up here by themselves. The history keeps every answer.',
  close: 'Close the first steps',
};
