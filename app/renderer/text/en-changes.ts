import { plural } from './format.ts';

/** What a command changed, and what became of taking it back. */
export const changes = {
  title: 'What it changed',
  planted: (n: number) => plural(n, '1 file runs later', `${n} files run later`),
  plantedText:
    'These files steer or start something on this machine later, outside of the sandbox. Look at them first:',
  notesText: 'Not taken over from the sandbox, or moved aside:',
  notes: (n: number) => plural(n, '1 thing kept back', `${n} things kept back`),
  nothingKept: 'Nothing of it can be taken back.',
  changed: (n: number) => plural(n, '1 change', `${n} changes`),
  looking: 'Looking at what changed',
  what: { added: 'Added', changed: 'Changed', removed: 'Removed' },
  takeBack: 'Take back',
  takeAllBack: 'Take all back',
  bringAgain: 'Put it back',
  notKept: 'Not kept',
  shared: 'Another command ran at that time: it was one of them.',
  cutOff: 'The runner ended before this command did: later changes may be among these.',
  more: (n: number) => plural(n, 'And 1 more.', `And ${n} more.`),
  left: (n: number) => plural(n, '1 path was left as it is.', `${n} paths were left as they are.`),
  results: {
    'taken-back': 'Taken back',
    already: 'Already as it was',
    newer: 'Left: it was changed again since',
    'not-kept': 'Left: its content is not kept',
    damaged: 'Left: what was kept is damaged',
    unsafe: 'Left: its folder is gone, or was exchanged',
    failed: 'Left: it could not be written',
  },
};
