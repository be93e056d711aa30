import { displayPlain } from '../../../shared/display/display.ts';
import type { ImportPreview } from '../../../shared/import/types.ts';

/** What an import would add and what it leaves out, one line each. The file's own words are untrusted. */
export function previewLines({ rules, skipped }: ImportPreview): readonly string[] {
  return [
    ...rules.map(({ agent, rule, sentence, duplicate, note, from }) => {
      const mark = duplicate ? '=' : '+';
      const more = note === null ? '' : ` (${note})`;
      return `${mark} ${agent}: ${rule.effect ?? 'allow'} ${sentence}   from ${from}${more}`;
    }),
    ...skipped.map(
      ({ from, why, holdsBack }) => `- ${from}: not carried over. ${why}${holdsBack ? ' (!)' : ''}`,
    ),
  ].map(displayPlain);
}
