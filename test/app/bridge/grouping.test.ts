import { describe, expect, it } from 'vitest';
import { groupAsks } from '../../../app/bridge/grouping.ts';
import type { Ask, AskStage } from '../../../shared/engine/ask.ts';
import { queuedAsk } from '../../support/queued-ask.ts';

function stage(argv: readonly string[], resolvedPath = `/usr/bin/${argv[0]}`): AskStage {
  return { argv, resolvedPath, via: [], cwd: '/w', writes: [], why: '', span: null };
}

const push: Partial<Ask> = { stages: [stage(['git', 'push', 'origin', 'a'])] };
const pushElse: Partial<Ask> = { stages: [stage(['git', 'push', 'fork', 'b'])] };

const apart: readonly (readonly [string, Partial<Ask>, Partial<Ask>])[] = [
  ['other agents', push, { ...push, agent: 'codex' }],
  ['other hosts', push, { ...push, host: 'sandbox' }],
  ['other subcommands', push, { stages: [stage(['git', 'pull'])] }],
  ['other programs of the same name', push, { stages: [stage(['git', 'push'], '/tmp/git')] }],
  ['another risk', push, { ...push, risk: { level: 'high', findings: [] } }],
  ['further stages', push, { stages: [...(push.stages ?? []), stage(['tee', 'x'])] }],
  [
    'opaque commands of other text',
    { opaque: { reason: 'glob', detail: '', span: null }, command: 'rm $(a)' },
    { opaque: { reason: 'glob', detail: '', span: null }, command: 'rm $(b)' },
  ],
];

describe('groups of asks', () => {
  it.each(apart)('keep %s apart', (_name, one, other) => {
    expect(
      groupAsks([queuedAsk({ ...one, id: '1' }), queuedAsk({ ...other, id: '2' })]),
    ).toHaveLength(2);
  });

  it('put like asks together, oldest first, in the order of their oldest', () => {
    const queue = [
      queuedAsk({ ...push, id: '1' }),
      queuedAsk({ id: '2', stages: [stage(['npm', 'install'])] }),
      queuedAsk({ ...pushElse, id: '3' }),
    ];
    const groups = groupAsks(queue);
    expect(groups.map(({ label, asks }) => [label, asks.map(({ ask }) => ask.id)])).toEqual([
      ['git push', ['1', '3']],
      ['npm install', ['2']],
    ]);
    expect(groups.map(({ allowTogether }) => allowTogether)).toEqual([true, false]);
  });

  it('never allow a high risk together', () => {
    const risk = { level: 'high', findings: [] } as const;
    const [group] = groupAsks(['1', '2'].map((id) => queuedAsk({ ...push, id, risk })));
    expect(group).toMatchObject({ allowTogether: false });
    expect(group?.asks).toHaveLength(2);
  });
});
