import { useState } from 'react';
import { showSaved } from '../allowlist/draft.ts';
import { Button } from '../primitives/Button.tsx';
import { callOrShow, useApp } from '../state/app.ts';
import { readPolicy } from '../state/policy.ts';
import { useText } from '../state/preferences.ts';
import {
  StarterCoverage,
  StarterFields,
  StarterFound,
  rulesIn,
  useStarterPreview,
  useStarterWish,
} from './StarterForm.tsx';

/** The step of the guide that chooses rules to begin with; they hold for every agent. */
export function StarterStep() {
  const { starters } = useText();
  const [wish, setWish] = useStarterWish();
  const [busy, setBusy] = useState(false);
  const { answer, asking } = useStarterPreview(wish, { agent: '*' });
  const preview = answer?.ok === true ? answer.result : null;
  const use = async (): Promise<void> => {
    setBusy(true);
    const before = await readPolicy();
    const result = await callOrShow('addStarter', { ...wish, agent: '*' });
    const after = result === null ? null : await readPolicy();
    setBusy(false);
    const old = before?.document ?? null;
    const now = after?.document ?? null;
    if (old !== null && now !== null) showSaved('starter', old, now);
    if (result !== null) useApp.setState(({ guideTurn }) => ({ guideTurn: guideTurn + 1 }));
  };
  return (
    <div className="starter-step">
      <StarterFields wish={wish} onChange={setWish} />
      <StarterFound answer={answer} asking={asking}>
        {preview !== null && <StarterCoverage covers={preview.covers} />}
      </StarterFound>
      <Button
        look={preview === null ? 'default' : 'solid'}
        disabled={busy || asking || preview === null}
        onClick={() => void use()}
      >
        {busy ? starters.using : preview === null ? starters.add : starters.use(rulesIn(preview))}
      </Button>
    </div>
  );
}
