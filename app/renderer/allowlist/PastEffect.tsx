import { useEffect, useState } from 'react';
import type { Rule } from '../../../shared/engine/index.ts';
import type { SimulatedEffect } from '../../../shared/wire/index.ts';
import { displayPlain } from '../../../shared/base/index.ts';
import { call } from '../state/app.ts';
import { useText } from '../state/preferences.ts';
import { useDraft } from './draft.ts';

const typingPause = 250;
const kinds = [
  ['nowAllowed', 'allowed'],
  ['nowDenied', 'denied'],
  ['nowAsked', 'asked'],
] as const;

interface PastEffectProps {
  readonly agent: string;
  /** Null while what is typed is no rule yet. */
  readonly rules: readonly Omit<Rule, 'id'>[] | null;
}

/** What new rules would have done to the newest commands of the history, while they are written. */
export function PastEffect({ agent, rules }: PastEffectProps) {
  const { ruleForm } = useText();
  const document = useDraft(({ draft }) => draft?.document);
  const [effect, setEffect] = useState<SimulatedEffect | null>(null);
  // A new object with the same rules in it is no reason to ask again.
  const wanted = rules === null ? null : JSON.stringify(rules);

  useEffect(() => {
    if (wanted === null) {
      setEffect(null);
      return undefined;
    }
    let current = true;
    const timer = setTimeout(async () => {
      const answer = await call('effectOf', {
        agent,
        rules: JSON.parse(wanted) as Rule[],
        ...(document === undefined ? {} : { document }),
      });
      if (current) setEffect(answer.ok ? answer.result : null);
    }, typingPause);
    return () => {
      current = false;
      clearTimeout(timer);
    };
  }, [agent, wanted, document]);

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
