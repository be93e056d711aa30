import { Button } from '../primitives/Button.tsx';
import { Icon } from '../primitives/Icon.tsx';
import { useApp } from '../state/app.ts';
import { useText } from '../state/preferences.ts';
import { discard, draftChanges, save, undo, useDraft } from './draft.ts';

/** What is not saved yet, with the ways to take it back; or what the last save did. */
export function DraftBar() {
  const { rules, conflict } = useText();
  const { draft, notice, saving, conflicts } = useDraft();
  const invalid = useApp(({ state }) => state !== null && state.policy.problem !== null);
  if (draft === null && notice === null) return null;
  const words = notice === 'merged' ? conflict.merged : notice === 'saved' ? rules.saved : null;
  return (
    <div className="draft-bar" data-open={draft !== null}>
      <p role="status">
        {draft !== null && <strong>{rules.unsaved(draftChanges(draft) + conflicts.length)}</strong>}
        {conflicts.length > 0 && (
          <span className="draft-notice">
            <Icon name="caution" size={14} />
            {conflict.open(conflicts.length)}
          </span>
        )}
        {draft !== null && invalid && (
          <span className="draft-notice">
            <Icon name="caution" size={14} />
            {rules.heldBack}
          </span>
        )}
        {words !== null && conflicts.length === 0 && (
          <span className="draft-notice">
            <Icon name="ok" size={14} />
            {words}
          </span>
        )}
      </p>
      {draft !== null && (
        <div className="draft-actions">
          <Button look="plain" icon="undo" onClick={undo}>
            {rules.undo}
          </Button>
          <Button onClick={discard}>{rules.discard}</Button>
          <Button look="solid" disabled={saving || invalid} onClick={() => void save()}>
            {saving ? rules.saving : conflicts.length > 0 ? conflict.choose : rules.save}
          </Button>
        </div>
      )}
    </div>
  );
}
