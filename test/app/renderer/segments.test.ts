import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { commandSegments, pageEnd, pageSize } from '../../../app/renderer/command/segments.ts';
import { askOf, spanOf, stageOf } from '../../../e2e/gallery-page/sample-asks.ts';
import { risky } from '../../../e2e/gallery-page/sample-asks.ts';

const shown = (command: string) =>
  commandSegments(askOf({ id: 'x', command })).map(({ text }) => text);

describe('a command in stretches', () => {
  test('marks the words of a finding and numbers the stages where they begin', () => {
    const marks = commandSegments(risky).map(({ text, mark, opens }) => [text, mark, opens]);
    expect(marks).toEqual([
      ['cd build && ', null, null],
      ['rm -rf ./cache', 'high', 1],
      [' && ', null, null],
      ['git push ', null, 2],
      ['--force', 'high', null],
      [' origin main', null, null],
      [' > /tmp/push.log', null, null],
    ]);
  });

  test('loses nothing of plain text, wherever the spans lie', () => {
    const span = fc.record({
      start: fc.integer({ min: -3, max: 50 }),
      end: fc.integer({ min: -3, max: 50 }),
    });
    const text = fc.stringMatching(/^[a-z ;|&\n-]{0,40}$/);
    fc.assert(
      fc.property(text, fc.array(span), fc.array(span), (command, stages, spans) => {
        const ask = askOf({
          id: 'x',
          command,
          stages: stages.map((each) => stageOf(command, 'ls', { span: each })),
          risk: { level: 'low', findings: [{ code: 'privilege', level: 'low', text: '', spans }] },
        });
        const joined = commandSegments(ask).map((segment) => segment.text);
        expect(joined.join('')).toBe(command);
      }),
    );
  });

  test('makes each character that cannot be seen a stretch of its own', () => {
    const segments = commandSegments(askOf({ id: 'x', command: 'a\u202eb\nc' }));
    expect(segments.map(({ kind }) => kind)).toEqual(['text', 'unseen', 'text', 'newline', 'text']);
    expect(shown('a\u202eb').join('')).not.toContain('\u202e');
  });

  test('belongs to the innermost of nested stages', () => {
    const command = 'timeout 5 rm x';
    const ask = askOf({
      id: 'x',
      command,
      stages: [
        stageOf(command, command),
        stageOf(command, 'rm x', { span: spanOf(command, 'rm x') }),
      ],
    });
    expect(commandSegments(ask).map(({ text, stage }) => [text, stage])).toEqual([
      ['timeout 5 ', 0],
      ['rm x', 1],
    ]);
  });

  test('is shown page by page to its very end', () => {
    const segments = commandSegments(askOf({ id: 'x', command: 'a\n'.repeat(5000) }));
    let end = 0;
    let pages = 0;
    for (; end < segments.length; pages += 1) end = pageEnd(segments, end);
    expect(end).toBe(segments.length);
    expect(pages).toBe(Math.ceil(segments.length / pageSize.segments));
  });
});
