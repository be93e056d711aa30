/** Phones that answer: their lock screen, how one is paired, and the list of them. */
export const device = {
  title: 'Interlock',
  connecting: 'Connecting',
  open: 'Open with the passkey',
  lockout: 'Lock out',
  again: 'Tap again to lock everything out',
  howTo:
    'This device is not paired. On the machine: interlock device pair NAME, then scan the code that it shows.',
  gone: 'This device is not paired any more. On the machine: interlock device pair NAME',
  pairText:
    'This device gets a key and a passkey of its own. The passphrase of the machine shows that it is you; it is not kept.',
  pairPerson: (person: string) =>
    `This device gets a key and a passkey of its own, and answers as ${person}: what wants two people, and everything while ${person} stands in for the owner.`,
  pair: 'Pair this device',
  failed: 'This device was not paired. A code is good once, for ten minutes.',
  onlyLow: 'This device may allow only what has a low risk.',
  tell: 'Tell me',
  tellText: 'This device can tell you that an ask waits, and nothing more of it.',
  notTold: 'The browser, or its push service, did not take this.',
  listTitle: 'Devices',
  listHelp: 'Phones that may answer, and lock out. One more:',
  rights: {
    lockout: 'locks out, no more',
    answer: 'answers what has a low risk',
    everything: 'answers everything',
  },
  paired: (when: string) => `paired ${when}`,
  seen: (when: string) => `last seen ${when}`,
  revoke: 'Revoke',
  keep: 'Keep it',
  revokeTitle: (name: string) => `Revoke “${name}”`,
  revokeText: 'Its connections end at once, and it opens nothing any more.',
};
