import { useState } from 'react';
import type { PolicyDocument } from '../../../shared/policy/types.ts';
import { displayPlain } from '../../../shared/display/display.ts';
import { Button } from '../primitives/Button.tsx';
import { useText } from '../state/preferences.ts';
import { useDraft } from './draft.ts';

/** Chooses whose rules are shown; a new agent begins with no rules of its own. */
export function AgentSwitcher({ document }: { readonly document: PolicyDocument }) {
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
            // The field was asked for with the button that it replaces.
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
