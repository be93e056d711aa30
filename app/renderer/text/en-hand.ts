import { plural } from './format.ts';

/** Everything by its name, from the keyboard. */
export const palette = {
  title: 'Go to or run',
  open: 'Find a view or an action',
  placeholder: 'A view, an action, an agent or words of a command',
  nothing: 'Nothing has this name.',
  found: (n: number) => plural(n, '1 found', `${n} found`),
  view: (name: string) => `Show ${name}`,
  ask: (agent: string, wants: string, command: string) => `Review: ${agent} ${wants} ${command}`,
  rulesOf: (agent: string) => `Rules of ${agent}`,
  search: (words: string) => `Search the history for “${words}”`,
  addRule: 'Add a rule',
  theme: (name: string) => `Appearance: ${name}`,
  language: (name: string) => `Language: ${name}`,
  more: (n: number) => plural(n, '1 more. Type to find it.', `${n} more. Type to find them.`),
};

/** What is said where nothing waits. */
export const calm = {
  agents: 'Agents',
  today: 'Today',
  quiet: (n: number) => plural(n, '1 command ran unasked', `${n} commands ran unasked`),
  asked: (n: number) => plural(n, 'you were asked once', `you were asked ${n} times`),
  nothing: 'Nothing was decided today.',
  last: 'Last answers',
  all: 'The whole history',
  connect: 'Connect an agent',
};

/** An agent put behind the gate from the page. */
export const connect = {
  title: 'Connect an agent',
  text: 'Its settings get the hook of Interlock, and it gets a key of its own. All else in them stays as it is.',
  which: 'Agent',
  looking: 'Looking at its settings',
  diff: 'What would change',
  nothing: 'Nothing would change: it is connected already.',
  accept: 'Accept and connect',
  connecting: 'Connecting',
  done: 'Connected',
  later: 'Restart the agent so that it asks here.',
  undo: (host: string) => `“interlock uninstall ${host}” removes it again.`,
  close: 'Close',
  open: 'Connect an agent',
};

/** Notifications of a browser. */
export const notify = {
  title: (agent: string, wants: string) => `${agent} ${wants}`,
  highRisk: 'This can do harm. Review it in Interlock.',
  cut: 'There is more to it than fits here.',
  many: (n: number) => plural(n, '1 ask waits', `${n} asks wait`),
  allowOnce: 'Allow once',
  deny: 'Deny',
  show: 'Review',
  notCounted: 'The answer came too late or too soon. Nothing was allowed by it.',
  ask: 'Hear of asks while this tab is in the background',
  askText:
    'The browser asks for permission. A notification offers Deny, and also Allow when it shows the whole command and that can do no harm.',
  turnOn: 'Turn on notifications',
  on: 'Notifications are on in this browser.',
  blocked:
    'This browser blocks notifications of Interlock. Its settings for this page change that.',
  none: 'This browser does not support notifications.',
};
