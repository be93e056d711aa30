import { useMemo, useState } from 'react';
import { displayPlain } from '../../../shared/base/index.ts';
import type { SimulatedToolCall, Simulation } from '../../../shared/wire/index.ts';
import { Button } from '../primitives/Button.tsx';
import { EffectTag } from '../primitives/EffectTag.tsx';
import { useText } from '../state/preferences.ts';
import { useAsking } from '../state/asking.ts';
import { draftArgs, useDraft } from './draft.ts';
import type { Draft } from './draft.ts';

interface TesterProps {
  readonly agent: string;
  readonly draft: Draft | null;
}

/** Tells what would happen to a command, with the edit that is not saved yet. It runs nothing. */
export function Tester({ agent, draft }: TesterProps) {
  const { tester } = useText();
  const [command, setCommand] = useState('');
  const [cwd, setCwd] = useState('/tmp');
  const edit = useMemo(() => draftArgs(draft), [draft]);
  const wanted = useMemo(
    () => (command.trim() === '' || !cwd.startsWith('/') ? null : { agent, command, cwd, ...edit }),
    [agent, command, cwd, edit],
  );
  const { answer } = useAsking('simulate', wanted);
  const verdict = answer?.ok === true ? answer.result : null;
  const problem = answer?.ok === false ? answer.refusal.message : null;

  return (
    <section className="tester" aria-labelledby="tester-title">
      <h3 id="tester-title">{tester.title}</h3>
      <div className="tester-fields">
        <input
          className="input mono"
          aria-label={tester.command}
          placeholder={tester.placeholder}
          spellCheck={false}
          autoCapitalize="off"
          autoComplete="off"
          value={command}
          onChange={({ target }) => setCommand(target.value)}
        />
        <label className="tester-directory">
          <span className="field-label">{tester.directory}</span>
          <input
            className="input mono"
            spellCheck={false}
            value={cwd}
            onChange={({ target }) => setCwd(target.value)}
          />
        </label>
      </div>
      <div className="tester-verdict" role="status">
        {problem !== null && <p className="field-problem">{problem}</p>}
        {verdict === null && problem === null && <p className="faint">{tester.idle}</p>}
        {verdict !== null && <Verdict simulation={verdict} />}
        {verdict !== null && draft !== null && <p className="faint small">{tester.draft}</p>}
        {verdict !== null && verdict.toAllow.length > 0 && (
          <Button
            small
            icon="add"
            onClick={() => useDraft.setState({ suggesting: { agent, command, cwd } })}
          >
            {tester.toAllow}
          </Button>
        )}
      </div>
    </section>
  );
}

function Verdict({ simulation }: { readonly simulation: Simulation }) {
  const { tester } = useText();
  const { check, fallback, stages } = simulation;
  return (
    <>
      <p className="tester-word">
        <EffectTag effect={check.verdict}>{tester[check.verdict]}</EffectTag>{' '}
        {displayPlain(check.message)}
      </p>
      <ul className="tester-stages small">
        {check.analysis.stages.slice(0, 20).map(({ argv, resolvedPath, ruleId }, index) => (
          // oxlint-disable-next-line react/no-array-index-key
          <li key={index}>
            <span className="mono">{displayPlain(resolvedPath ?? argv[0] ?? '')}</span>{' '}
            <span className="faint">
              {displayPlain(stages[index]?.why ?? (ruleId === null ? tester.noRule : tester.rule))}
            </span>
          </li>
        ))}
      </ul>
      {fallback !== null && (
        <p className="faint small">
          {tester.fallback}: {displayPlain(fallback.message)}
        </p>
      )}
      {simulation.tool !== null && <ToolCall call={simulation.tool} />}
    </>
  );
}

/** What the broker would do with it: a call of a tool that the runner runs with a secret. */
function ToolCall({ call }: { readonly call: SimulatedToolCall }) {
  const { tester } = useText();
  const { name, verdict, message, hint, fromSandbox, given } = call;
  return (
    <div className="tester-tool">
      <p className="tester-word">
        <span className="field-label">{tester.tool(name)}</span>{' '}
        <EffectTag effect={verdict}>{tester[verdict]}</EffectTag>{' '}
        <span lang="en">{displayPlain(message)}</span>
      </p>
      <ul className="tester-stages small faint">
        {hint !== null && <li lang="en">{displayPlain(hint)}</li>}
        {given?.secrets.map((secret) => (
          <li key={secret.variable}>{tester.given(secret.name, secret.variable)}</li>
        ))}
        {given !== null && <li>{tester.folders[given.folder]}</li>}
        {given !== null && given.timeout !== null && <li>{tester.timeout(given.timeout)}</li>}
        {given !== null && given.perMinute !== null && <li>{tester.rate(given.perMinute)}</li>}
        <li>{fromSandbox ? tester.fromSandbox : tester.staysInside}</li>
      </ul>
    </div>
  );
}
