import { Empty } from '../primitives/Empty.tsx';
import { useApp } from '../state/app.ts';
import { useText } from '../state/preferences.ts';
import { AgentSwitcher } from './AgentSwitcher.tsx';
import { ConflictDialog } from './ConflictDialog.tsx';
import { DraftBar } from './DraftBar.tsx';
import { Modes } from './Modes.tsx';
import { RuleDialog } from './RuleDialog.tsx';
import { Rules } from './Rules.tsx';
import { SuggestDialog } from './SuggestDialog.tsx';
import { Tester } from './Tester.tsx';
import { useDocument, useDraft } from './draft.ts';
import './allowlist.css';

/** What each agent may do: its modes, its rules, and a tester for both. */
export function AllowlistView() {
  const text = useText();
  const document = useDocument();
  const policy = useApp((model) => model.state?.policy);
  const { draft, agent, editing, suggesting, conflicts, postponed } = useDraft();

  if (document === null) {
    if (policy === undefined) return null;
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
      <Rules key={agent} document={document} agent={agent} />
      <DraftBar />
      {editing !== null && <RuleDialog key={editing.id} agent={agent} editing={editing} />}
      {suggesting !== null && (
        <SuggestDialog key={suggesting.command} past={suggesting} draft={draft} />
      )}
      {conflicts.length > 0 && !postponed && <ConflictDialog conflicts={conflicts} />}
    </section>
  );
}
