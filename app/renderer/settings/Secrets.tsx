import { useCallback, useEffect, useState } from 'react';
import { displayPlain } from '../../../shared/base/index.ts';
import type { BridgeCalls, ListedSecret } from '../../bridge/types.ts';
import { Button } from '../primitives/Button.tsx';
import { Dialog } from '../primitives/Dialog.tsx';
import { call, callOrShow, useApp, useHostNow } from '../state/app.ts';
import { useText } from '../state/preferences.ts';
import { fullTime, relativeTime } from '../text/format.ts';
import { SettingsGroup } from './SettingsGroup.tsx';

type Listed = BridgeCalls['secrets']['result'];

/** The named secrets: what they are for and when they were used. Values never come to a page. */
export function Secrets() {
  const { secrets: words } = useText();
  const link = useApp((model) => model.link);
  const [listed, setListed] = useState<Listed | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const [going, setGoing] = useState<string | null>(null);
  const look = useCallback(async (): Promise<void> => {
    const answer = await call('secrets', {});
    setListed(answer.ok ? answer.result : null);
    setProblem(answer.ok ? null : `${answer.refusal.message} ${answer.refusal.hint}`);
  }, []);
  useEffect(() => {
    if (link === 'open') void look();
  }, [link, look]);
  const remove = async (name: string): Promise<void> => {
    setGoing(null);
    await callOrShow('removeSecret', { name });
    await look();
  };
  return (
    <SettingsGroup title={words.title}>
      <div className="settings-row">
        <p className="field-help">
          {words.help} <code className="mono">interlock secret set NAME</code>
        </p>
        {listed !== null && <p className="field-help">{listed.sentence}</p>}
        {problem !== null && (
          <p className="field-problem" role="alert">
            {problem}
          </p>
        )}
      </div>
      {listed?.secrets.map((one) => (
        <Entry key={one.name} secret={one} onRemove={() => setGoing(one.name)} />
      ))}
      {listed?.secrets.length === 0 && (
        <div className="settings-row">
          <p className="field-help">{words.none}</p>
        </div>
      )}
      {going !== null && (
        <Dialog title={words.removeTitle(displayPlain(going))} onClose={() => setGoing(null)}>
          <p>{words.removeText}</p>
          <div className="dialog-actions">
            <Button onClick={() => setGoing(null)}>{words.keep}</Button>
            <Button look="danger" onClick={() => void remove(going)}>
              {words.remove}
            </Button>
          </div>
        </Dialog>
      )}
    </SettingsGroup>
  );
}

function Entry({
  secret,
  onRemove,
}: {
  readonly secret: ListedSecret;
  readonly onRemove: () => void;
}) {
  const { secrets: words, code } = useText();
  const now = useHostNow();
  const { name, keptAt, lastUsedAt, lastUsedBy, uses } = secret;
  const when = (at: number, says: (text: string) => string) => (
    <span title={fullTime(at, code)}>{says(relativeTime(at, now, code))}</span>
  );
  return (
    <div className="settings-row secret">
      <div>
        <strong className="mono">{displayPlain(name)}</strong>
        <p className="field-help">
          {uses.length === 0
            ? words.noUse
            : uses.map(({ kind, of }) => words.uses[kind](displayPlain(of))).join(' · ')}
        </p>
        {keptAt === null ? (
          <p className="field-problem">{words.missing(name)}</p>
        ) : (
          <p className="field-help">
            {when(keptAt, words.kept)}
            {' · '}
            {lastUsedAt === null
              ? words.neverUsed
              : when(lastUsedAt, (text) =>
                  words.lastUsed(text, lastUsedBy === null ? null : displayPlain(lastUsedBy)),
                )}
          </p>
        )}
      </div>
      {keptAt !== null && (
        <Button small aria-label={`${words.remove}: ${displayPlain(name)}`} onClick={onRemove}>
          {words.remove}
        </Button>
      )}
    </div>
  );
}
