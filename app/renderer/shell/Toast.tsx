import { Button } from '../primitives/Button.tsx';
import { undoRemembered, useCoveredSince, useToast } from '../state/toast.ts';
import { useText } from '../state/preferences.ts';

/** What the last answer changed, and the way back. It stands in the header, where it covers nothing. */
export function ToastLine() {
  const { toast: text } = useText();
  const toast = useToast((model) => model.toast);
  const covered = useCoveredSince(toast);
  if (toast === null) return null;
  return (
    <div className="toast small" role="status">
      <span>
        {text[toast.kind]}
        {toast.kind !== 'undone' && covered > 0 && ` · ${text.covered(covered)}`}
      </span>
      {toast.kind === 'rule' && (
        <Button small look="accent" onClick={() => void undoRemembered(toast)}>
          {text.undo}
        </Button>
      )}
    </div>
  );
}
