import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { refusalOf } from '../../../shared/base/index.ts';
import { ownUid } from '../../../shared/home/index.ts';
import { isSameNode, resolveNode, whyMisnamed } from '../../../runner/nodes/binding.ts';
import type { NamedNode } from '../../../runner/nodes/binding.ts';
import { newDevice } from '../../../runner/nodes/device.ts';
import type { PairingOffer } from '../../../runner/nodes/handshake.ts';
import { createPairingDesk } from '../../../runner/nodes/pairing-desk.ts';
import { openRegistry } from '../../../runner/nodes/registry.ts';
import { Rejection } from '../../../runner/nodes/talk.ts';
import { fakeClock } from '../../support/fake-clock.ts';
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

  it('means a display name before the beginning of an id, as it is resolved in one order', () => {
    const short = { ...sly, displayName: 'aabbcc33' };
    expect(resolveNode([build, short], 'aabbcc33')).toBe(short);
  });

  it('means the machine at an address where it is one, whatever another is called', () => {
    expect(resolveNode([mac, slier], '10.0.0.7')).toBe(mac);
    expect(refusalFor(() => resolveNode([slier], '10.0.0.7'))).toContain('host-unavailable');
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

describe('the display name of a machine that is paired', () => {
  const six = { id: 'ddee01', displayName: 'lab', remoteAddress: 'fe80::1' };
  const paired = [mac, build, six];
  const newcomer = { id: '99887766', displayName: 'shed', remoteAddress: '10.0.0.9' };

  it.each([
    ['aabbcc001122', 'beginning of the id'],
    ['AABBCC', 'beginning of the id'],
    ['aabbcc33-', 'beginning of the id'],
    ['ａａｂｂｃｃ', 'beginning of the id'],
    ['DDEE01', 'beginning of the id'],
    ['fe80 1', 'the address of'],
    ['10.0.0.7', 'reads as an address'],
    ['10.9.9.9', 'reads as an address'],
    ['10-0-0-8', 'reads as an address'],
    ['１０。0。0。7', 'reads as an address'],
    ['::ffff:10.0.0.8', 'reads as an address'],
    ['[fe80::2]', 'reads as an address'],
  ])('may not read as another machine, or as an address: %s', (displayName, why) => {
    expect(whyMisnamed({ ...newcomer, displayName }, paired)).toContain(why);
  });

  it.each(['shed', 'aabbc', 'aabbcd', 'build-2', '10.0.0', 'facade', '99887766', '🙂', 'lab'])(
    'may be all else: %s',
    (displayName) => {
      expect(whyMisnamed({ ...newcomer, displayName }, paired)).toBeNull();
    },
  );

  it('may stay what it is where the same machine is paired anew', () => {
    expect(whyMisnamed({ ...mac, displayName: 'aabbcc' }, [mac])).toBeNull();
  });

  it('is not read out of the id or the address of a machine that comes later', () => {
    const named = { id: '11223344', displayName: 'c0ffee', remoteAddress: null };
    const later = { id: 'c0ffee99', displayName: 'kitchen', remoteAddress: 'fe80::2' };
    expect(whyMisnamed(later, [named])).toContain('"kitchen" and "c0ffee" cannot be told apart');
    expect(whyMisnamed(later, [{ ...named, displayName: 'FE80-2' }])).toContain('address');
  });

  it('leaves what it is called to mean it alone, and each other name what it meant', () => {
    const hex = (minLength: number) =>
      fc.string({ unit: fc.constantFrom('a', 'b', '1'), minLength, maxLength: 8 });
    const address = fc.constantFrom('1.1.1.1', '::ffff:1.1.1.1', 'ab::1', '1:b::a', null);
    const display = fc.oneof(hex(6), fc.constantFrom('ab 1', 'AB--1', '1-b-a', '1.1.1.1', 'shed'));
    const machine = fc.record({ id: hex(8), displayName: display, remoteAddress: address });
    const meant = (nodes: readonly NamedNode[], name: string): string | null => {
      try {
        return resolveNode(nodes, name).id;
      } catch {
        return null;
      }
    };
    const isFit = (nodes: readonly NamedNode[]): boolean =>
      new Set(nodes.map(({ id }) => id)).size === nodes.length;
    fc.assert(
      fc.property(fc.array(machine, { minLength: 1, maxLength: 3 }), machine, (had, next) => {
        fc.pre(isFit([...had, next]) && whyMisnamed(next, had) === null);
        for (const { id, remoteAddress } of had)
          for (const name of [id, id.slice(0, 6), remoteAddress ?? id])
            expect([meant(had, name), null]).toContain(meant([...had, next], name));
      }),
      { seed: 20_261_128, numRuns: 1_000 },
    );
  });
});

describe('the desk where machines wait to be paired', () => {
  const offerOf = (code: string): PairingOffer => {
    const { id, publicKey: key } = newDevice().device;
    return { id, key, displayName: 'build', code, version: '1', policyHash: null };
  };
  const seat = () => {
    const clock = fakeClock();
    const folder = mkdtempSync(join(tmpdir(), 'interlock-nodes-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const registry = openRegistry({ path: join(folder, 'nodes.json'), uid: ownUid() });
    const desk = createPairingDesk({
      clock,
      newToken: () => 'T'.repeat(43),
      registry,
    });
    const offer = async (one: PairingOffer, address = '10.0.0.7', gone = new AbortController()) =>
      desk.offer(one, { address, gone: gone.signal }).catch((error: unknown) => {
        if (error instanceof Rejection) return error.code;
        throw error;
      });
    return { clock, registry, desk, offer };
  };

  it('lets in the one whose code was compared, however it is typed, and nobody else', async () => {
    const { desk, registry, offer } = seat();
    const [one, other] = [offerOf('7KQ2-M0XD'), offerOf('0000-0001')];
    const token = offer(one);
    const waiting = offer(other);
    expect(refusalFor(() => desk.approve('7KQ2-M0XE'))).toContain('invalid-request');
    expect(desk.approve('7kq2mOxd').id).toBe(one.id);
    expect(await token).toBe('T'.repeat(43));
    expect(registry.list().map(({ id }) => id)).toEqual([one.id]);
    desk.decline('0000-0001');
    expect(await waiting).toBe('declined');
    expect(desk.list()).toEqual([]);
    expect(refusalFor(() => desk.approve('7KQ2-M0XD'))).toContain('invalid-request');
  });

  it('has one seat for a machine, few for an address and an end for all', async () => {
    const { desk, offer, clock } = seat();
    const first = offerOf('0000-0001');
    const replaced = offer(first);
    const second = offer({ ...first, code: '0000-0002' });
    expect(await replaced).toBe('declined');
    const third = offer(offerOf('0000-0003'));
    expect(await offer(offerOf('0000-0004'))).toBe('busy');
    const others = Array.from({ length: 6 }, async (_, n) =>
      offer(offerOf(`0000-001${n}`), `10.0.1.${n}`),
    );
    expect(await offer(offerOf('0000-0005'), '10.0.2.1')).toBe('busy');
    expect(desk.list()).toHaveLength(8);
    clock.advance(600_000);
    expect(await Promise.all([second, third, ...others])).toEqual(
      Array.from({ length: 8 }, () => 'declined'),
    );
  });

  it('sends a machine away whose name would be taken for another, when it comes or when it is approved', async () => {
    const { desk, registry, offer } = seat();
    const first = offerOf('0000-0001');
    const taken = { ...offerOf('0000-0002'), displayName: first.id.slice(0, 8) };
    const [one, other] = [offer(first), offer(taken)];
    desk.approve('0000-0001');
    await one;
    expect(refusalFor(() => desk.approve('0000-0002'))).toContain('invalid-request');
    expect(await other).toBe('declined');
    expect(await offer({ ...taken, code: '0000-0003' })).toBe('declined');
    expect(await offer({ ...offerOf('0000-0004'), displayName: '10.0.0.7' })).toBe('declined');
    expect(desk.list()).toEqual([]);
    registry.remove(first.id);
    void offer({ ...taken, code: '0000-0005' });
    expect(desk.approve('0000-0005').displayName).toBe(taken.displayName);
  });

  it('forgets who went away', async () => {
    const { desk, offer } = seat();
    const gone = new AbortController();
    const waiting = offer(offerOf('0000-0001'), '10.0.0.7', gone);
    gone.abort();
    expect(await waiting).toBe('lost');
    expect(desk.list()).toEqual([]);
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
