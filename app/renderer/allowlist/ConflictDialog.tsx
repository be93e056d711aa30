import { useState } from 'react';
import { displayPlain } from '../../../shared/base/index.ts';
import { Button } from '../primitives/Button.tsx';
import { Dialog } from '../primitives/Dialog.tsx';
import { Segments } from '../primitives/Segments.tsx';
import { useText } from '../state/preferences.ts';
import { argsToText } from './args-text.ts';
import { dropDoubts, postpone, save, settle } from './draft.ts';
import type { Conflict } from './merge.ts';

/** Asks whose change to keep for each thing that two people changed. Nothing is preselected. */
export function ConflictDialog({ conflicts }: { readonly conflicts: readonly Conflict[] }) {
  const { conflict: text } = useText();
  const [mine, setMine] = useState<ReadonlyMap<Conflict, boolean>>(new Map());
  const settled = conflicts.every((conflict) => mine.has(conflict));
  return (
    <Dialog title={text.title} onClose={postpone}>
      <p className="quiet">{text.text}</p>
      <ul className="conflicts">
        {conflicts.map((conflict) => {
          const choice = mine.get(conflict);
          return (
            <li key={JSON.stringify(conflict.part)} className="conflict">
              <dl>
                <dt>{text.yours}</dt>
                <dd className="mono">
                  <Value value={conflict.mine} />
                </dd>
                <dt>{text.other}</dt>
                <dd className="mono">
                  <Value value={conflict.theirs} />
                </dd>
              </dl>
              <Segments
                legend={conflict.part.kind === 'rule' ? text.rule : text.mode}
                options={[
                  { value: 'mine' as const, label: text.mine },
                  { value: 'theirs' as const, label: text.theirs },
                ]}
                value={choice === undefined ? null : choice ? 'mine' : 'theirs'}
                onChange={(value) => setMine(new Map(mine).set(conflict, value === 'mine'))}
              />
            </li>
          );
        })}
      </ul>
      <div className="dialog-actions">
        <Button
          look="solid"
          disabled={!settled}
          onClick={() =>
            settle(conflicts.map((conflict) => ({ conflict, mine: mine.get(conflict) === true })))
          }
        >
          {text.done}
        </Button>
      </div>
    </Dialog>
  );
}

/** Rules that can hardly be meant are saved only after a person has read why. */
export function DoubtDialog({ doubts }: { readonly doubts: readonly string[] }) {
  const { conflict: text } = useText();
  return (
    <Dialog title={text.doubtTitle} onClose={dropDoubts}>
      <ul className="conflicts">
        {doubts.map((sentence) => (
          <li key={sentence} className="conflict" lang="en">
            {displayPlain(sentence)}
          </li>
        ))}
      </ul>
      <div className="dialog-actions">
        <Button look="solid" onClick={dropDoubts}>
          {text.doubtBack}
        </Button>
        <Button look="danger-outline" onClick={() => void save(true)}>
          {text.doubtSave}
        </Button>
      </div>
    </Dialog>
  );
}

function Value({ value }: { readonly value: Conflict['mine'] }) {
  const text = useText();
  if (value === null) return <em>{text.conflict.deleted}</em>;
  if (typeof value !== 'object') return <>{String(value)}</>;
  if (!('pattern' in value))
    return (
      <>
        {Object.entries(value)
          .map(([risk, wanted]) => `${risk}: ${String(wanted)}`)
          .join(', ')}
      </>
    );
  const args =
    value.argPattern !== undefined
      ? `/${value.argPattern}/`
      : value.args === undefined
        ? `(${text.rules.anyArgs})`
        : argsToText(value.args);
  const effect = text.rules.effects[value.effect ?? 'allow'];
  return <>{displayPlain([effect, value.pattern, args, value.cwd ?? ''].join(' '))}</>;
}
