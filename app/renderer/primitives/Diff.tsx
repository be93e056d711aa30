import { displayPlain } from '../../../shared/base/index.ts';
import './diff.css';

/** Lines of a diff, each coloured by the sign in front that says the same. */
export function Diff({ text, label }: { readonly text: string; readonly label: string }) {
  return (
    <pre className="mono diff" tabIndex={0} role="group" aria-label={label}>
      {text.split('\n').map((line, at) => (
        // Lines have no names, and never move.
        <span key={at} className={`diff-line ${classOf(line)}`}>
          {displayPlain(line)}
          {'\n'}
        </span>
      ))}
    </pre>
  );
}

function classOf(line: string): string {
  if (line.startsWith('+')) return 'diff-added';
  if (line.startsWith('-')) return 'diff-removed';
  return line.startsWith('@') ? 'faint' : '';
}
