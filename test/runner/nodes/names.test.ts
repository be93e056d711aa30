import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { refusalOf } from '../../../shared/base/index.ts';
import { isSameNode, resolveNode } from '../../../runner/nodes/binding.ts';
import { commitmentTo, pairingCode } from '../../../runner/nodes/pairing.ts';
import type { PairingTranscript } from '../../../runner/nodes/pairing.ts';

const mac = { id: 'aabbcc001122', displayName: "Ana's Mac-Mini", remoteAddress: '10.0.0.7' };
const build = { id: 'aabbcc334455', displayName: 'build', remoteAddress: '::ffff:10.0.0.8' };
/** Called like the id of another, and like the address of a third. */
const sly = { id: 'ddeeff667788', displayName: 'aabbcc001122', remoteAddress: null };
const slier = { id: 'ddeeff990011', displayName: '10.0.0.7', remoteAddress: null };

function refusalFor(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    const refusal = refusalOf(error);
    if (refusal !== undefined) return `${refusal.code}: ${refusal.message} ${refusal.hint}`;
    throw error;
  }
  return 'nothing was refused';
}

describe('the name of a node', () => {
  it.each([
    ['aabbcc334455', build],
    ['ana s mac mini', mac],
    ['BUILD', build],
    ['10.0.0.8', build],
    ['aabbcc33', build],
    ['AABBCC0', mac],
  ])('%s means one', (name, node) => {
    expect(resolveNode([mac, build], name)).toBe(node);
  });

  it('means an id before a display name that says the same', () => {
    expect(resolveNode([sly, mac], mac.id)).toBe(mac);
  });

  it('means a display name before an address, as it is resolved in one order', () => {
    expect(resolveNode([mac, slier], '10.0.0.7')).toBe(slier);
  });

  it.each(['aabbc', 'aabbcc', '', '--', 'nobody', '10.0.0.9'])(
    'is refused where it means none or several: "%s"',
    (name) => {
      expect(refusalFor(() => resolveNode([mac, build], name))).toContain('host-unavailable');
    },
  );

  it('lists whom it could mean', () => {
    const twin = { ...build, id: 'bbbbbb000000', displayName: 'Build' };
    expect(refusalFor(() => resolveNode([mac, build, twin], 'build'))).toContain(
      'build (aabbcc334455), Build (bbbbbb000000)',
    );
  });

  it('may be left out where there is a single node, and only there', () => {
    expect(resolveNode([mac], null)).toBe(mac);
    expect(refusalFor(() => resolveNode([mac, build], null))).toContain('host-unavailable');
    expect(refusalFor(() => resolveNode([], null))).toContain('Pair a machine first');
  });

  it('is the same as another only where both mean one node', () => {
    expect(isSameNode([mac, build], 'build', 'aabbcc33')).toBe(true);
    expect(isSameNode([mac, build], 'build', 'aabbcc00')).toBe(false);
    expect(isSameNode([mac, build], 'nobody', 'nobody')).toBe(false);
  });
});

describe('the code of a pairing', () => {
  const transcript: PairingTranscript = {
    nodeKey: randomBytes(32),
    gatewayKey: randomBytes(32),
    certificate: randomBytes(32),
    nodeNonce: randomBytes(32),
    gatewayNonce: randomBytes(32),
  };
  const code = pairingCode(transcript, commitmentTo(transcript));

  it('is the same on both sides, and can be read aloud', () => {
    expect(pairingCode({ ...transcript }, commitmentTo(transcript))).toBe(code);
    expect(code).toMatch(/^[0-9A-HJKMNP-TV-Z]{4}-[0-9A-HJKMNP-TV-Z]{4}$/);
  });

  it('stays what it is from one version to the next', () => {
    const part = (byte: number): Uint8Array => new Uint8Array(32).fill(byte);
    const fixed: PairingTranscript = {
      nodeKey: part(1),
      gatewayKey: part(2),
      certificate: part(3),
      nodeNonce: part(4),
      gatewayNonce: part(5),
    };
    expect(pairingCode(fixed, commitmentTo(fixed))).toMatchInlineSnapshot(`"9WCA-HJD5"`);
  });

  it.each(['gatewayKey', 'certificate', 'gatewayNonce'] as const)(
    'is another one with another %s',
    (part) => {
      const changed = { ...transcript, [part]: randomBytes(32) };
      expect(pairingCode(changed, commitmentTo(changed))).not.toBe(code);
    },
  );

  it.each(['nodeKey', 'nodeNonce'] as const)(
    'is not made where the %s is not the one committed to',
    (part) => {
      const changed = { ...transcript, [part]: randomBytes(32) };
      expect(refusalFor(() => pairingCode(changed, commitmentTo(transcript)))).toContain(
        'than it committed to',
      );
    },
  );

  it('is not made of a commitment or a part of another length', () => {
    const commitment = commitmentTo(transcript);
    expect(refusalFor(() => pairingCode(transcript, commitment.subarray(1)))).toContain(
      'committed',
    );
    const cut = { ...transcript, gatewayKey: transcript.gatewayKey.subarray(1) };
    expect(refusalFor(() => pairingCode(cut, commitment))).toContain('32 bytes');
  });
});
