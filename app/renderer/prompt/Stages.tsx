import { useState } from 'react';
import { builtinNames } from '../../../shared/engine/index.ts';
import type { Ask, AskStage } from '../../../shared/engine/index.ts';
import { displayPlain } from '../../../shared/base/index.ts';
import { Button } from '../primitives/Button.tsx';
import { Icon } from '../primitives/Icon.tsx';
import { useText } from '../state/preferences.ts';

const firstStages = 6;
const moreStages = 100;

function Stage({ stage, number, cwd }: { stage: AskStage; number: number; cwd: string }) {
  const { prompt } = useText();
  return (
    <li className="stage">
      <span className="stage-number" aria-label={prompt.stage(number)}>
        {number}
      </span>
      <div className="stage-body">
        <p className="stage-program">
          <span className="mono stage-name">{displayPlain(stage.argv[0] ?? '')}</span>
          <Where stage={stage} />
          {stage.via.length > 0 && (
            <span className="faint small">
              {prompt.via} <span className="mono">{displayPlain(stage.via.join(' › '))}</span>
            </span>
          )}
          {stage.cwd !== null && stage.cwd !== cwd && (
            <span className="faint small">
              {prompt.stageDirectory} <span className="mono">{displayPlain(stage.cwd)}</span>
            </span>
          )}
        </p>
        {stage.writes.map((path) => (
          <p key={path} className="stage-writes small">
            <Icon name="write" size={14} />
            {prompt.writes} <span className="mono">{displayPlain(path)}</span>
          </p>
        ))}
        <p className="quiet small">{displayPlain(stage.why)}</p>
      </div>
    </li>
  );
}

function Where({ stage }: { readonly stage: AskStage }) {
  const { prompt } = useText();
  if (stage.program === 'tool') {
    return <span className="mono quiet">{displayPlain(stage.argv.slice(1).join(' '))}</span>;
  }
  if (stage.resolvedPath !== null) {
    return <span className="mono quiet">{displayPlain(stage.resolvedPath)}</span>;
  }
  // Older runners did not send a stage's role.
  const program = stage.program ?? (builtinNames.has(stage.argv[0] ?? '') ? 'builtin' : 'missing');
  return program === 'builtin' ? (
    <span className="faint">{prompt.builtin}</span>
  ) : (
    <span className="tag tag-caution">{prompt.notFound}</span>
  );
}

/** One line for each program that would run: where it was found, what it writes, why no rule matches. */
export function Stages({ ask }: { readonly ask: Ask }) {
  const { prompt } = useText();
  const [count, setCount] = useState(firstStages);
  if (ask.stages.length === 0) return null;
  const hidden = ask.stages.length - count;
  const name = prompt.stages[ask.kind];
  return (
    <section className="block" aria-label={name}>
      <h3 className="eyebrow">{name}</h3>
      <ol className="stages">
        {ask.stages.slice(0, count).map((stage, index) => (
          // oxlint-disable-next-line react/no-array-index-key
          <Stage key={index} stage={stage} number={index + 1} cwd={ask.cwd} />
        ))}
      </ol>
      {hidden > 0 && (
        <Button small look="plain" icon="down" onClick={() => setCount(count + moreStages)}>
          {prompt.moreStages(hidden)}
        </Button>
      )}
    </section>
  );
}

/** Variables that the request sets; those that can load other code stand out. */
export function Environment({ ask }: { readonly ask: Ask }) {
  const { prompt } = useText();
  if (ask.env.length === 0) return null;
  return (
    <section className="block" aria-label={prompt.environment}>
      <h3 className="eyebrow">{prompt.environment}</h3>
      <ul className="environment">
        {ask.env.map(({ name, value, unsafe }) => (
          <li key={name} className={unsafe ? 'variable variable-unsafe' : 'variable'}>
            <span className="mono">
              {displayPlain(name)}={displayPlain(value)}
            </span>
            {unsafe && <span className="tag tag-danger">{prompt.unsafe}</span>}
          </li>
        ))}
      </ul>
    </section>
  );
}
