import type { DeviceRights } from '../../../shared/engine/index.ts';

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
  pairing: 'Pairing. Show the passkey when the phone asks for it.',
  failed: 'This device was not paired. A code is good once, for ten minutes.',
  onlyLow: 'This device may allow only what has a low risk.',
  tell: 'Tell me',
  tellText: 'This device can tell you that an ask waits, and nothing more of it.',
  notTold: 'The browser, or its push service, did not take this.',
  listTitle: 'Devices',
  listHelp: 'Phones that may answer, and lock out: yours, and those of other people.',
  invite: 'Invite a phone',
  inviteTitle: 'Invite a phone',
  nameHelp: 'What you know it by: phone, tablet, bens-phone.',
  nameTaken: 'There is a device with this name.',
  person: 'Whose it is',
  personHelp:
    'Empty: yours. Another person’s answers what wants two people, and everything while they stand in for you.',
  rightsTitle: 'What it may do',
  rightsShort: { lockout: 'Lock out', answer: 'Answer', everything: 'Everything' },
  may: (rights: DeviceRights, person: string) =>
    rights === 'lockout'
      ? 'It locks everything out, and sees no ask.'
      : person === ''
        ? {
            answer: 'It sees and denies every ask, and allows what has no high risk.',
            everything:
              'It sees and answers every ask, reads the history, and ends a pause or a lockout.',
          }[rights]
        : {
            answer: `It sees what ${person} may answer, and only says no to it.`,
            everything: `It says yes or no to what ${person} may answer.`,
          }[rights],
  showCode: 'Show the code',
  codeFor: (name: string) => `Code for ${name}`,
  scan: (name: string, until: string) => `Scan this on “${name}”. It works once, until ${until}.`,
  thenPassphrase: 'The phone makes a passkey, and asks for your passphrase.',
  toThemAlone: (person: string) =>
    `Show it to ${person} alone: whoever is first answers as ${person}.`,
  authority: (name: string) =>
    `The page has a certificate of “${name}”, which phones do not know by themselves. Install the certificate of that authority on the phone first. iOS: open its file, then Settings, General, About, Certificate Trust Settings. Android: Settings, Security, Install a certificate. If the phone still warns of the page, go no further: it is not this machine.`,
  listens: 'The page for phones has to be served:',
  nowPaired: (name: string) => `“${name}” is paired.`,
  done: 'Done',
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
