import { useId, useMemo, useState } from 'react';
import { displayPlain } from '../../../shared/base/index.ts';
import { egressRuleProblem } from '../../../shared/engine/index.ts';
import type { PolicyDocument, Rule } from '../../../shared/engine/index.ts';
import { Button } from '../primitives/Button.tsx';
import { EffectTag } from '../primitives/EffectTag.tsx';
import { useAsking } from '../state/asking.ts';
import { useText } from '../state/preferences.ts';
import { addRules, draftArgs, editPart, useDocument } from './draft.ts';
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
        <Hosts agent={agent} effect="allow" />
        <Hosts agent={agent} effect="deny" />
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

/** Rules about hosts with this effect: of an agent, or of everybody. */
function hostRules(
  document: PolicyDocument | null,
  agent: string,
  wanted: Rule['effect'],
): readonly Rule[] {
  const rules = document?.agents?.[agent]?.allowlist ?? [];
  return rules.filter(({ kind, effect = 'allow' }) => kind === 'egress' && effect === wanted);
}

/** One list of hosts, edited as a part of the draft of the policy. */
function Hosts({ agent, effect }: { readonly agent: string; readonly effect: 'allow' | 'deny' }) {
  const { reach: text } = useText();
  const document = useDocument();
  const [host, setHost] = useState('');
  const [problem, setProblem] = useState<string | null>(null);
  const problemId = useId();
  const own = hostRules(document, agent, effect);
  const everyones = agent === '*' ? [] : hostRules(document, '*', effect);
  const add = (): void => {
    const pattern = host.trim();
    const wrong = own.some((rule) => rule.pattern === pattern)
      ? text.twice
      : egressRuleProblem({ kind: 'egress', pattern });
    setProblem(wrong);
    if (wrong !== null) return;
    addRules([{ agent, rule: { kind: 'egress', effect, pattern } }]);
    setHost('');
  };
  return (
    <section className="reach-hosts" aria-label={text.lists[effect]}>
      <h4 className="field-label">{text.lists[effect]}</h4>
      {own.length + everyones.length > 0 && (
        <ul>
          {own.map(({ id, pattern }) => (
            <li key={id}>
              <span className="mono">{displayPlain(pattern)}</span>
              <Button
                small
                look="plain"
                icon="trash"
                aria-label={text.remove(displayPlain(pattern))}
                onClick={() => editPart({ kind: 'rule', agent, id }, null)}
              />
            </li>
          ))}
          {everyones.map(({ id, pattern }) => (
            <li key={id}>
              <span className="mono">{displayPlain(pattern)}</span>{' '}
              <span className="faint small">{text.everyone}</span>
            </li>
          ))}
        </ul>
      )}
      <form
        className="reach-add"
        onSubmit={(event) => {
          event.preventDefault();
          if (host.trim() !== '') add();
        }}
      >
        <input
          className="input mono"
          aria-label={text.add[effect]}
          aria-invalid={problem !== null}
          aria-describedby={problem === null ? undefined : problemId}
          placeholder="*.example.com:8443"
          spellCheck={false}
          autoCapitalize="off"
          autoComplete="off"
          maxLength={300}
          value={host}
          onChange={({ target }) => {
            setHost(target.value);
            setProblem(null);
          }}
        />
        <Button small type="submit" icon="add" disabled={host.trim() === ''}>
          {text.addHost}
        </Button>
      </form>
      {problem !== null && (
        <p id={problemId} className="field-problem small" role="alert">
          {displayPlain(problem)}
        </p>
      )}
    </section>
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
