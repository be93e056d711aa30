import type { BridgeCall } from '../../../app/bridge/types.ts';

export const digest = 'a'.repeat(64);
export const rule = { id: 'r', pattern: 'ls' };
export const answer = { id: 'x', askDigest: digest, decision: 'deny' };
export const assertion = { id: 'a', clientDataJSON: 'b', authenticatorData: 'c', signature: 'd' };

/** Arguments that each call takes; none is left out. */
export const taken: readonly (readonly [BridgeCall, unknown])[] = [
  ['answer', answer],
  ['answer', { ...answer, note: 'no' }],
  [
    'answer',
    {
      ...answer,
      decision: 'allow-always',
      remember: { duration: 'session', proposalId: 'p' },
    },
  ],
  ['answerMany', { answers: [answer, answer] }],
  ['policy', {}],
  ['policy', { have: digest }],
  ['savePolicy', { patch: {}, baseHash: digest }],
  [
    'savePolicy',
    {
      baseHash: digest,
      patch: {
        defaults: { security: 'deny', askTimeoutMs: null },
        agents: {
          claude: {
            modes: { ask: 'off' },
            rules: { remove: ['a'], replace: [rule], insert: [{ at: 2, items: [rule] }] },
          },
        },
      },
    },
  ],
  ['testCommand', { agent: 'a', command: 'ls', cwd: '/' }],
  ['history', { offset: 0, limit: 50, search: 'git' }],
  ['history', { offset: 0, limit: 5, by: 'person', since: 1_700_000_000_000 }],
  ['secrets', {}],
  ['removeSecret', { name: 'github' }],
  ['health', {}],
  ['mend', { id: 'home' }],
  ['undoAlways', { id: 'ask-1' }],
  ['setPassphrase', { passphrase: 'three words here' }],
  ['lockout', { reason: '' }],
  ['pause', { reason: 'lunch' }],
  ['resume', {}],
  ['unlock', { passphrase: 'correct horse' }],
  ['passkeyNonce', { purpose: 'unlock' }],
  [
    'addPasskey',
    {
      nonce: 'n'.repeat(43),
      name: 'laptop',
      attestation: { id: 'a', clientDataJSON: 'b', attestationObject: 'c', transports: ['usb'] },
      proof: { passphrase: 'correct horse' },
    },
  ],
  ['removePasskey', { nonce: 'n'.repeat(43), id: 'a', proof: { assertion } }],
  ['handOver', { nonce: 'n'.repeat(43), person: 'Ben', until: 9, proof: { passphrase: 'x' } }],
  ['handOver', { nonce: 'n'.repeat(43), person: 'Ben', until: null, proof: { assertion } }],
  ['unlockWithPasskey', { nonce: 'n'.repeat(43), assertion, agents: true }],
  ['pushKey', {}],
  [
    'subscribePush',
    { endpoint: 'https://a.example/x', p256dh: 'k'.repeat(87), auth: 'a'.repeat(22) },
  ],
  ['revokeDevice', { id: 'd'.repeat(22) }],
  ['settings', {}],
  ['changeSettings', { choice: { sound: true, theme: 'dark', lockoutShortcut: null } }],
  ['importRules', { text: '{}', format: 'claude', agent: '*', folder: '/src' }],
  ['simulate', { agent: 'a', command: 'ls', cwd: '/' }],
  ['simulate', { agent: 'a', command: 'ls', cwd: '/', draft: { baseHash: digest, patch: {} } }],
  ['reach', { agent: 'a' }],
  ['reach', { agent: 'a', address: 'https://a.example/', draft: { baseHash: digest, patch: {} } }],
  ['effectOf', { agent: 'a', rules: [{ pattern: 'ls', args: ['...'] }] }],
  ['grants', {}],
  ['nodes', {}],
  ['boxes', {}],
  ['startBox', { name: 'fix-7' }],
  ['stopBox', { name: 'fix-7' }],
  ['lockBox', { name: 'fix-7', reason: 'it looks odd' }],
  ['approveNode', { code: '7KQ2-M0XD' }],
  ['declineNode', { code: '7kq2m0xd' }],
  ['removeNode', { node: 'a'.repeat(64) }],
  ['endGrant', { id: '1-1' }],
  ['starterFolders', {}],
  ['starter', { set: 'project', agent: '*', folder: '/src/app' }],
  [
    'starter',
    { set: 'look-around', agent: 'a', folder: '~/app', draft: { baseHash: digest, patch: {} } },
  ],
  ['addStarter', { set: 'project', agent: '*', folder: '/src/app' }],
  ['suggestRule', { agent: 'a', command: 'ls', cwd: '/' }],
  ['historyStats', {}],
  ['historyStats', { days: 7, agent: 'claude' }],
  ['changes', {}],
  ['changes', { id: 'a-1', limit: 5 }],
  ['takeBack', { id: 'a-1', files: ['src/a.ts'] }],
  ['connectable', {}],
  ['connectPreview', { host: 'claude' }],
  ['connect', { host: 'claude', digest }],
  ['guide', {}],
  ['tryAsk', {}],
  ['startRunner', {}],
];
