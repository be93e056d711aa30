import { describe, expect, it } from 'vitest';
import type { LineState, ParsedMessage } from '../../../shared/ipc/transport/line-parser.ts';
import { createLineParser } from '../../../shared/ipc/transport/line-parser.ts';
import { fakeClock } from '../../support/fake-clock.ts';

interface Fed {
  readonly messages: string[];
  readonly feed: (...chunks: (string | Uint8Array)[]) => void;
  readonly end: () => void;
  readonly drop: () => void;
}

function parserWith(maxBytes = 64, clock = fakeClock()): Fed & { clock: typeof clock } {
  const parser = createLineParser({ clock, maxBytes, partialFrameMs: 1_000 });
  const messages: string[] = [];
  const receive = (message: ParsedMessage): void => {
    messages.push(message.type === 'line' ? message.data : `fault ${message.data}`);
  };
  let state: LineState | '' = '';
  return {
    clock,
    messages,
    feed(...chunks) {
      for (const chunk of chunks) {
        const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : Buffer.from(chunk);
        state = parser.read(state, bytes.toString('latin1'), receive);
      }
    },
    end() {
      parser.finish(state, receive);
    },
    drop() {
      parser.drop(state);
    },
  };
}

describe('the line parser', () => {
  it.each<[string, (string | Uint8Array)[], string[]]>([
    ['one line', ['a\n'], ['a']],
    ['several in one chunk', ['a\nb\n\nc\n'], ['a', 'b', '', 'c']],
    ['one over many chunks', ['a', 'b', 'c\nd', '\n'], ['abc', 'd']],
    [
      'a character cut in two',
      [Buffer.from('é').subarray(0, 1), Buffer.from('é\n').subarray(1)],
      ['é'],
    ],
    ['a line of the longest length', ['x'.repeat(64), '\n'], ['x'.repeat(64)]],
    ['separators that are not newline', ['a\u2028b\rc\n'], ['a\u2028b\rc']],
    ['a line that is too long', [`ok\n${'x'.repeat(65)}\nlater\n`], ['ok', 'fault frame-too-long']],
    [
      'a long line in small pieces',
      Array.from({ length: 65 }, () => 'y'),
      ['fault frame-too-long'],
    ],
    ['length in bytes, not characters', [`${'é'.repeat(33)}\n`], ['fault frame-too-long']],
    [
      'bytes that are no UTF-8',
      [Uint8Array.of(0x61, 0xc3, 0x0a, 0x62, 0x0a)],
      ['fault invalid-utf8'],
    ],
    ['overlong UTF-8', [Uint8Array.of(0xc0, 0xaf, 0x0a)], ['fault invalid-utf8']],
    ['a surrogate in UTF-8', [Uint8Array.of(0xed, 0xa0, 0x80, 0x0a)], ['fault invalid-utf8']],
  ])('reads %s', (_what, chunks, expected) => {
    const { drop, feed, messages } = parserWith();
    feed(...chunks);
    expect(messages).toEqual(expected);
    drop();
  });

  it('says nothing more after a fault', () => {
    const { clock, end, feed, messages } = parserWith();
    feed('x'.repeat(70), '\n', 'good\n');
    end();
    expect(messages).toEqual(['fault frame-too-long']);
    expect(clock.pending).toBe(0);
  });

  it('gives a frame its time from its first byte, however slowly the rest drips', () => {
    const { clock, feed, messages } = parserWith();
    feed('a');
    clock.advance(600);
    feed('b');
    clock.advance(399);
    expect(messages).toEqual([]);
    clock.advance(1);
    expect(messages).toEqual(['fault partial-frame']);
  });

  it('gives each frame of a busy stream a time of its own', () => {
    const { clock, feed, messages } = parserWith();
    for (let index = 0; index < 5; index += 1) {
      feed('a');
      clock.advance(900);
      feed('b\nc');
      clock.advance(900);
      feed('\n');
    }
    expect(messages).toHaveLength(10);
    expect(clock.pending).toBe(0);
  });

  it('takes a last line without its newline when the stream ends', () => {
    const { clock, end, feed, messages } = parserWith();
    feed('{"type":"request"}');
    end();
    end();
    expect(messages).toEqual(['{"type":"request"}']);
    expect(clock.pending).toBe(0);
  });

  it('leaves no timer behind when the connection is gone', () => {
    const { clock, drop, feed, messages } = parserWith();
    feed('half');
    expect(clock.pending).toBe(1);
    drop();
    clock.advance(10_000);
    expect(clock.pending).toBe(0);
    expect(messages).toEqual([]);
  });

  it('yields the same lines however the bytes are cut', () => {
    const bytes = Buffer.from('{"a":"é𝛼"}\n{"b":2}\n\nlast\n');
    for (let size = 1; size <= bytes.length; size += 1) {
      const { feed, messages } = parserWith();
      for (let at = 0; at < bytes.length; at += size) feed(bytes.subarray(at, at + size));
      expect(messages).toEqual(['{"a":"é𝛼"}', '{"b":2}', '', 'last']);
    }
  });
});
