import { useEffect, useState } from 'react';
import { displayPlain } from '../../../shared/base/index.ts';
import type { RuleSuggestion } from '../../../shared/wire/index.ts';
import { Button } from '../primitives/Button.tsx';
import { Dialog } from '../primitives/Dialog.tsx';
import { Segments } from '../primitives/Segments.tsx';
import { call } from '../state/app.ts';
import { OfferText } from '../prompt/Remember.tsx';
import { useText } from '../state/preferences.ts';
import { PastEffect } from './PastEffect.tsx';
import { addRules, draftArgs, useDraft } from './draft.ts';
import type { Draft, Editing, PastCommand } from './draft.ts';

interface SuggestDialogProps {
  readonly past: PastCommand;
  readonly draft: Draft | null;
}

/** The rules that are suggested for a past command; null while they are looked for. */
function useSuggestion({ past, draft }: SuggestDialogProps): RuleSuggestion | null {
  const { agent, command, cwd } = past;
  const [suggestion, setSuggestion] = useState<RuleSuggestion | null>(null);
  useEffect(() => {
    let current = true;
    const look = async (): Promise<void> => {
      const answer = await call('suggestRule', { agent, command, cwd, ...draftArgs(draft) });
      if (!current) return;
      setSuggestion(answer.ok ? answer.result : { proposals: [], why: answer.refusal.message });
    };
    void look();
    return () => {
      current = false;
    };
  }, [agent, command, cwd, draft]);
  return suggestion;
}

const close = (): void => useDraft.setState({ suggesting: null });
const edit = (rule: Editing['rule']): void =>
  useDraft.setState({ suggesting: null, editing: { id: null, rule } });

/** Rules to choose from for a past command, from narrow to wide, with what each would have done. */
export function SuggestDialog({ past, draft }: SuggestDialogProps) {
  const { ruleForm, prompt, history } = useText();
  const { agent, command } = past;
  const suggestion = useSuggestion({ past, draft });
  const [chosen, setChosen] = useState<string | null>(null);
  const proposals = suggestion?.proposals ?? [];
  const proposal = proposals.find(({ id }) => id === chosen) ?? proposals[0];
  const only = proposal?.rules.length === 1 ? proposal.rules[0] : undefined;
  return (
    <Dialog title={ruleForm.suggestTitle} onClose={close}>
      <pre className="quoted-command">{displayPlain(command)}</pre>
      {suggestion === null && <p className="faint">{history.loading}</p>}
      {suggestion !== null && proposal === undefined && (
        <div role="status">
          <h3>{ruleForm.suggestNone}</h3>
          {suggestion.why !== null && <p className="quiet">{displayPlain(suggestion.why)}</p>}
        </div>
      )}
      {proposal !== undefined && (
        <>
          <Segments
            legend={prompt.covers}
            showLegend
            options={proposals.map(({ id, scope }) => ({ value: id, label: prompt.scopes[scope] }))}
            value={proposal.id}
            onChange={setChosen}
          />
          <div className="proposal">
            <p role="status">
              <OfferText proposal={proposal} />
            </p>
            <PastEffect agent={agent} rules={proposal.rules} />
          </div>
          <p className="faint small">{ruleForm.suggestFor(displayPlain(agent))}</p>
        </>
      )}
      <div className="dialog-actions">
        <Button onClick={close}>{ruleForm.cancel}</Button>
        {suggestion !== null && proposal === undefined && (
          <Button onClick={() => edit(null)}>{ruleForm.suggestOwn}</Button>
        )}
        {only !== undefined && <Button onClick={() => edit(only)}>{ruleForm.suggestEdit}</Button>}
        {proposal !== undefined && (
          <Button
            look="solid"
            onClick={() => {
              addRules(proposal.rules.map((rule) => ({ agent, rule })));
              close();
            }}
          >
            {ruleForm.suggestAdd}
          </Button>
        )}
      </div>
    </Dialog>
  );
}
