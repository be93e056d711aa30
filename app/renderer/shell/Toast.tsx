import { displayPlain } from '../../../shared/base/index.ts';
import { agentWords } from '../../../shared/engine/index.ts';
import { Button } from '../primitives/Button.tsx';
import { undoChange, useCoveredSince, useToast } from '../state/toast.ts';
import { useApp } from '../state/app.ts';
import { useText } from '../state/preferences.ts';

/** Only the beginning fits; the prompt shows the whole. */
const previewLength = 40;

/** On every view but the asks: who waits for an answer, and the way there. It answers nothing. */
export function WaitingLine() {
  const { toast, prompt } = useText();
  const first = useApp((model) => model.state?.queue[0]?.ask);
  const show = useApp((model) => model.show);
  if (first === undefined) return null;
  const { agent, kind, command } = first;
  const beginning =
    command.length <= previewLength ? command : `${command.slice(0, previewLength)}…`;
  return (
    <div className="toast waiting small">
      <span className="waiting-words">
        {toast.waits(
          displayPlain(agentWords(agent, prompt.unproven)),
          prompt.wants[kind],
          displayPlain(beginning),
        )}
      </span>
      <Button small look="accent" onClick={() => show('asks')}>
        {toast.review}
      </Button>
    </div>
  );
}

/** What the last answer changed, and the way back. It stands in the header, where it covers nothing. */
export function ToastLine() {
  const { toast: text } = useText();
  const toast = useToast((model) => model.toast);
  const covered = useCoveredSince(toast);
  if (toast === null) return null;
  return (
    <div className="toast small" role="status">
      <span>
        {text.kinds[toast.kind]}
        {covered > 0 && ` · ${text.covered(covered)}`}
      </span>
      {toast.undo !== null && (
        <Button small look="accent" onClick={() => void undoChange(toast)}>
          {text.undo}
        </Button>
      )}
    </div>
  );
}
