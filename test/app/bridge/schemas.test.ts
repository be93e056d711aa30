import { describe, expect, it } from 'vitest';
import { bridgeCalls } from '../../../app/bridge/calls.ts';
import { pageMessageLimit } from '../../../app/bridge/messages.ts';
import { callChecks } from '../../../app/bridge/page-message.ts';
import { decodePageMessage } from '../../../app/bridge/page-message.ts';
import type { BridgeCall } from '../../../app/bridge/types.ts';
import { answer, assertion, digest, rule, taken } from './samples.ts';

const refused: readonly (readonly [BridgeCall, unknown, string])[] = [
  ['answer', { ...answer, decision: 'allow' }, 'decision'],
  ['answer', { ...answer, askDigest: 'A'.repeat(64) }, 'askDigest'],
  ['answer', { ...answer, remember: { duration: 'once', proposalId: 'p' } }, 'duration'],
  ['answer', { ...answer, note: 'x'.repeat(1001) }, 'note'],
  ['answer', { ...answer, more: 1 }, 'more'],
  ['answerMany', { answers: [] }, 'answers'],
  ['answerMany', { answers: Array.from({ length: 201 }, () => answer) }, 'answers'],
  ['policy', { have: 'x' }, 'have'],
  ['savePolicy', { document: { version: 1 }, baseHash: digest }, 'patch'],
  ['savePolicy', { patch: {}, baseHash: '' }, 'baseHash'],
  ['savePolicy', { patch: {}, baseHash: digest, document: { version: 1 } }, 'document'],
  ...(
    [
      [{ socket: { path: '/tmp/mine' } }, 'socket'],
      [{ version: 2 }, 'version'],
      [{ 'x-theirs': 1 }, 'x-theirs'],
      [{ defaults: { security: 'open' } }, 'security'],
      [{ defaults: { autoAllowSkills: true } }, 'autoAllowSkills'],
      [{ agents: { a: { allowlist: [] } } }, 'allowlist'],
      [{ agents: { a: { rules: { insert: [{ at: -1, items: [rule] }] } } } }, 'at'],
      [{ agents: { a: { rules: { insert: [{ at: 0, items: [] }] } } } }, 'items'],
      [{ agents: { a: { rules: { insert: [{ at: 0, items: [{ pattern: 'ls' }] }] } } } }, 'id'],
      [{ agents: { a: { rules: { replace: [{ ...rule, args: 'x' }] } } } }, 'args'],
      [{ agents: { a: { rules: { replace: [{ ...rule, efect: 'deny' }] } } } }, 'efect'],
      [{ agents: { a: { rules: { remove: [1] } } } }, 'remove'],
    ] as const
  ).map(([patch, named]) => ['savePolicy', { baseHash: digest, patch }, named] as const),
  ['effectOf', { agent: 'a', rules: [{ pattern: 'ls', efect: 'deny' }] }, 'efect'],
  ['history', { offset: -1, limit: 50 }, 'offset'],
  ['history', { offset: 0, limit: 501 }, 'limit'],
  ['secrets', { values: true }, 'values'],
  ['removeSecret', { name: '' }, 'name'],
  ['health', { deep: true }, 'deep'],
  ['unlock', { passphrase: '' }, 'passphrase'],
  ['passkeyNonce', { purpose: 'open' }, 'purpose'],
  ['unlockWithPasskey', { nonce: 'short', assertion }, 'nonce'],
  ['removePasskey', { nonce: 'n'.repeat(43), id: 'a', proof: {} }, 'proof'],
  ['inviteDevice', { name: 'a\nb', rights: 'answer' }, 'name'],
  ['inviteDevice', { name: 'phone', rights: 'answer', person: 'Ben' }, 'person'],
  ['handOver', { nonce: 'n'.repeat(43), person: 'Ben', until: 'later', proof: {} }, 'until'],
  ['changeSettings', { choice: {} }, 'choice'],
  ['changeSettings', { choice: { version: 1 } }, 'version'],
  ['changeSettings', { choice: { theme: 'neon' } }, 'theme'],
  ['changeSettings', { choice: { lockoutShortcut: 'L' } }, 'lockoutShortcut'],
  ['changeSettings', { choice: { updateFeed: 'http://x.example/' } }, 'updateFeed'],
  ['importRules', { text: '{}', format: 'sudoers' }, 'format'],
  ['importRules', { text: '{}', folder: 'src' }, 'folder'],
  ['effectOf', { agent: 'a', rules: [] }, 'rules'],
  ['effectOf', { agent: 'a', rules: [{ args: [] }] }, 'pattern'],
  ['historyStats', { days: 91 }, 'days'],
  ['nodes', { all: true }, 'all'],
  ['boxes', { all: true }, 'all'],
  ['attachBox', { name: 'fix', columns: 80, rows: 0 }, 'rows'],
  ['typeTerminal', { terminal: '../1', input: 'x' }, 'terminal'],
  ['startBox', { name: '--all' }, 'name'],
  ['boxTail', { name: 'fix', window: '../0' }, 'window'],
  ['stopBox', { name: '../fix' }, 'name'],
  ['lockBox', { name: 'fix', force: true }, 'force'],
  ['approveNode', { code: '7KQ2' }, 'code'],
  ['approveNode', { code: '7KQ2-M0XD', node: 'x' }, 'node'],
  ['removeNode', { node: '' }, 'node'],
  ['nodePolicy', {}, 'node'],
  ['saveNodePolicy', { node: 'x', accepted: true }, 'edit'],
  ['changes', { limit: 1000 }, 'limit'],
  ['takeBack', { id: 'a-1', files: [] }, 'files'],
  ['takeBack', { files: ['a'] }, 'id'],
  ['tryAsk', { command: 'rm -rf /' }, 'command'],
  ['openInBrowser', { errand: 'https://elsewhere.example/' }, 'errand'],
  ['openInBrowser', { errand: 'ask', address: 'https://elsewhere.example/' }, 'address'],
];

describe('the arguments of calls', () => {
  it.each(taken)('%s takes %j', (call, args) => {
    expect(callChecks[call](args)).toEqual({ ok: true, value: args });
  });

  it.each(refused)('%s refuses %j and names %s', (call, args, named) => {
    const checked = callChecks[call](args);
    expect(checked.ok).toBe(false);
    if (!checked.ok) expect(checked.error).toContain(named);
  });

  it('are known for every call', () => {
    expect(Object.keys(callChecks).toSorted()).toEqual([...bridgeCalls].toSorted());
    expect(new Set(taken.map(([call]) => call)).size).toBe(bridgeCalls.length);
  });
});

describe('a text from a page', () => {
  it('is a call', () => {
    expect(decodePageMessage('{"type":"call","id":1,"name":"health","args":{}}')).toEqual({
      ok: true,
      call: { id: 1, name: 'health', args: {} },
    });
  });

  it.each([
    ['nothing', ''],
    ['a field twice', '{"type":"call","id":1,"id":2,"name":"health","args":{}}'],
    ['half a message', '{"type":"call"'],
    ['a number', '7'],
    ['no id', '{"type":"call","name":"health","args":{}}'],
    ['a fraction as id', '{"type":"call","id":1.5,"name":"health","args":{}}'],
    ['an unknown call', '{"type":"call","id":1,"name":"constructor","args":{}}'],
    ['an unknown field', '{"type":"call","id":1,"name":"health","args":{},"x":1}'],
    ['another type', '{"type":"state","id":1,"name":"health","args":{}}'],
    ['too long', `{"x":"${'x'.repeat(pageMessageLimit)}"}`],
  ])('is refused: %s', (_name, text) => {
    expect(decodePageMessage(text).ok).toBe(false);
  });
});
