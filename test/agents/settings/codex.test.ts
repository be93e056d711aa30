import { expect, test } from 'vitest';
import { codexHash, codexTrust } from '../../../shared/agents/codex/config.ts';
import { readCodexConfig } from '../../../shared/agents/codex/config.ts';
import type { HookPlace } from '../../../shared/agents/hook-entries.ts';

function hook(event: string, fields: object, entry: object = {}): HookPlace {
  return { event, index: 1, handler: 0, alone: true, command: {}, fields, entry } as HookPlace;
}

// Recorded from `hooks/list` of codex-cli 0.169.0.
test.each([
  [
    hook('PreToolUse', { type: 'command', command: '/bin/ls', timeout: 9 }, { matcher: '*' }),
    '552bde705a9391b43a20ade818fa2e6e3070609521e468c9ef43a0613220d266',
  ],
  [
    hook('PreToolUse', { type: 'command', command: '/bin/false' }),
    '13ae49603e941d6a69213af1f3c8442be2b8172b280a4955d2c68c0f2e50253b',
  ],
  [
    hook('PreToolUse', { type: 'command', command: 'x', statusMessage: 'x' }),
    'a4e944b59de2e9d098e05fd3dfb89eb5794c44fce6e92c88bb05bbd70cf14535',
  ],
  [
    hook('UserPromptSubmit', { type: 'command', command: '/usr/bin/true', timeout: 10 }),
    '3072630b1fc66f4e3d1d8d46b58cc1e85cf74cbbd5d82dc97eba7aadd3f38a9a',
  ],
  [
    hook('SessionEnd', { type: 'command', command: 'true', timeout: 1 }),
    '3a77f6214a1fc904ec3c34db73f74db5d254ba7cfe462739bd9d37a130a2839f',
  ],
])('the hash of a hook is the one that Codex shows', (one, hash) => {
  expect(codexHash(one)).toBe(`sha256:${hash}`);
});

const listed = hook('PreToolUse', { command: '/bin/ls', timeout: 9 }, { matcher: '*' });

test.each([
  ['', 'untrusted'],
  [`trusted_hash = "${codexHash(listed)}"`, 'trusted'],
  ['trusted_hash = "sha256:00"', 'changed'],
  [`enabled = false\ntrusted_hash = "${codexHash(listed)}"`, 'off'],
])('a state of %j is %s', (state, trust) => {
  const config = readCodexConfig(`[hooks.state."/h/hooks.json:pre_tool_use:1:0"]\n${state}\n`);
  expect(config && codexTrust(listed, config, ['/other', '/h/hooks.json'])).toBe(trust);
});

test('what is not TOML is not guessed at', () => {
  expect(readCodexConfig('sandbox_mode = ')).toBeNull();
});
