import { plural } from './format.ts';

/** Named boxes: what goes on in them, and how they are ended. */
export const boxes = {
  title: 'Boxes',
  none: 'There are no boxes',
  noneText: 'A box is a sandbox that stays, with an agent in a terminal of its own. Make one:',
  running: 'Running',
  stopped: 'Stopped',
  unfinished: 'Left in the middle',
  unfinishedText: 'Something was begun with it and not ended. Put it in order:',
  locked: 'Locked',
  lockedText: 'Nothing of it starts until a person ends that:',
  networks: {
    none: 'no network',
    restricted: 'only hosts of its template',
    full: "this machine's network",
  },
  template: (name: string) => `template ${name}`,
  started: (when: string) => `started ${when}`,
  windows: 'Windows',
  ended: 'ended',
  attached: (n: number) => plural(n, 'shown at 1 terminal', `shown at ${n} terminals`),
  asks: (n: number) => plural(n, '1 ask waits', `${n} asks wait`),
  output: 'Output',
  outputOf: (window: string, name: string) => `What ${window} of ${name} wrote`,
  noOutput: 'Nothing yet.',
  outputNote:
    'The last lines of the windows that the box began with. What windows that are opened later write is not kept.',
  toStart: 'Start it:',
  toAttach: 'Go to its windows:',
  start: 'Start',
  starting: 'Starting',
  stop: 'Stop…',
  stopTitle: (name: string) => `Stop ${name}`,
  stopText:
    'All in it ends, with what lies in its /tmp and its home folder. Its workspace and its name stay.',
  stopNow: 'Stop the box',
  lock: 'Lock out…',
  lockTitle: (name: string) => `Lock out ${name}`,
  lockText:
    'All in it is killed at once, and nothing of it starts until a person unlocks it at a terminal. Everything else goes on.',
  lockNow: 'Lock it out',
  cancel: 'Cancel',
};
