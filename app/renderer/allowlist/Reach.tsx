import { useMemo, useState } from 'react';
import { displayPlain } from '../../../shared/base/index.ts';
import { EffectTag } from '../primitives/EffectTag.tsx';
import { useAsking } from '../state/asking.ts';
import { useText } from '../state/preferences.ts';
import { draftArgs } from './draft.ts';
import type { Draft } from './draft.ts';

interface ReachProps {
  readonly agent: string;
  readonly draft: Draft | null;
}

/** What an agent reaches from the sandbox, and what would become of an address. Connects nowhere. */
export function Reach({ agent, draft }: ReachProps) {
  const { reach: text } = useText();
  const [address, setAddress] = useState('');
  const edit = useMemo(() => draftArgs(draft), [draft]);
  const wanted = useMemo(
    () => ({ agent, ...(address.trim() === '' ? {} : { address }), ...edit }),
    [agent, address, edit],
  );
  const { answer } = useAsking('reach', wanted);
  const told = answer?.ok === true ? answer.result : null;
  const problem = answer?.ok === false ? answer.refusal.message : null;
  const verdict = told?.verdict ?? null;
  return (
    <details className="tester reach">
      <summary>
        <h3>{text.title}</h3>
        {told !== null && <span className="faint small">{text.networks[told.reach.network]}</span>}
      </summary>
      <div className="reach-body">
        <input
          className="input mono"
          aria-label={text.address}
          placeholder="https://registry.npmjs.org/"
          spellCheck={false}
          autoCapitalize="off"
          autoComplete="off"
          value={address}
          onChange={({ target }) => setAddress(target.value)}
        />
        <div className="tester-verdict" role="status">
          {problem !== null && <p className="field-problem">{problem}</p>}
          {verdict !== null && (
            <p className="tester-word">
              <EffectTag effect={verdict.verdict}>{text[verdict.verdict]}</EffectTag>{' '}
              <span lang="en">{displayPlain(verdict.message)}</span>
            </p>
          )}
          {told !== null && verdict === null && <p className="faint">{text.idle}</p>}
        </div>
        {told !== null && (
          <dl className="reach-lists small">
            <List
              name={text.presets}
              words={told.reach.presets.map(({ name, hosts }) => `${name} (${hosts})`)}
            />
            <List name={text.allowed} words={told.reach.allow} />
            <List name={text.denied} words={told.reach.deny} />
            <dt>{text.others}</dt>
            <dd>{text.unknown[told.reach.unknown]}</dd>
          </dl>
        )}
        <p className="faint small">{text.where}</p>
      </div>
    </details>
  );
}

function List({ name, words }: { readonly name: string; readonly words: readonly string[] }) {
  if (words.length === 0) return null;
  return (
    <>
      <dt>{name}</dt>
      <dd className="mono">{displayPlain(words.join('  '))}</dd>
    </>
  );
}
