import type { Ask, ToolDetail } from '../../../shared/engine/index.ts';
import { displayPlain } from '../../../shared/base/index.ts';
import { useText } from '../state/preferences.ts';

/** What a tool call would do: its diff or its input, in full, scrolling when it is long. */
export function Detail({ ask }: { readonly ask: Ask }) {
  const { prompt } = useText();
  const { detail = null } = ask;
  if (detail === null || detail.text === '') return null;
  const name = prompt.details[detail.form];
  return (
    <div className="block">
      <h3 className="eyebrow">{name}</h3>
      {/* A keyboard has to be able to scroll what it cannot otherwise reach. */}
      <pre className="detail" role="region" aria-label={name} tabIndex={0}>
        <code>
          {stretches(detail).map(({ look, text }, index) => (
            // oxlint-disable-next-line react/no-array-index-key
            <span key={index} className={`detail-${look}`}>
              {displayPlain(text)}
            </span>
          ))}
        </code>
      </pre>
    </div>
  );
}

type Look = 'plain' | 'added' | 'removed' | 'place';

/** The text in runs of lines that look the same; only a diff has more than one. */
function stretches({ form, text }: ToolDetail): readonly { look: Look; text: string }[] {
  if (form !== 'diff') return [{ look: 'plain', text }];
  const found: { look: Look; text: string }[] = [];
  for (const line of text.split(/(?<=\n)/)) {
    const look = lookOf(line);
    const last = found.at(-1);
    if (last?.look === look) last.text += line;
    else found.push({ look, text: line });
  }
  return found;
}

function lookOf(line: string): Look {
  if (/^(?:@@|---|\+\+\+|\*\*\* )/.test(line)) return 'place';
  if (line.startsWith('+')) return 'added';
  return line.startsWith('-') ? 'removed' : 'plain';
}
