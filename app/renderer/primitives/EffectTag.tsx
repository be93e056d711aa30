import type { RuleEffect } from '../../../shared/engine/index.ts';

const tones = { allow: 'tag-accent', ask: 'tag-caution', deny: 'tag-danger' } as const;

interface EffectTagProps {
  readonly effect: RuleEffect;
  readonly children: string;
}

/** What a rule or a verdict does, in its colour. */
export function EffectTag({ effect, children }: EffectTagProps) {
  return <span className={`tag ${tones[effect]}`}>{children}</span>;
}
