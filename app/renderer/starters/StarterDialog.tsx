import { useMemo } from 'react';
import { displayPlain } from '../../../shared/base/index.ts';
import { describeRule } from '../../../shared/engine/index.ts';
import type { Rule } from '../../../shared/engine/index.ts';
import type { StarterPreview } from '../../bridge/types.ts';
import { draftArgs, renewRules, useDraft } from '../allowlist/draft.ts';
import { Button } from '../primitives/Button.tsx';
import { Dialog } from '../primitives/Dialog.tsx';
import { useText } from '../state/preferences.ts';
import {
  StarterCoverage,
  StarterFields,
  StarterFound,
  useStarterPreview,
  useStarterWish,
} from './StarterForm.tsx';
import type { StarterWish } from './StarterForm.tsx';

function Line({ rule, sign }: { readonly rule: Rule; readonly sign: '+' | '-' }) {
  const { starters } = useText();
  return (
    <li className="starter-line" data-sign={sign}>
      <span aria-hidden="true">{sign === '+' ? '+' : '−'}</span>
      <div>
        <span className="visually-hidden">
          {sign === '+' ? starters.added : starters.removed}:{' '}
        </span>
        <span className="mono">{displayPlain(describeRule(rule))}</span>
        {rule.note !== undefined && (
          <p className="faint small" lang="en">
            {displayPlain(rule.note)}
          </p>
        )}
      </div>
    </li>
  );
}

/** One set after the other: what goes, what comes, and both sides of what becomes another. */
function Difference({ updates }: Pick<StarterPreview, 'updates'>) {
  const { starters } = useText();
  return updates
    .filter(({ added, changed, removed }) => added.length + changed.length + removed.length > 0)
    .map(({ set, added, changed, removed }) => (
      <section key={set} className="starter-difference" aria-label={starters.sets[set]?.title}>
        <h3>{starters.sets[set]?.title ?? set}</h3>
        <ul>
          {removed.map((rule) => (
            <Line key={rule.id} rule={rule} sign="-" />
          ))}
          {changed.flatMap(({ before, after }) => [
            <Line key={`${before.id}-`} rule={before} sign="-" />,
            <Line key={after.id} rule={after} sign="+" />,
          ])}
          {added.map((rule) => (
            <Line key={rule.id} rule={rule} sign="+" />
          ))}
        </ul>
      </section>
    ));
}

interface StarterDialogProps {
  readonly agent: string;
  /** The group that is to be brought up to date; null: a set is to be added. */
  readonly group: StarterWish | null;
  readonly onClose: () => void;
}

/** Adds a set, or brings one up to date: rule by rule, as a step of the edit that is saved like any other. */
export function StarterDialog({ agent, group, onClose }: StarterDialogProps) {
  const { starters, ruleForm } = useText();
  const [chosen, setChosen] = useStarterWish();
  const wish = group ?? chosen;
  const draft = useDraft((model) => model.draft);
  const edit = useMemo(() => draftArgs(draft).draft, [draft]);
  const { answer, asking } = useStarterPreview(wish, { agent, draft: edit });
  const preview = answer?.ok === true ? answer.result : null;
  const changes =
    preview?.updates.some(
      ({ added, changed, removed }) => added.length + changed.length + removed.length > 0,
    ) === true;
  const title = starters.sets[wish.set]?.title ?? wish.set;
  return (
    <Dialog
      title={group === null ? starters.addTitle : starters.updateTitle(title)}
      onClose={onClose}
    >
      {group === null ? (
        <StarterFields wish={chosen} onChange={setChosen} />
      ) : (
        <p className="quiet small">{starters.updateText}</p>
      )}
      <StarterFound answer={answer} asking={asking}>
        {preview !== null && !changes && <p>{starters.nothing}</p>}
        {preview !== null && changes && group === null && (
          <StarterCoverage covers={preview.covers} />
        )}
      </StarterFound>
      {preview !== null && <Difference updates={preview.updates} />}
      <div className="dialog-actions">
        <Button onClick={onClose}>{ruleForm.cancel}</Button>
        <Button
          look="solid"
          disabled={!changes || asking}
          onClick={() => {
            if (preview !== null) renewRules(agent, preview.updates);
            onClose();
          }}
        >
          {group === null ? ruleForm.suggestAdd : starters.accept}
        </Button>
      </div>
    </Dialog>
  );
}
