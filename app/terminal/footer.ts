import { holdsFor } from '../../shared/engine/index.ts';
import type { GrantDuration } from '../../shared/engine/index.ts';
import { choicesOf } from '../bridge/answering.ts';
import { armedFrom, confirmWord } from '../bridge/arming.ts';
import { captionOf, keyBindings } from '../bridge/keys.ts';
import type { KeyAction } from '../bridge/keys.ts';
import { piece, wrap } from './line.ts';
import type { Line, Look } from './line.ts';
import { safeLine } from './prompt-text.ts';
import { chosen, shownAsk } from './screen-state.ts';
import type { ScreenState } from './screen-state.ts';

/** Durations in words, for what is remembered. */
const durationWords: Readonly<Record<GrantDuration, string>> = {
  once: 'once',
  '15-minutes': 'for 15 minutes',
  session: 'for this session',
  'until-restart': 'until restart',
  always: 'always',
};

/** The rows below the prompt: what is typed, the last message, what would be remembered, the keys. */
export function footer(state: ScreenState, width: number, now: number): readonly Line[] {
  const lines: Line[] = [];
  const say = (text: string, look: Look = 'plain'): void => {
    lines.push(...wrap([piece(text, look)], { width, words: true }));
  };
  const { focus, message, note } = state;
  if (message !== null) say(safeLine(message.text), message.tone);
  if (note !== '' && focus.kind === 'queue') say(`note: ${safeLine(note)}`);
  if (focus.kind === 'queue') return [...lines, ...keyLines(state, width, now)];
  switch (focus.kind) {
    case 'note':
      say(`Note to the agent: ${safeLine(focus.text)}▏`, 'strong');
      say('Enter keeps it · Esc leaves', 'faint');
      break;
    case 'confirm':
      say(
        `High risk. Type "${confirmWord}" and Enter to allow: ${safeLine(focus.text)}▏`,
        'danger',
      );
      say('Esc leaves, nothing is sent', 'faint');
      break;
    case 'gone':
      say('What you type goes nowhere. Enter goes on', 'strong');
      break;
    case 'lockout':
      say('Lock everything out? Running commands are stopped, every request refused.', 'danger');
      say('y locks · any other key leaves', 'strong');
      break;
    case 'group':
      if (focus.typed === null)
        say(
          focus.allowTogether
            ? 'd denies them all · a allows them all · Space further · Esc leaves'
            : 'd denies them all · Space further · Esc leaves',
          'strong',
        );
      else {
        say(`Type "${confirmWord}" and Enter to allow them all: ${focus.typed}▏`, 'danger');
        say('Esc leaves, nothing is sent', 'faint');
      }
      break;
    case 'raised':
      say('A number ends that one · any other key goes back', 'faint');
      break;
    case 'missed':
    case 'history':
      say('Space further · any other key goes back', 'faint');
      break;
    case 'help':
      say('Any key goes back', 'faint');
      break;
  }
  return lines;
}

function keyLines(state: ScreenState, width: number, now: number): readonly Line[] {
  const shown = shownAsk(state);
  const general = [
    hint('h', 'history'),
    hint('m', 'missed'),
    hint('L', 'lockout'),
    hint('?', 'help'),
  ];
  if (shown === null) return flow(general, width);
  const choices = choicesOf(shown);
  const armed = now >= armedFrom(state, state.app?.pace);
  const wanted = chosen(state);
  const proposal = choices.proposals.find(({ id }) => id === wanted.proposalId);
  const rows: Line[] = [];
  if (proposal !== undefined && wanted.duration !== undefined && wanted.duration !== 'once') {
    const sentence = `A, ${durationWords[wanted.duration]}: ${safeLine(proposal.sentence)} ${safeLine(holdsFor(shown.ask.agent, wanted.duration, wanted.everyAgent === true))}`;
    rows.push(...wrap([piece(sentence, 'faint')], { width, indent: '  ', words: true }));
  }
  if (choices.never !== null) {
    const sentence = `${captionOf('never')}: ${safeLine(choices.never.sentence)}`;
    rows.push(...wrap([piece(sentence, 'faint')], { width, indent: '  ', words: true }));
  }
  const waiting = (state.app?.queue.length ?? 0) > 1;
  const hints: Line[] = [
    hint(captionOf('deny'), 'deny', 'strong'),
    ...(choices.never === null
      ? []
      : [hint(captionOf('never'), 'never', armed ? 'plain' : 'faint')]),
    hint(
      captionOf('allow-once'),
      choices.stepUp ? 'allow…' : 'allow once',
      armed ? 'strong' : 'faint',
    ),
    ...(choices.remember
      ? [
          hint(captionOf('remember'), 'remember', armed ? 'plain' : 'faint'),
          hint(choices.durations.map((one) => captionOf('duration', one)).join(''), 'how long'),
        ]
      : []),
    ...(choices.proposals.length > 1 ? [hint('Tab', 'how wide')] : []),
    ...(choices.everyAgent ? [hint(captionOf('everyone'), 'for whom')] : []),
    hint(captionOf('note'), 'note'),
    ...(waiting ? [hint('j/k', 'next'), hint('g', 'like it')] : []),
    ...general,
  ];
  return [...rows, ...flow(hints, width)];
}

function hint(key: string, word: string, look: Look = 'plain'): Line {
  return [piece(key, look === 'faint' ? 'faint' : 'bar'), piece(` ${word}`, look)];
}

/** Hints side by side, as many to a row as fit. */
function flow(hints: readonly Line[], width: number): Line[] {
  const rows: Line[] = [];
  let row: Line = [];
  let used = 0;
  for (const one of hints) {
    const columns = one.reduce((sum, { text }) => sum + text.length, 0);
    if (used > 0 && used + 2 + columns > width) {
      rows.push(row);
      row = [];
      used = 0;
    }
    row = used === 0 ? one : [...row, piece('  '), ...one];
    used += columns + (used === 0 ? 0 : 2);
  }
  return row.length === 0 ? rows : [...rows, row];
}

const words: Readonly<Record<Exclude<KeyAction['type'], 'duration'>, string>> = {
  deny: 'deny the ask in view',
  never: 'deny it and remember, where that is offered',
  'allow-once': 'allow it this once; a high risk asks for a word',
  remember: 'allow and remember, as wide and as long as the sentence says',
  widen: 'how wide, as Tab',
  everyone: 'for the agent that asks, or for every agent',
  note: 'write a note that goes to the agent with the answer',
  next: 'next ask',
  previous: 'previous ask',
  lockout: 'lock everything out; asks first',
  help: 'this help',
};

const ofTheTerminal: readonly (readonly [string, string])[] = [
  ['g', 'list the asks like this one, and answer them together'],
  ['m', 'asks that were missed'],
  ['r', 'sessions that are raised for a while, and their end'],
  ['h', 'history'],
  ['Tab', 'how wide'],
  ['Space', 'further down'],
  ['PageUp', 'further up'],
  ['Ctrl-C', 'leave; asks then fall back as the policy says'],
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
