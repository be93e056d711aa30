import { useState } from 'react';
import { displayPlain } from '../../../../shared/display/display.ts';
import type { ImportPreview } from '../../../../shared/import/types.ts';
import { Button } from '../../primitives/Button.tsx';
import { Icon } from '../../primitives/Icon.tsx';
import { useText } from '../../state/preferences.ts';

const page = 100;
const effectTones = { allow: 'tag-accent', ask: 'tag-caution', deny: 'tag-danger' } as const;

interface PreviewListProps {
  readonly preview: ImportPreview;
  /** Rules that the person does not want, by their place. */
  readonly refused: ReadonlySet<number>;
  readonly onRefuse: (index: number, refused: boolean) => void;
}

/** What a rule file would bring, what is there already, and what is left behind and why. */
export function PreviewList({ preview, refused, onRefuse }: PreviewListProps) {
  const { exchange, rules: words } = useText();
  const [shown, setShown] = useState(page);
  const { rules, skipped } = preview;
  const fresh = rules.filter(({ duplicate }) => !duplicate).length;
  const known = rules.length - fresh;
  const behind = skipped.toSorted((a, b) => Number(b.holdsBack) - Number(a.holdsBack));
  return (
    <div className="preview">
      <h3>
        {fresh === 0 ? exchange.noRules : exchange.rules(fresh)}
        {known > 0 && <span className="faint"> · {exchange.duplicates(known)}</span>}
      </h3>
      <ul className="preview-list">
        {rules.slice(0, shown).map(({ agent, rule, from, note, sentence, duplicate }, index) => (
          // oxlint-disable-next-line react/no-array-index-key
          <li key={index} className="preview-rule" data-known={duplicate}>
            <input
              type="checkbox"
              aria-label={`${exchange.take}: ${displayPlain(from)}`}
              checked={!duplicate && !refused.has(index)}
              disabled={duplicate}
              onChange={({ target }) => onRefuse(index, !target.checked)}
            />
            <div>
              <p>
                <span className={`tag ${effectTones[rule.effect ?? 'allow']}`}>
                  {words.effects[rule.effect ?? 'allow']}
                </span>{' '}
                {displayPlain(sentence)}
              </p>
              <p className="small faint">
                <span className="mono">{displayPlain(from)}</span>
                {' · '}
                {agent === '*' ? words.everyone : displayPlain(agent)}
                {duplicate && <> · {exchange.duplicate}</>}
              </p>
              {note !== null && <p className="small preview-note">{displayPlain(note)}</p>}
            </div>
          </li>
        ))}
      </ul>
      {rules.length > shown && (
        <Button small look="plain" icon="down" onClick={() => setShown(shown + page)}>
          {exchange.more(Math.min(page, rules.length - shown))}
        </Button>
      )}
      {behind.length > 0 && (
        <>
          <h3>{exchange.skipped(behind.length)}</h3>
          <ul className="preview-list">
            {behind.slice(0, shown).map(({ from, why, holdsBack }, index) => (
              // oxlint-disable-next-line react/no-array-index-key
              <li key={index} className="preview-skipped">
                <Icon name={holdsBack ? 'danger' : 'caution'} size={14} />
                <div>
                  <p className="mono small">{displayPlain(from)}</p>
                  <p className="small quiet">{displayPlain(why)}</p>
                  {holdsBack && <p className="small preview-holds">{exchange.holdsBack}</p>}
                </div>
              </li>
            ))}
          </ul>
        </>
      )}
    </div>
  );
}
