import { describe, expect, it } from 'vitest';
import { createKeyDecoder } from '../../../app/terminal/key-decoder.ts';
import type { TerminalInput } from '../../../app/terminal/key-decoder.ts';
import { fakeClock } from '../../support/fake-clock.ts';

function open() {
  const clock = fakeClock();
  const inputs: TerminalInput[] = [];
  const decode = createKeyDecoder(clock, (input) => inputs.push(input));
  const type = (...chunks: (string | Uint8Array)[]): void => {
    for (const chunk of chunks) decode(typeof chunk === 'string' ? Buffer.from(chunk) : chunk);
  };
  return { clock, inputs, type };
}

const key = (name: string, flags: object = {}): TerminalInput => ({
  type: 'key',
  press: { key: name, ...flags },
});

const single: readonly (readonly [string, string, TerminalInput])[] = [
  ['a letter', 'a', key('a')],
  ['a capital letter', 'A', key('A')],
  ['a letter of two bytes', 'é', key('é')],
  ['return', '\r', key('Enter')],
  ['tab', '\t', key('Tab')],
  ['backspace', '\u007F', key('Backspace')],
  ['control and c', '\u0003', key('c', { ctrlKey: true })],
  ['an arrow', '\u001B[B', key('ArrowDown')],
  ['an arrow in application mode', '\u001BOA', key('ArrowUp')],
  ['page down', '\u001B[6~', key('PageDown')],
  ['alt and a', '\u001Ba', key('a', { altKey: true })],
  ['focus gained', '\u001B[I', { type: 'focus', focused: true }],
];

describe('the keys of a terminal', () => {
  it.each(single)('are read: %s', (_name, bytes, input) => {
    const { inputs, type } = open();
    type(bytes);
    expect(inputs).toEqual([input]);
  });

  it('are read when the network tears them apart', () => {
    const { inputs, type } = open();
    type('\u001B', '[', 'A', Buffer.from([0xc3]), Buffer.from([0xa9]));
    expect(inputs).toEqual([key('ArrowUp'), key('é')]);
  });

  it('are an escape only when nothing follows', () => {
    const { clock, inputs, type } = open();
    type('\u001B');
    expect(inputs).toEqual([]);
    clock.advance(60);
    expect(inputs).toEqual([key('Escape')]);
  });

  it('answer nothing when many come at once', () => {
    const { inputs, type } = open();
    type('ya');
    expect(inputs).toEqual([key('y', { repeat: true }), key('a', { repeat: true })]);
  });

  it('that no terminal sends are dropped whole', () => {
    const { inputs, type } = open();
    type('\u001B[99;5X');
    expect(inputs).toEqual([]);
  });
});

describe('pasted text', () => {
  it('comes as one paste, never as keys', () => {
    const { inputs, type } = open();
    type('\u001B[200~a\u001B[Ad\r\u001B[201~j');
    expect(inputs[0]).toEqual({ type: 'paste', text: 'a\u001B[Ad\r' });
    expect(inputs).toHaveLength(2);
  });

  it('comes whole when its marks are torn apart', () => {
    const { inputs, type } = open();
    type('\u001B[20', '0~yes', '\u001B[2', '01~');
    expect(inputs).toEqual([{ type: 'paste', text: 'yes' }]);
  });

  it('does not end by a lone escape inside', () => {
    const { clock, inputs, type } = open();
    type('\u001B[200~x\u001B');
    clock.advance(1_000);
    type('y\u001B[201~');
    expect(inputs).toEqual([{ type: 'paste', text: 'x\u001By' }]);
  });
});
