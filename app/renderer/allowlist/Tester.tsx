import { useEffect, useState } from 'react';
import { displayPlain } from '../../../shared/base/index.ts';
import type { Simulation } from '../../../shared/wire/index.ts';
import { Button } from '../primitives/Button.tsx';
import { useText } from '../state/preferences.ts';
import { call } from '../state/app.ts';
import { useDraft } from './draft.ts';
import type { Draft } from './draft.ts';

const typingPause = 180;

interface TesterProps {
  readonly agent: string;
  readonly draft: Draft | null;
}

/** Tells what would happen to a command, with the edit that is not saved yet. It runs nothing. */
export function Tester({ agent, draft }: TesterProps) {
  const { tester } = useText();
  const [command, setCommand] = useState('');
  const [cwd, setCwd] = useState('/tmp');
  const [verdict, setVerdict] = useState<Simulation | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const document = draft?.document;

  useEffect(() => {
    if (command.trim() === '' || !cwd.startsWith('/')) {
      setVerdict(null);
      setProblem(null);
      return undefined;
    }
    let current = true;
    const timer = setTimeout(async () => {
      const answer = await call('simulate', {
        agent,
        command,
        cwd,
        ...(document === undefined ? {} : { document }),
      });
      if (!current) return;
      setVerdict(answer.ok ? answer.result : null);
      setProblem(answer.ok ? null : answer.refusal.message);
    }, typingPause);
    return () => {
      current = false;
      clearTimeout(timer);
    };
  }, [agent, command, cwd, document]);

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

const tones = { allow: 'tag-accent', ask: 'tag-caution', deny: 'tag-danger' } as const;

function Verdict({ simulation }: { readonly simulation: Simulation }) {
  const { tester } = useText();
  const { check, fallback, stages } = simulation;
  return (
    <>
      <p className="tester-word">
        <span className={`tag ${tones[check.verdict]}`}>{tester[check.verdict]}</span>{' '}
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
    </>
  );
}
