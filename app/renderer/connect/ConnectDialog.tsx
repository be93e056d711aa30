import { useEffect, useState } from 'react';
import { displayPlain } from '../../../shared/base/index.ts';
import type { BridgeCalls } from '../../bridge/types.ts';
import { Button } from '../primitives/Button.tsx';
import { Diff } from '../primitives/Diff.tsx';
import { Dialog } from '../primitives/Dialog.tsx';
import { Icon } from '../primitives/Icon.tsx';
import { call, callOrShow, useApp } from '../state/app.ts';
import { useText } from '../state/preferences.ts';
import './connect.css';

type Connectable = BridgeCalls['connectable']['result'];
type Preview = BridgeCalls['connectPreview']['result'];

/** Which agents there are, looked up again when one was connected; null before it is known. */
export function useConnectable(): Connectable | null {
  const link = useApp((model) => model.link);
  const turn = useApp((model) => model.guideTurn);
  const [known, setKnown] = useState<Connectable | null>(null);
  const reason = link === 'open' ? `open ${turn}` : null;
  useEffect(() => {
    if (reason === null) return undefined;
    let isCurrent = true;
    const look = async (): Promise<void> => {
      const answer = await call('connectable', {});
      if (isCurrent && answer.ok) setKnown(answer.result);
    };
    void look();
    return () => {
      isCurrent = false;
    };
  }, [reason]);
  return known;
}

/** A button that opens the dialog; nothing where this shell cannot connect an agent. */
export function ConnectButton({ look }: { readonly look?: 'solid' | 'default' }) {
  const { connect } = useText();
  const known = useConnectable();
  const [open, setOpen] = useState(false);
  if (known === null || !known.possible) return null;
  return (
    <>
      <Button icon="add" look={look ?? 'default'} onClick={() => setOpen(true)}>
        {connect.open}
      </Button>
      {open && <ConnectDialog hosts={known.hosts} onClose={() => setOpen(false)} />}
    </>
  );
}

/** What connecting an agent would change, or why that cannot be told. */
function usePreview(host: string): {
  readonly preview: Preview | null;
  readonly problem: string | null;
} {
  const [preview, setPreview] = useState<Preview | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  useEffect(() => {
    let isCurrent = true;
    setPreview(null);
    setProblem(null);
    const look = async (): Promise<void> => {
      const answer = await call('connectPreview', { host });
      if (!isCurrent) return;
      if (answer.ok) setPreview(answer.result);
      else setProblem(`${answer.refusal.message} ${answer.refusal.hint}`);
    };
    void look();
    return () => {
      isCurrent = false;
    };
  }, [host]);
  return { preview, problem };
}

/** What was done, and how it is taken back. */
function Done({ host, said }: { readonly host: string; readonly said: readonly string[] }) {
  const { connect: words } = useText();
  return (
    <div role="status" className="connect-said">
      <p>
        <Icon name="ok" /> <strong>{words.done}</strong>
      </p>
      <ul className="small" lang="en">
        {said.map((line) => (
          <li key={line}>{displayPlain(line)}</li>
        ))}
      </ul>
      <p className="quiet">{words.later}</p>
      <p className="faint small">{words.undo(host)}</p>
    </div>
  );
}

interface ConnectDialogProps {
  readonly hosts: Connectable['hosts'];
  readonly onClose: () => void;
}

/** Puts an agent behind the gate: first what would change in its settings, then the change itself. */
function ConnectDialog({ hosts, onClose }: ConnectDialogProps) {
  const { connect: words } = useText();
  const [host, setHost] = useState(
    (hosts.find(({ connected }) => !connected) ?? hosts[0])?.host ?? '',
  );
  const { preview, problem } = usePreview(host);
  const [busy, setBusy] = useState(false);
  const [said, setSaid] = useState<readonly string[] | null>(null);
  const accept = async (digest: string): Promise<void> => {
    setBusy(true);
    const result = await callOrShow('connect', { host, digest });
    setBusy(false);
    if (result === null) {
      onClose();
      return;
    }
    setSaid(result.said);
  };
  const close = (): void => {
    onClose();
    // What shows the agents looks again only now: it may hold this very dialog.
    if (said !== null) useApp.setState(({ guideTurn }) => ({ guideTurn: guideTurn + 1 }));
  };

  return (
    <Dialog title={words.title} onClose={close}>
      {said === null ? (
        <>
          <p className="quiet">{words.text}</p>
          <label className="field">
            <span className="field-label">{words.which}</span>
            <select
              className="input"
              value={host}
              disabled={busy}
              onChange={({ target }) => setHost(target.value)}
            >
              {hosts.map((each) => (
                <option key={each.host} value={each.host}>
                  {each.connected ? `${each.title} ✓` : each.title}
                </option>
              ))}
            </select>
          </label>
          <div role="status">
            {preview === null && problem === null && <p className="faint">{words.looking}</p>}
            {problem !== null && (
              <p className="field-problem" lang="en">
                {displayPlain(problem)}
              </p>
            )}
            {preview?.diff === '' && <p>{words.nothing}</p>}
          </div>
          {preview !== null && preview.diff !== '' && (
            <Diff text={preview.diff} label={words.diff} />
          )}
        </>
      ) : (
        <Done host={host} said={said} />
      )}
      <div className="dialog-actions">
        <Button onClick={close}>{words.close}</Button>
        {said === null && (
          <Button
            look="solid"
            disabled={busy || preview === null || preview.diff === ''}
            onClick={() => preview !== null && void accept(preview.digest)}
          >
            {busy ? words.connecting : words.accept}
          </Button>
        )}
      </div>
    </Dialog>
  );
}
