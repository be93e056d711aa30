import { beforeAll, describe, expect, it } from 'vitest';
import { addRules, editPolicy, firstPolicy } from '../../../shared/engine/policy/edit.ts';
import type { PolicyDocument, Rule } from '../../../shared/engine/policy/types.ts';
import { recordOf } from '../../../shared/engine/programs/list.ts';
import { expandBraces } from '../../../shared/engine/rules/glob.ts';
import {
  bindStarter,
  starterGroups,
  starterSets,
  starterUpdate,
  startersFor,
} from '../../../shared/engine/starters/bind.ts';
import { batchOf, everydayEngine, policyWith } from '../../everyday/machine.ts';
import { cwd, home } from '../../support/stages.ts';

const engine = everydayEngine();
const every = starterSets.flatMap((set) => bindStarter(set, cwd, 7));

/** A policy with these rules for everybody. */
function withRules(rules: readonly Rule[]): PolicyDocument {
  const edited = addRules(firstPolicy({ path: '/x', token: 'x' }), { agent: '*', rules });
  if (!edited.ok) throw new Error(edited.problem.message);
  return edited.document;
}

describe('the rules of a starter', () => {
  let failures: (rule: Rule) => readonly string[];
  beforeAll(async () => {
    failures = await engine.checkRules();
  });

  it.each(every.map((rule) => [rule.id, rule] as const))(
    '%s says why it is there, and passes its own examples',
    (_, rule) => {
      expect(rule.note).toMatch(/\.$/);
      expect(rule.examples?.match).not.toEqual([]);
      expect(rule.examples?.noMatch).not.toEqual([]);
      expect(failures(rule)).toEqual([]);
    },
  );

  it.each(every.map((rule) => [rule.id, rule] as const))(
    '%s names only programs whose options are known',
    (_, rule) => {
      if (rule.kind !== undefined) return;
      const unknown = (expandBraces(rule.pattern) ?? []).filter(
        (name) => recordOf(name) === null && !['echo', 'printf', 'type'].includes(name),
      );
      expect(unknown).toEqual([]);
    },
  );

  it('are accepted by the checks on every edit, without a word that they can hardly be meant', () => {
    const first = firstPolicy({ path: '/x', token: 'x' });
    const change = { change: 'add', agent: '*', rules: every } as const;
    expect(editPolicy(first, [change], { check: failures })).toMatchObject({ ok: true });
  });

  it('hold in the folder that they are bound to, also where its name looks like a pattern', async () => {
    const folder = `${home}/src/a[b]*{c,d}`;
    const [set] = startersFor('look-around');
    if (set === undefined) throw new Error('no set');
    const bound = withRules(bindStarter(set, folder, 0));
    expect(starterGroups(bound)).toMatchObject([{ folder, set: 'look-around', agent: '*' }]);
    const ls = (at: string) =>
      engine
        .situation({ document: bound, agent: 'a', request: { command: 'ls', cwd: at } })
        .then((situation) => engine.decide(situation).decision);
    expect(await ls(folder)).toBe('allow');
    expect(await ls(`${folder}/sub`)).toBe('allow');
    expect(await ls(`${home}/src/abc`)).toBe('ask');
    expect(await ls(home)).toBe('ask');
  });

  it.each(['/', '', 'src/app', '//', '/a/'])('cannot be bound to %j', (folder) => {
    const [set] = starterSets;
    if (set === undefined) throw new Error('no set');
    expect(() => bindStarter(set, folder, 0)).toThrow('is not a folder');
  });

  it('do not count as naming a place that steers, is secret or is our own', async () => {
    const guarded = `${home}/.claude`;
    const rules = starterSets.flatMap((set) => bindStarter(set, guarded, 0));
    const lines = [
      { kind: 'edit', text: `${guarded}/settings.json` },
      { kind: 'exec', text: `echo x > ${guarded}/settings.json` },
    ] as const;
    const verdicts = await batchOf(
      engine,
      withRules(rules),
      lines.map((line) => ({ ...line, session: '', wanted: 'ask' })),
    );
    expect(verdicts.map(({ verdict }) => verdict)).toEqual(['ask', 'ask']);
  });
});

describe('an update of a starter', () => {
  const [set] = startersFor('look-around');
  if (set === undefined) throw new Error('no set');
  const rules = bindStarter(set, cwd, 7);

  it('finds nothing to do where all is as it should be, whatever was used since', () => {
    const used = rules.map((rule) => ({ ...rule, uses: 3, lastUsedAt: 9 }));
    expect(starterUpdate('*', used, bindStarter(set, cwd, 99)).changes).toEqual([]);
  });

  it('brings what is new, takes what is gone, and keeps how often a rule was used', () => {
    const newer = {
      ...set,
      version: set.version + 1,
      rules: set.rules.slice(1).concat({
        name: 'later',
        why: 'It is new.',
        pattern: 'ls',
        changes: 'nothing',
        examples: { match: ['ls'], noMatch: ['ls > x'] },
      }),
    };
    const present = rules.map((rule) => ({ ...rule, uses: 3 }));
    const update = starterUpdate('*', present, bindStarter(newer, cwd, 99));
    expect(update.added.map(({ id }) => id)).toEqual([
      expect.stringMatching(/^look-around:later:/),
    ]);
    expect(update.removed).toEqual(present.slice(0, 1));
    expect(update.changed).toHaveLength(rules.length - 1);
    for (const { after } of update.changed)
      expect(after).toMatchObject({
        uses: 3,
        createdAt: 7,
        source: `starter:look-around@${String(newer.version)}`,
      });
    const edited = editPolicy(withRules(present), update.changes, { check: () => [] });
    if (!edited.ok) throw new Error(edited.problem.message);
    expect(starterGroups(edited.document)).toMatchObject([{ version: newer.version, agent: '*' }]);
  });

  it('finds the groups of a policy by agent, set and folder', () => {
    expect(starterGroups(policyWith('project'))).toMatchObject([
      { agent: '*', set: 'look-around', folder: cwd, version: 9 },
      { agent: '*', set: 'project', folder: cwd, version: 10 },
    ]);
    expect(starterGroups(policyWith(null))).toEqual([]);
  });
});
