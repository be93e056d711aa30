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
  toAttach: 'Go to its windows from a terminal:',
  attach: 'Attach',
  attachAgain: 'Attach again',
  backToBoxes: 'All boxes',
  terminalTitle: (name: string) => `Box ${name}`,
  terminalOf: (name: string) => `Terminal of ${name}`,
  terminalKeys:
    'Ctrl-B d leaves the box running. Shift with the mouse selects text, Ctrl-Shift-C copies it. Shift-F6 goes on to the page.',
  terminal: {
    attaching: 'Attaching …',
    attached: 'Attached. What you type goes to this box, and is not recorded.',
    lost: 'The connection was lost; attaching again …',
  },
  ends: {
    left: 'You have left it. The box goes on.',
    detached: 'You have left its windows, or they have ended. The box goes on.',
    stopped: 'The box was stopped.',
    gone: 'The box was ended, and is not there any more.',
    locked: 'The box was locked out. Nothing in it runs.',
    lockout: 'Everything was locked. Nothing in the box runs.',
    unread: 'The page did not read what the box wrote. The box goes on.',
    runner: 'The runner has ended. The box goes on.',
  },
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

/** Other machines: who is paired, who waits to be, and this machine as a node of another. */
export const nodes = {
  title: 'Nodes',
  listening: (at: string) => `Other machines may connect to ${at}.`,
  notListening: 'No other machine may connect: config.json has no nodes.listen.',
  calling: (by: string) => `Other machines come by: ${by}.`,
  none: 'No machine is paired',
  noneText: 'Type this on the other machine, and compare the code that it shows with the one here:',
  waiting: 'Waiting to be paired',
  waitingText: (name: string) =>
    `${name} shows a code, too. Pair only if both are the same, letter by letter.`,
  known: 'It was paired before, and has the same key still.',
  from: (address: string | null, version: string) =>
    `${address === null ? '' : `from ${address} · `}Interlock ${version}`,
  left: (clock: string) => `${clock} left`,
  pair: 'Pair…',
  decline: 'Decline',
  pairTitle: (name: string) => `Does ${name} show this code?`,
  pairText:
    'Go and look at the other machine. If its code differs in one letter, somebody stands between the two: decline.',
  same: 'It is the same: pair',
  cancel: 'Cancel',
  paired: 'Paired machines',
  online: 'Online',
  offline: 'Offline',
  removed: 'Removed',
  locked: 'Locked',
  lockWaits: 'Not locked yet',
  unlocked: 'Unlocked again',
  gateways: 'Gateways of the fleet',
  firstGateway: 'First gateway',
  thisMachine: 'This machine',
  links: (machines: number) => {
    if (machines === 0) return 'no machine has a link to it';
    return machines === 1
      ? 'one machine has a link to it'
      : `${machines} machines have a link to it`;
  },
  linksUnknown: 'no machine here tells of it',
  lostLink: (gateway: string | null) => `No link to ${gateway ?? 'the first gateway'}`,
  ownFurther: 'Its other gateways',
  seen: (when: string) => `seen ${when}`,
  neverSeen: 'never seen',
  policy: (hash: string | null) => (hash === null ? 'no policy' : `policy ${hash}`),
  showPolicy: 'Policy…',
  policyTitle: (name: string) => `Policy of ${name}`,
  back: 'Back',
  mayEdit:
    'This is what decides on that machine, and what is saved here holds there at once. That machine lets this one edit it.',
  mayRead:
    'This is what decides on that machine. It shows it, and does not let this machine edit it.',
  remove: 'Remove',
  removeTitle: (name: string) => `Remove ${name}`,
  removeText: 'Its connection ends now, and it is let in again only after a new pairing.',
  own: (name: string, gateway: string) => `This machine is a node of ${gateway}, as ${name}.`,
  connected: 'It is connected.',
  notConnected: 'It is not connected, and tries again.',
  given: 'It is not connected, and does not try any more. Pair it anew.',
};
