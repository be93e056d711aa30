import type { ReviewFinding, Rule } from '../../../shared/engine/index.ts';
import { displayPlain } from '../../../shared/base/index.ts';
import { Button } from '../primitives/Button.tsx';
import { EffectTag } from '../primitives/EffectTag.tsx';
import { useHostNow } from '../state/app.ts';
import { useText } from '../state/preferences.ts';
import { fullTime, relativeTime } from '../text/format.ts';
import { argsToText } from './args-text.ts';
import { editPart, useDraft } from './draft.ts';

interface RuleRowProps {
  readonly rule: Rule;
  readonly advice: readonly ReviewFinding[];
  readonly agent: string;
  readonly index: number;
  readonly top: number;
  readonly measure: (element: HTMLElement | null) => void;
}

/** One rule, and what can be done with it. */
export function RuleRow({ rule, advice, agent, index, top, measure }: RuleRowProps) {
  const text = useText();
  const effect = rule.effect ?? 'allow';
  const name = displayPlain(rule.pattern);
  const open = (): void => useDraft.setState({ editing: { id: rule.id, rule } });
  const duplicate = (): void => {
    const { id: _id, lastUsedAt: _at, lastUsedCommand: _command, uses: _uses, ...copy } = rule;
    useDraft.setState({ editing: { id: null, rule: copy } });
  };
  return (
    <div
      role="row"
      ref={measure}
      data-index={index}
      aria-rowindex={index + 2}
      className="rule-row"
      style={{ transform: `translateY(${top}px)` }}
    >
      <span role="cell" className="rule-effect">
        <EffectTag effect={effect}>{text.rules.effects[effect]}</EffectTag>
      </span>
      <span role="cell" className="rule-program mono">
        {name}
        {advice.map(({ code, level, sentence }) => (
          <span key={code} className="rule-advice" data-level={level}>
            {text.codes.reviews[code] ?? sentence}
          </span>
        ))}
      </span>
      <span role="cell" className="rule-args mono">
        <Arguments rule={rule} />
      </span>
      <span role="cell" className="rule-scope mono">
        {rule.cwd === undefined ? (
          <span className="faint">{text.rules.anywhere}</span>
        ) : (
          displayPlain(rule.cwd)
        )}
      </span>
      <span role="cell" className="rule-expires">
        <Until at={rule.expiresAt ?? null} />
      </span>
      <span role="cell" className="rule-used">
        <LastUsed rule={rule} />
      </span>
      <span role="cell" className="rule-actions">
        <Button
          look="plain"
          icon="edit"
          aria-label={`${text.rules.edit}: ${name}`}
          title={text.rules.edit}
          onClick={open}
        />
        <Button
          look="plain"
          icon="copy"
          aria-label={`${text.rules.duplicate}: ${name}`}
          title={text.rules.duplicate}
          onClick={duplicate}
        />
        <Button
          look="plain"
          icon="trash"
          aria-label={`${text.rules.remove}: ${name}`}
          title={text.rules.remove}
          onClick={() => editPart({ kind: 'rule', agent, id: rule.id }, null)}
        />
      </span>
    </div>
  );
}

function Arguments({ rule }: { readonly rule: Rule }) {
  const { rules } = useText();
  const { kind = 'exec', tool } = rule;
  if (kind !== 'exec')
    return (
      <span className="faint">
        {[
          rules.kinds[kind],
          ...(tool === undefined ? [] : [rules.withTool(displayPlain(tool))]),
        ].join(', ')}
      </span>
    );
  if (rule.argPattern !== undefined) return <>/{displayPlain(rule.argPattern)}/</>;
  if (rule.args === undefined) return <span className="faint">{rules.anyArgs}</span>;
  if (rule.args.length === 0) return <span className="faint">{rules.noArgs}</span>;
  return <>{displayPlain(argsToText(rule.args))}</>;
}

function Until({ at }: { readonly at: number | null }) {
  const text = useText();
  const now = useHostNow();
  if (at === null) return <span className="faint">{text.rules.forever}</span>;
  if (at <= now) return <span className="tag tag-caution">{text.rules.expired}</span>;
  return <span title={fullTime(at, text.code)}>{relativeTime(at, now, text.code)}</span>;
}

function LastUsed({ rule }: { readonly rule: Rule }) {
  const text = useText();
  const now = useHostNow();
  if (rule.lastUsedAt === undefined) return <span className="faint">{text.rules.never}</span>;
  return (
    <span title={displayPlain(rule.lastUsedCommand ?? fullTime(rule.lastUsedAt, text.code))}>
      {relativeTime(rule.lastUsedAt, now, text.code)}
      {rule.uses !== undefined && (
        <span className="rule-uses faint">{text.rules.uses(rule.uses)}</span>
      )}
    </span>
  );
}
