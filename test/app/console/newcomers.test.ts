import { EventEmitter } from 'node:events';
import { describe, expect, it } from 'vitest';
import { createNewcomers } from '../../../app/console/newcomers.ts';
import { fakeClock } from '../../support/fake-clock.ts';

let ports = 0;
function socketFrom(remoteAddress: string) {
  const events = new EventEmitter();
  ports += 1;
  const end = {
    remoteAddress,
    remotePort: ports,
    localAddress: 'fe80::1',
    localPort: 7443,
    isCut: false,
    once: (name: string, then: () => void) => events.once(name, then),
    destroy: () => {
      end.isCut = true;
      events.emit('close');
    },
  };
  return end;
}
type End = ReturnType<typeof socketFrom>;

function room(most: number, rate?: { readonly burst: number; readonly perSecond: number }) {
  const clock = fakeClock();
  const all = createNewcomers({ clock, most, ...(rate !== undefined && { rate }) });
  const from = (address: string): End => {
    const end = socketFrom(address);
    all.admit(end as never);
    return end;
  };
  return { all, clock, from };
}

describe('connections that have shown nothing', () => {
  it('go oldest first where each comes from an address of its own, as of an IPv6 neighbour', () => {
    const { from } = room(4);
    const ends = Array.from({ length: 6 }, (_none, at) => from(`fe80::${at + 2}`));
    expect(ends.map(({ isCut }) => isCut)).toEqual([true, true, false, false, false, false]);
  });

  it('go first of the address that has the most', () => {
    const { from } = room(4);
    const phone = from('192.168.1.7');
    const many = Array.from({ length: 9 }, () => from('192.168.1.66'));
    expect(phone.isCut).toBe(false);
    expect(many.filter(({ isCut }) => !isCut)).toHaveLength(3);
  });

  it('take no room of an address where a device has shown itself, and it has no more than its own', () => {
    const { from, all, clock } = room(4, { burst: 4, perSecond: 1 });
    all.know('192.168.1.7');
    const own = Array.from({ length: 8 }, () => from('192.168.1.7'));
    for (let at = 0; at < 20; at += 1) from(`fe80::${at + 2}`);
    expect(own.some(({ isCut }) => isCut)).toBe(false);
    expect(from('192.168.1.7').isCut).toBe(true);
    own[0]?.destroy();
    expect(from('192.168.1.7').isCut).toBe(false);
    expect(from('192.168.1.8').isCut).toBe(true);
    clock.advance(1_000);
    expect(from('192.168.1.8').isCut).toBe(false);
  });

  it('give their place back, and one that holds a page is none of them', () => {
    const { from, all } = room(2);
    const held = from('fe80::2');
    all.keep(held);
    const closed = from('fe80::3');
    closed.destroy();
    const [one, other] = [from('fe80::4'), from('fe80::5')];
    expect([held.isCut, one.isCut, other.isCut]).toEqual([false, false, false]);
    from('fe80::6');
    expect([held.isCut, one.isCut, other.isCut]).toEqual([false, true, false]);
  });
});
