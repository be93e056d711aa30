import { useEffect, useId, useMemo, useState } from 'react';
import type { ReactNode } from 'react';
import { displayPlain } from '../../../shared/base/index.ts';
import { starterSets } from '../../../shared/engine/index.ts';
import type { PolicyEdit } from '../../../shared/engine/index.ts';
import type { StarterPreview } from '../../bridge/types.ts';
import { Segments } from '../primitives/Segments.tsx';
import { call } from '../state/app.ts';
import { useAsking } from '../state/asking.ts';
import { useText } from '../state/preferences.ts';
import './starters.css';

/** What a person has chosen so far. */
export interface StarterWish {
  readonly set: string;
  readonly folder: string;
}

/** The widest set that is bound to one project; agents need it to work unasked. */
const usualSet = 'project';

/** A wish to begin with, whose folder is the project that was worked in most. */
export function useStarterWish(): readonly [StarterWish, (wish: StarterWish) => void] {
  const [wish, setWish] = useState<StarterWish>({ set: usualSet, folder: '' });
  useEffect(() => {
    const look = async (): Promise<void> => {
      const answer = await call('starterFolders', {});
      const [first = ''] = answer.ok ? answer.result.folders : [];
      setWish((old) => (old.folder === '' ? { ...old, folder: first } : old));
    };
    void look();
  }, []);
  return [wish, setWish];
}

/** What a wish would bring, asked again when typing pauses; null while it is not known. */
export function useStarterPreview(
  { set, folder }: StarterWish,
  { agent, draft }: { readonly agent: string; readonly draft?: PolicyEdit | undefined },
) {
  const fits = /^(\/|~\/)./.test(folder);
  const args = useMemo(
    () => (fits ? { set, folder, agent, ...(draft !== undefined && { draft }) } : null),
    [fits, set, folder, agent, draft],
  );
  return useAsking('starter', args);
}

/** How many rules a preview brings: new ones and those that become others. */
export function rulesIn({ updates }: StarterPreview): number {
  return updates.reduce((sum, { added, changed }) => sum + added.length + changed.length, 0);
}

/** Which set, and where. */
export function StarterFields({
  wish,
  onChange,
}: {
  readonly wish: StarterWish;
  readonly onChange: (wish: StarterWish) => void;
}) {
  const { starters } = useText();
  const id = useId();
  const problem = wish.folder !== '' && !/^(\/|~\/)/.test(wish.folder);
  return (
    <div className="starter-fields">
      <Segments
        legend={starters.set}
        showLegend
        options={starterSets.map(({ name, title }) => ({
          value: name,
          label: starters.sets[name]?.title ?? title,
        }))}
        value={wish.set}
        onChange={(set) => onChange({ ...wish, set })}
      />
      <p className="quiet small">{starters.sets[wish.set]?.says}</p>
      <label className="field">
        <span className="field-label">{starters.folder}</span>
        <input
          className="input mono"
          value={wish.folder}
          placeholder="~/src/app"
          spellCheck={false}
          autoComplete="off"
          aria-invalid={problem}
          aria-describedby={id}
          onChange={({ target }) => onChange({ ...wish, folder: target.value })}
        />
        <span id={id} className={problem ? 'field-problem' : 'field-help'}>
          {problem ? starters.folderProblem : starters.folderHelp}
        </span>
      </label>
    </div>
  );
}

/** How much of what agents run the rules would cover, and what they leave. */
export function StarterCoverage({
  covers: { from, covered, looked, left },
}: Pick<StarterPreview, 'covers'>) {
  const { starters } = useText();
  return (
    <div className="starter-coverage">
      <p>
        <strong>{starters.covers[from](covered, looked)}</strong>
      </p>
      <meter className="starter-meter" min={0} max={Math.max(looked, 1)} value={covered}>
        {covered} / {looked}
      </meter>
      {left.length > 0 && (
        <details className="past">
          <summary className="small">
            {starters.left} ({left.length})
          </summary>
          <ul>
            {left.map((command) => (
              <li key={command} className="mono small">
                {displayPlain(command)}
              </li>
            ))}
          </ul>
        </details>
      )}
    </div>
  );
}

/** What a set of rules would change, as far as that is known: a problem, or what `children` say of it. */
export function StarterFound({
  answer,
  asking,
  children,
}: Pick<ReturnType<typeof useStarterPreview>, 'answer' | 'asking'> & {
  readonly children: ReactNode;
}) {
  const { starters } = useText();
  return (
    <div className="starter-found" role="status">
      {asking && answer?.ok !== true && <p className="faint small">{starters.looking}</p>}
      {answer?.ok === false && (
        <p className="field-problem" lang="en">
          {displayPlain(answer.refusal.message)}
        </p>
      )}
      {children}
    </div>
  );
}
