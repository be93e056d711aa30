import { useMemo } from 'react';
import type { Rule } from '../../../shared/engine/index.ts';
import { displayPlain } from '../../../shared/base/index.ts';
import { useAsking } from '../state/asking.ts';
import { useText } from '../state/preferences.ts';
import { draftArgs, useDraft } from './draft.ts';

const kinds = [
  ['nowAllowed', 'allowed'],
  ['nowDenied', 'denied'],
  ['nowAsked', 'asked'],
] as const;

interface PastEffectProps {
  readonly agent: string;
  /** Null while what is typed is not a valid rule. */
  readonly rules: readonly Omit<Rule, 'id'>[] | null;
}

/** What new rules would have done to the newest commands of the history, while they are written. */
export function PastEffect({ agent, rules }: PastEffectProps) {
  const { ruleForm } = useText();
  const draft = useDraft((model) => model.draft);
  const edit = useMemo(() => draftArgs(draft), [draft]);
  // A new object with the same rules in it is no reason to ask again.
  const text = rules === null ? null : JSON.stringify(rules);
  const wanted = useMemo(
    () => (text === null ? null : { agent, rules: JSON.parse(text) as Rule[], ...edit }),
    [agent, text, edit],
  );
  const { answer } = useAsking('effectOf', wanted);
  const effect = answer?.ok === true ? answer.result : null;

  const changes = effect === null ? [] : kinds.filter(([field]) => effect[field].length > 0);
  return (
    <div className="effect" role="status">
      {effect !== null && effect.looked > 0 && changes.length === 0 && (
        <p className="faint small">{ruleForm.effectNone(effect.looked)}</p>
      )}
      {effect !== null &&
        changes.map(([field, word]) => (
          <details key={field} className="past">
            <summary className="small">
              {ruleForm.effectOf[word](effect[field].length, effect.looked)}
            </summary>
            <ul>
              {[...new Set(effect[field])].map((command) => (
                <li key={command} className="mono small">
                  {displayPlain(command)}
                </li>
              ))}
            </ul>
          </details>
        ))}
    </div>
  );
}
