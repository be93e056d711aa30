import { describe, expect, it } from 'vitest';
import { TerminalFilter } from '../../../../runner/cli/box/terminal-filter.ts';
import { seeded } from '../../../fuzz/random.ts';

function shown(text: string): string {
  return new TerminalFilter().take(Buffer.from(text)).toString();
}

function leftBy(text: string): string {
  const filter = new TerminalFilter();
  filter.take(Buffer.from(text));
  return filter.end();
}

describe('what a box draws at a terminal', () => {
  it.each([
    'plain text\r\n\tand a bell \x07\b',
    'größer, 日本語, 🚀, e\u0301',
    '\x1b[1;31mred\x1b[0m \x1b[38;5;12mblue\x1b[38:2::1:2:3m',
    '\x1b[2J\x1b[H\x1b[10;20Hx\x1b[K\x1b[?J',
    '\x1b[?1049h\x1b[?25l\x1b[?2004h\x1b[?1006;1002h',
    '\x1b7\x1b8\x1bM\x1b=\x1b(0lqk\x1b(B\x0e\x0f',
    '\x1b[4 q\x1b[3;20r\x1b[5S\x1b[>4;1m\x1b[c\x1b[>c\x1b[6n',
  ])('is shown as it is: %j', (text) => {
    expect(shown(text)).toBe(text);
  });
});

describe('what would reach beyond the screen', () => {
  it.each([
    ['sets the clipboard', '\x1b]52;c;cm0gLXJmIC8=\x07'],
    ['asks for the clipboard', '\x1b]52;c;?\x1b\\'],
    ['sets the title', '\x1b]0;root@host\x07'],
    ['sets the title as screen does', '\x1bkroot@host\x1b\\'],
    ['has the title typed', '\x1b[21t'],
    ['changes the window', '\x1b[8;10;10t'],
    ['sets a color', '\x1b]11;#000\x07'],
    ['begins a link', '\x1b]8;;https://example.com\x1b\\'],
    ['shows a notice', '\x1b]777;notify;a;b\x07'],
    ['prints', '\x1b[5i'],
    ['prints the screen', '\x1b[?5i'],
    ['asks what a mode is', '\x1b[?1049$p'],
    ['reads the screen', '\x1b[1;1;1;1;10;10*y'],
    ['asks for settings', '\x1bP$qm\x1b\\'],
    ['defines keys', '\x1bP1;1|17/726d\x1b\\'],
    ['sends to the terminal outside of tmux', '\x1bPtmux;\x1b\x1b]52;c;eA==\x07\x1b\\'],
    ['names an answer', '\x05'],
    ['puts everything back', '\x1bc'],
    ['says who it is', '\x1bZ'],
    ['changes the characters of a page', '\x1b%@'],
    ['sets modes that nobody knows', '\x1b[?3;1042;8452h'],
    ['sets the keyboard up otherwise', '\x1b[>1u'],
    ['is a message to the program', '\x1b_Ga=T\x1b\\'],
    ['is a control character of two bytes', '\u009b5i'.slice(0, 1)],
  ])('is left out: what %s', (_what, text) => {
    expect(shown(`a${text}b`)).toBe('ab');
  });

  it('is left out where bytes stand for it in a longer form, or by themselves', () => {
    const bytes = [0x61, 0x9b, 0xe0, 0x82, 0x9b, 0xf0, 0x80, 0x82, 0x9b, 0xc1, 0x9b, 0xff, 0x62];
    expect(new TerminalFilter().take(Buffer.from(bytes)).toString()).toBe('ab');
  });

  it('is left out however it is cut', () => {
    const text = 'a\x1b]52;c;cm0=\x1b\\b\x1b[21tc日d\x1b[1me\x1b[m';
    for (let at = 0; at < Buffer.from(text).length; at++) {
      const filter = new TerminalFilter();
      const whole = Buffer.from(text);
      const parts = [filter.take(whole.subarray(0, at)), filter.take(whole.subarray(at))];
      expect(Buffer.concat(parts).toString()).toBe('abc日d\x1b[1me\x1b[m');
    }
  });

  it('keeps those modes of several that only draw', () => {
    expect(shown('\x1b[?1042;25;9;1049l')).toBe('\x1b[?25;1049l');
  });

  it('never comes through, whatever bytes are given', () => {
    const random = seeded(7);
    const likely = [0x1b, 0x5b, 0x5d, 0x50, 0x3f, 0x3b, 0x24, 0x20, 0x74, 0x63, 0x9b, 0xc2, 0xe0];
    for (let round = 0; round < 2_000; round++) {
      const bytes = Uint8Array.from({ length: 60 }, () =>
        random.chance(60) ? random.pick(likely) : random.below(256),
      );
      const out = new TerminalFilter().take(bytes);
      // Taken again, nothing more is left out: what came through is all drawing.
      expect(new TerminalFilter().take(out)).toEqual(out);
      const readable = out.toString().replaceAll('\x1b', '␛');
      expect(readable).not.toMatch(/␛[\]PX^_kcZ%#]|␛\[[^@-~]*[itpxyz]|[\u0080-\u009f\ufffd]/u);
    }
  });
});

describe('a terminal that a box leaves', () => {
  it('is as it was: screen, mouse, pasting, cursor, colors, margins, keypad and characters', () => {
    expect(
      leftBy('\x1b[?1049h\x1b[?1002;1006h\x1b[?2004h\x1b[?25l\x1b[31m\x1b[2;5r\x1b=\x1b(0\x0e'),
    ).toBe(
      '\x1b[?1049l\x1b[?1002l\x1b[?1006l\x1b[?2004l\x1b[?25h\x1b[m\x1b7\x1b[r\x1b8\x1b>\x1b(B\x0f',
    );
  });

  it('is not touched where the box has put it back itself, or changed nothing', () => {
    expect(leftBy('\x1b[?1049h\x1b[?25l text \x1b[?25h\x1b[?1049l')).toBe('');
    expect(leftBy('text\n')).toBe('');
  });
});
