import { useState } from 'react';
import { displayPlain } from '../../../shared/base/index.ts';
import { starterGroups, starterSets } from '../../../shared/engine/index.ts';
import type { PolicyDocument, StarterGroup } from '../../../shared/engine/index.ts';
import { renewRules } from '../allowlist/draft.ts';
import { Button } from '../primitives/Button.tsx';
import { useText } from '../state/preferences.ts';
import { StarterDialog } from './StarterDialog.tsx';
import type { StarterWish } from './StarterForm.tsx';

/** The groups of starter rules that one agent has of its own. */
export function groupsOf(document: PolicyDocument, agent: string): readonly StarterGroup[] {
  return starterGroups(document).filter((group) => group.agent === agent);
}

/** One word for a group, the same as long as it stands for the same project. */
export function keyOfGroup({ set, folder }: StarterGroup): string {
  return JSON.stringify([set, folder]);
}

interface StarterGroupsProps {
  readonly document: PolicyDocument;
  readonly agent: string;
  /** Keys of the groups whose rules the table shows. */
  readonly shown: ReadonlySet<string>;
  readonly onShow: (key: string) => void;
}

/** The sets that an agent has, each as one thing: where it holds, how old it is, and a way to switch it off. */
export function StarterGroups({ document, agent, shown, onShow }: StarterGroupsProps) {
  const { starters } = useText();
  const [dialog, setDialog] = useState<{ readonly group: StarterWish | null } | null>(null);
  const groups = groupsOf(document, agent);
  return (
    <section className="starters" aria-labelledby="starters-title">
      <header className="starters-head">
        <h3 id="starters-title">{starters.title}</h3>
        <Button look="plain" icon="add" onClick={() => setDialog({ group: null })}>
          {starters.add}
        </Button>
      </header>
      {groups.length > 0 && (
        <ul className="starter-groups">
          {groups.map((group) => (
            <Group
              key={keyOfGroup(group)}
              group={group}
              isShown={shown.has(keyOfGroup(group))}
              onShow={() => onShow(keyOfGroup(group))}
              onUpdate={(folder) => setDialog({ group: { set: group.set, folder } })}
            />
          ))}
        </ul>
      )}
      {dialog !== null && (
        <StarterDialog agent={agent} group={dialog.group} onClose={() => setDialog(null)} />
      )}
    </section>
  );
}

interface GroupProps {
  readonly group: StarterGroup;
  readonly isShown: boolean;
  readonly onShow: () => void;
  readonly onUpdate: (folder: string) => void;
}

function Group({ group, isShown, onShow, onUpdate }: GroupProps) {
  const { starters } = useText();
  const { agent, set, version, folder, rules } = group;
  const title = starters.sets[set]?.title ?? set;
  const newest = starterSets.find(({ name }) => name === set)?.version ?? version;
  const uses = rules.reduce((sum, rule) => sum + (rule.uses ?? 0), 0);
  return (
    <li className="starter-group" aria-label={title}>
      <div className="starter-words">
        <strong>{title}</strong>
        <span className="mono small">
          {folder === null ? starters.noFolder : displayPlain(folder)}
        </span>
        <span className="faint small">
          {[
            starters.version(version),
            starters.rules(rules.length),
            ...(uses > 0 ? [starters.used(uses)] : []),
          ].join(' · ')}
        </span>
      </div>
      <div className="starter-actions">
        <Button small look="plain" aria-expanded={isShown} onClick={onShow}>
          {isShown ? starters.hide : starters.show}
        </Button>
        {folder !== null && (
          <Button
            small
            look={newest > version ? 'accent' : 'plain'}
            onClick={() => onUpdate(folder)}
          >
            {newest > version ? starters.update(newest) : starters.compare}
          </Button>
        )}
        <Button
          small
          onClick={() => renewRules(agent, [{ added: [], changed: [], removed: rules }])}
        >
          {starters.off}
        </Button>
      </div>
    </li>
  );
}
