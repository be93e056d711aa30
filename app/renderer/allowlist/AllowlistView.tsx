import { useEffect, useState } from 'react';
import { displayPlain } from '../../../shared/base/index.ts';
import type { PolicyDocument } from '../../../shared/engine/index.ts';
import { Button } from '../primitives/Button.tsx';
import { Empty } from '../primitives/Empty.tsx';
import { Icon } from '../primitives/Icon.tsx';
import { useApp } from '../state/app.ts';
import { isTyping } from '../state/focus.ts';
import { usePolicy } from '../state/policy.ts';
import { useText } from '../state/preferences.ts';
import { Grants } from '../views/Grants.tsx';
import { ConflictDialog, DoubtDialog } from './ConflictDialog.tsx';
import { Modes } from './Modes.tsx';
import { Reach } from './Reach.tsx';
import { RuleDialog } from './RuleDialog.tsx';
import { Rules } from './Rules.tsx';
import { SuggestDialog } from './SuggestDialog.tsx';
import { Tester } from './Tester.tsx';
import './allowlist.css';
import { discard, draftChanges, editPolicyOf, save, undo, useDocument, useDraft } from './draft.ts';

/** Chooses whose rules are shown; a new agent begins with no rules of its own. */
function AgentSwitcher({ document }: { readonly document: PolicyDocument }) {
  const text = useText();
  const agent = useDraft((model) => model.agent);
  const [adding, setAdding] = useState(false);
  const [name, setName] = useState('');
  const agents = [...new Set(['*', ...Object.keys(document.agents ?? {}), agent])];
  return (
    <div className="switcher">
      <label className="switcher-field">
        <span className="field-label">{text.rules.agent}</span>
        <select
          className="input"
          value={agent}
          onChange={({ target }) => useDraft.setState({ agent: target.value })}
        >
          {agents.map((each) => (
            <option key={each} value={each}>
              {each === '*' ? text.rules.everyone : displayPlain(each)}
            </option>
          ))}
        </select>
      </label>
      {adding ? (
        <form
          className="switcher-add"
          onSubmit={(event) => {
            event.preventDefault();
            if (name.trim() !== '') useDraft.setState({ agent: name.trim() });
            setAdding(false);
            setName('');
          }}
        >
          <input
            className="input"
            aria-label={text.rules.agentName}
            placeholder={text.rules.agentName}
            value={name}
            pattern="[A-Za-z0-9][A-Za-z0-9._\-]*"
            maxLength={64}
            // The person asked for the field with the button that it replaces.
            // oxlint-disable-next-line jsx-a11y/no-autofocus
            autoFocus
            onChange={({ target }) => setName(target.value)}
          />
          <Button type="submit">{text.rules.addAgent}</Button>
        </form>
      ) : (
        <Button look="plain" icon="add" onClick={() => setAdding(true)}>
          {text.rules.addAgent}
        </Button>
      )}
    </div>
  );
}

/** What is not saved yet, with undo and discard; or the result of the last save. */
function DraftBar() {
  const { rules, conflict } = useText();
  const { draft, notice, saving, conflicts } = useDraft();
  const isHere = usePolicy(({ machine }) => machine === null);
  const isBroken = useApp(({ state }) => state !== null && state.policy.problem !== null);
  const invalid = isHere && isBroken;
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

/** Undoes the last step of the edit with the keys that everybody knows, while no form is open. */
function useUndoKey(): void {
  const editing = useDraft((model) => model.editing);
  useEffect(() => {
    const down = (event: KeyboardEvent): void => {
      const isUndo = event.key.toLowerCase() === 'z' && (event.ctrlKey || event.metaKey);
      if (!isUndo || event.shiftKey || isTyping(event.target) || editing !== null) return;
      event.preventDefault();
      undo();
    };
    window.addEventListener('keydown', down);
    return () => window.removeEventListener('keydown', down);
  }, [editing]);
}

/** What waits for a word of the person: the form of a rule, conflicts, rules that can hardly be meant. */
function EditorDialogs() {
  const { agent, editing, conflicts, postponed, doubts } = useDraft();
  return (
    <>
      {editing !== null && <RuleDialog key={editing.id} agent={agent} editing={editing} />}
      {conflicts.length > 0 && !postponed && <ConflictDialog conflicts={conflicts} />}
      {doubts.length > 0 && <DoubtDialog doubts={doubts} />}
    </>
  );
}

/** The policy of a node, as that machine shows it, with the same editor; `null`: not read yet. */
export function NodePolicyEditor() {
  const document = useDocument();
  const mayEdit = usePolicy((model) => model.mayEdit);
  const agent = useDraft((model) => model.agent);
  useUndoKey();
  if (document === null) return null;
  return (
    <div className="allowlist">
      <AgentSwitcher document={document} />
      <fieldset className="node-policy" disabled={!mayEdit}>
        <Modes document={document} agent={agent} />
        <Rules key={agent} document={document} agent={agent} />
      </fieldset>
      <DraftBar />
      <EditorDialogs />
    </div>
  );
}

/** What each agent may do: its modes, its rules, and a tester for both. */
export function AllowlistView() {
  const text = useText();
  const document = useDocument();
  const { policy: saved, machine } = usePolicy();
  const policy = useApp((model) => model.state?.policy);
  const { draft, agent, suggesting } = useDraft();
  useUndoKey();
  useEffect(() => editPolicyOf(null), []);

  if (document === null || machine !== null) {
    if (policy === undefined) return null;
    if (policy.problem === null && (saved === null || machine !== null)) {
      return (
        <p className="faint" role="status">
          {text.history.loading}
        </p>
      );
    }
    return (
      <Empty
        icon="danger"
        title={text.rules.noPolicy}
        {...(policy.problem === null ? {} : { text: policy.problem.message })}
      />
    );
  }
  return (
    <section className="allowlist" aria-labelledby="allowlist-title">
      <header className="view-head">
        <h2 id="allowlist-title">{text.views.allowlist}</h2>
        <AgentSwitcher document={document} />
      </header>
      <Modes document={document} agent={agent} />
      <Tester agent={agent} draft={draft} />
      <Reach agent={agent} draft={draft} />
      <Grants />
      <Rules key={agent} document={document} agent={agent} />
      <DraftBar />
      {suggesting !== null && (
        <SuggestDialog key={suggesting.command} past={suggesting} draft={draft} />
      )}
      <EditorDialogs />
    </section>
  );
}
