import { beforeEach, describe, expect, test } from 'vitest';
import {
  editPart,
  postpone,
  rebase,
  save,
  settle,
  undo,
  useDraft,
} from '../../../app/renderer/allowlist/draft.ts';
import { useApp } from '../../../app/renderer/state/app.ts';
import { usePolicy } from '../../../app/renderer/state/policy.ts';
import type { Bridge, PolicyView } from '../../../app/bridge/types.ts';
import type { PolicyEdit } from '../../../shared/engine/policy/patch.ts';
import type { PolicyDocument } from '../../../shared/engine/policy/types.ts';

const part = { kind: 'rule', agent: 'claude', id: 'npm' } as const;
const ruleOf = (word: string) => ({ id: 'npm', pattern: 'npm', args: [word] });
const other = { id: 'git', pattern: 'git' };

function policy(word: string, more: readonly (typeof other)[] = []): PolicyDocument {
  return { version: 1, agents: { claude: { allowlist: [ruleOf(word), ...more] } } };
}

function fileOf(document: PolicyDocument, hash: string): PolicyView {
  return { hash, document, problem: null };
}

let saves: PolicyEdit[] = [];

beforeEach(() => {
  saves = [];
  const bridge = {
    subscribe: () => () => undefined,
    onConnection: () => () => undefined,
    call: async (_name: string, args: never) => {
      saves.push(args);
      return { ok: true, result: { hash: 'saved' } };
    },
  } as unknown as Bridge;
  useDraft.setState(useDraft.getInitialState());
  useApp.setState({
    ...useApp.getInitialState(),
    bridge,
    state: {
      revision: 1,
      now: 0,
      runner: null,
      queue: [],
      missed: [],
      policy: { hash: 'first', problem: null },
    },
  });
  usePolicy.setState({ policy: fileOf(policy('test'), 'first') });
  editPart(part, ruleOf('mine'));
  rebase(fileOf(policy('theirs'), 'second'));
});

const words = (): unknown =>
  useDraft.getState().draft?.document.agents?.['claude']?.allowlist?.map(({ args }) => args?.[0]);

describe('a conflict that is not settled', () => {
  test('keeps their side in place, and mine beside it', () => {
    expect(words()).toEqual(['theirs']);
    expect(useDraft.getState().conflicts).toMatchObject([{ mine: ruleOf('mine') }]);
  });

  test('cannot be saved over by putting the choice off: saving asks again', async () => {
    postpone();
    expect(useDraft.getState().postponed).toBe(true);
    await save();
    expect(saves).toEqual([]);
    expect(useDraft.getState()).toMatchObject({ postponed: false, conflicts: [{}] });
    settle(useDraft.getState().conflicts.map((conflict) => ({ conflict, mine: true })));
    await save();
    expect(saves).toEqual([
      {
        baseHash: 'second',
        patch: { agents: { claude: { rules: { replace: [ruleOf('mine')] } } } },
      },
    ]);
  });

  test('outlives the next change made elsewhere, with their newest side', () => {
    postpone();
    rebase(fileOf(policy('theirs', [other]), 'third'));
    expect(useDraft.getState()).toMatchObject({
      postponed: true,
      conflicts: [{ mine: ruleOf('mine'), theirs: ruleOf('theirs') }],
    });
    rebase(fileOf(policy('newer', [other]), 'fourth'));
    expect(useDraft.getState().conflicts).toMatchObject([
      { mine: ruleOf('mine'), theirs: ruleOf('newer') },
    ]);
    expect(words()).toEqual(['newer', undefined]);
  });

  test('is over when both sides come to agree', () => {
    rebase(fileOf(policy('mine'), 'third'));
    expect(useDraft.getState().conflicts).toEqual([]);
  });

  test('goes with the edit when that is taken back', () => {
    undo();
    expect(useDraft.getState()).toMatchObject({ draft: null, conflicts: [] });
  });
});
