import { describe, expect, it } from 'vitest';
import { decide } from '../../../shared/engine/decide/decide.ts';
import { propose, withRules } from '../../../shared/engine/proposals/propose.ts';
import { analyserOn } from '../../support/machine.ts';
import { inputFor } from '../../support/stages.ts';

const repository = {
  '/home/me/src/app/.git/config': '[core]\n\tbare = false\n',
  '/home/me/src/app/.git/HEAD': 'ref: refs/heads/main\n',
};

async function offered(command: string) {
  const analyse = await analyserOn(repository);
  const at = (text: string) => inputFor(analyse(text), { request: { command: text } });
  const input = at(command);
  const proposal = propose(input, decide(input)).find(({ scope }) => scope === 'reads');
  const covers = (text: string) =>
    proposal !== undefined && decide(withRules(at(text), proposal.rules)).decision === 'allow';
  return { proposal, covers };
}

describe('the offer of all that a program only reads', () => {
  it('says what it covers, and covers that and no more', async () => {
    const { proposal, covers } = await offered('git status -s');
    expect(proposal?.sentence).toContain('all that git does where it only reads');
    expect(proposal?.suggested).toBeUndefined();
    expect(['git log -3', 'git branch --list', 'git show HEAD'].map(covers)).toEqual([
      true,
      true,
      true,
    ]);
    const others = [
      'git push',
      'git branch -D x',
      'git log --output=a',
      'git log > a.txt',
      'git gc',
    ];
    expect(others.filter(covers)).toEqual([]);
  });

  it('is not made for what changes something', async () => {
    for (const command of ['git commit -m x', 'git push', 'git branch new'])
      expect((await offered(command)).proposal, command).toBeUndefined();
  });

  it('is not made where a project or a service says what reading is', async () => {
    for (const command of ['npm ls', 'kubectl get pods', 'gh pr list', 'cargo tree', 'cat a.txt'])
      expect((await offered(command)).proposal, command).toBeUndefined();
  });
});
