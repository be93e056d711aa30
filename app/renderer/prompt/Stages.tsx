import { useState } from 'react';
import { builtinNames } from '../../../shared/engine/index.ts';
import type { Ask, AskStage, StageReason } from '../../../shared/engine/index.ts';
import { displayPlain } from '../../../shared/base/index.ts';
import { doesSentence } from '../../bridge/words.ts';
import { Button } from '../primitives/Button.tsx';
import { Icon } from '../primitives/Icon.tsx';
import { useText } from '../state/preferences.ts';

/** Stages that are shown before the person wants more. */
export const stagesInView = 6;
const moreStages = 100;

interface StageProps {
  readonly stage: AskStage;
  readonly number: number;
  readonly cwd: string;
  /** What it does and why it is asked about stands elsewhere. */
  readonly alone: boolean;
}

/**
 * What the gate says, which is always English. Where the language of the page has a sentence of its
 * own, that comes first and the original stands beneath it.
 */
export function Worded(props: { readonly own: string | undefined; readonly original: string }) {
  const { shell } = useText();
  if (props.own === undefined) return <span>{props.original}</span>;
  return (
    <span className="worded">
      <span>{props.own}</span>
      <span className="worded-original" lang="en" title={shell.original}>
        {props.original}
      </span>
    </span>
  );
}

/** Which rule missed a stage and why, or which one decided. */
export function StageWhy({ stage }: { readonly stage: AskStage }) {
  const { codes } = useText();
  const original = displayPlain(stage.why);
  const words = codes.stages?.[(stage.whyCode ?? '') as StageReason];
  if (words === undefined) return <Worded own={undefined} original={original} />;
  // A tool is named by what it is used on, as the gate does.
  const [program = '', ...on] = stage.argv;
  const named = stage.program === 'tool' && on.length > 0 ? on.join(' ') : program;
  const own = words.says(displayPlain(named));
  return words.isWhole ? <span>{own}</span> : <Worded own={own} original={original} />;
}

/** What a stage does, in one sentence, from the record of its program. */
export function Does({ stage }: { readonly stage: AskStage }) {
  const { prompt, code } = useText();
  const { parts, isEnglish } = doesSentence(stage, {
    verbs: prompt.acts,
    folders: prompt.folders,
    sentences: prompt.does,
    isEnglish: code === 'en',
  });
  if (parts.length === 0) return null;
  return (
    <p className="stage-does" lang={isEnglish ? 'en' : undefined}>
      {parts.map(({ text, isName }, index) =>
        isName ? (
          // oxlint-disable-next-line react/no-array-index-key
          <code key={index} className="mono">
            {displayPlain(text)}
          </code>
        ) : (
          text
        ),
      )}
    </p>
  );
}

function Stage({ stage, number, cwd, alone }: StageProps) {
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
        {alone ? null : (
          <>
            <Does stage={stage} />
            <p className="quiet small">
              <StageWhy stage={stage} />
            </p>
          </>
        )}
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

/** Whether one program runs that is there, as itself, here, and writes nothing that is named. */
function isPlain({ stages, risk, cwd }: Ask): boolean {
  const [stage] = stages;
  if (stages.length !== 1 || stage === undefined || risk.level !== 'none') return false;
  const found = stage.program === 'builtin' || stage.resolvedPath !== null;
  const here = stage.cwd === null || stage.cwd === cwd;
  return found && here && stage.writes.length === 0 && stage.via.length === 0;
}

/** Each program that would run: where it was found, what it does and what it writes. */
export function Stages({ ask }: { readonly ask: Ask }) {
  const { prompt } = useText();
  if (ask.stages.length === 0) return null;
  const list = <StageList ask={ask} alone={ask.stages.length === 1} />;
  if (!isPlain(ask)) return list;
  return (
    <details className="folded">
      <summary className="small faint">{prompt.stages[ask.kind]}</summary>
      {list}
    </details>
  );
}

function StageList({ ask, alone }: { readonly ask: Ask; readonly alone: boolean }) {
  const { prompt } = useText();
  const [count, setCount] = useState(stagesInView);
  const hidden = ask.stages.length - count;
  const name = prompt.stages[ask.kind];
  return (
    <section className="block" aria-label={name}>
      <h3 className="eyebrow">{name}</h3>
      <ol className="stages">
        {ask.stages.slice(0, count).map((stage, index) => (
          // oxlint-disable-next-line react/no-array-index-key
          <Stage key={index} stage={stage} number={index + 1} cwd={ask.cwd} alone={alone} />
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
