import type { GrantDuration } from '../../shared/ask/types.ts';
import { keyBindings } from '../bridge/keys.ts';
import type { KeyAction } from '../bridge/keys.ts';
import { durationWords } from './footer.ts';
import { piece, wrap } from './line.ts';
import type { Line } from './line.ts';

const words: Readonly<Record<Exclude<KeyAction['type'], 'duration'>, string>> = {
  deny: 'deny the request in view',
  'allow-once': 'allow it this once; a high risk asks for a word',
  remember: 'allow it and remember the answer',
  note: 'write a note that goes to the agent with the answer',
  next: 'next request',
  previous: 'previous request',
  lockout: 'lock everything out; asks first',
  help: 'this help',
};

const ofTheTerminal: readonly (readonly [string, string])[] = [
  ['g', 'list the requests like this one, and answer them together'],
  ['m', 'requests that were missed'],
  ['h', 'history'],
  ['Tab', 'how wide "remember" is'],
  ['Space', 'further down'],
  ['PageUp', 'further up'],
  ['Ctrl-C', 'leave; requests then fall back as the policy says'],
];

/** All keys, one to a paragraph. */
export function helpText(width: number): readonly Line[] {
  const rows = keyBindings.map(({ action, keys }): readonly [string, string] => [
    keys.map((key) => (key === 'Escape' ? 'Esc' : key.replace('Arrow', ''))).join(' '),
    action.type === 'duration' ? durationText(action.duration) : words[action.type],
  ]);
  return [
    [piece('Keys', 'strong')],
    ...[...rows, ...ofTheTerminal].flatMap(([keys, meaning]) =>
      wrap([piece(keys.padEnd(10), 'strong'), piece(meaning)], {
        width,
        indent: ' '.repeat(10),
        words: true,
      }),
    ),
  ];
}

function durationText(duration: GrantDuration): string {
  return duration === 'once' ? 'remember nothing' : `remember ${durationWords[duration]}`;
}
