import { useState } from 'react';
import { displayPlain } from '../../../shared/base/index.ts';
import { unlockWithPasskey, usableHere, usableInBrowser } from '../passkeys/ceremony.ts';
import { InBrowser, useCanOpenBrowser } from '../passkeys/InBrowser.tsx';
import { Button } from '../primitives/Button.tsx';
import { Field } from '../primitives/Field.tsx';
import { HoldButton, useHold } from '../primitives/HoldButton.tsx';
import { Icon } from '../primitives/Icon.tsx';
import { callOrShow, useApp, useModeReason } from '../state/app.ts';
import type { LockoutDone } from '../state/app.ts';
import { useText } from '../state/preferences.ts';
import './lockout.css';

/** What the lockout did, and the deliberate way out: a passphrase, then a held button. */
export function LockedPanel() {
  const { lockout } = useText();
  const reason = useModeReason();
  const done = useApp((model) => model.lockoutDone);
  const wayOut = useApp((model) => model.state?.wayOut);
  return (
    <section className="locked" aria-labelledby="locked-title">
      <header className="locked-head">
        <Icon name="lockout" size={32} />
        <div>
          <h2 id="locked-title">{lockout.locked}</h2>
          <p>{lockout.text}</p>
          {reason !== null && (
            <p>
              {lockout.because}: {displayPlain(reason)}
            </p>
          )}
        </div>
      </header>
      {done !== null && <Done done={done} />}
      <PasskeyUnlock />
      {wayOut === 'terminal' ? (
        <div className="locked-part">
          <h3>{lockout.wayOut}</h3>
          <p>{lockout.noPassphrase}</p>
          <code className="empty-command">interlock unlock</code>
        </div>
      ) : (
        <Unlock />
      )}
    </section>
  );
}

/** What the lockout did. */
function Done({ done }: { readonly done: LockoutDone }) {
  const { lockout } = useText();
  return (
    <div className="locked-part" role="status">
      <h3>{lockout.did}</h3>
      <ul className="locked-list">
        {done.runnerReached === false && <li>{lockout.noRunner}</li>}
        <li>{done.stopped > 0 ? lockout.stopped(done.stopped) : lockout.noneStopped}</li>
        <li>{done.keysRotated > 0 ? lockout.rotated(done.keysRotated) : lockout.noneRotated}</li>
        {done.tokenRotated === true && <li>{lockout.token}</li>}
        <li>{lockout.withdrawn(done.withdrawn)}</li>
        {(done.left ?? 0) > 0 && <li className="locked-trouble">{lockout.left(done.left ?? 0)}</li>}
        {(done.problems ?? []).map((problem) => (
          <li key={problem} className="locked-trouble">
            {displayPlain(problem)}
          </li>
        ))}
      </ul>
    </div>
  );
}

/** The way out by a passkey, which is the deliberate act by itself. */
function PasskeyUnlock() {
  const { passkeys: words, lockout } = useText();
  const passkeys = useApp((model) => model.state?.passkeys);
  const known = usableHere(passkeys);
  const isElsewhere = useCanOpenBrowser() && usableInBrowser(passkeys).length > 0;
  const [agents, setAgents] = useState(true);
  const [busy, setBusy] = useState(false);
  const unlock = async (): Promise<void> => {
    setBusy(true);
    const opened = await unlockWithPasskey(known, agents);
    setBusy(false);
    if (opened) useApp.getState().lockedOut(null);
  };
  if (isElsewhere)
    return (
      <div className="locked-part">
        <h3>{words.title}</h3>
        <InBrowser
          errand={{ errand: 'unlock' }}
          label={words.unlockInBrowser}
          look="danger-outline"
        />
      </div>
    );
  if (known.length === 0) return null;
  return (
    <div className="locked-part">
      <h3>{words.title}</h3>
      <div className="locked-out">
        <Button look="danger-outline" disabled={busy} onClick={() => void unlock()}>
          {busy ? words.busy : words.unlock}
        </Button>
      </div>
      <AgentsBack agents={agents} onChange={setAgents} label={lockout.agents} />
    </div>
  );
}

interface AgentsBackProps {
  readonly agents: boolean;
  readonly label: string;
  readonly onChange: (agents: boolean) => void;
}

function AgentsBack({ agents, label, onChange }: AgentsBackProps) {
  return (
    <label className="check">
      <input type="checkbox" checked={agents} onChange={({ target }) => onChange(target.checked)} />
      {label}
    </label>
  );
}

/** The way out: a passphrase, then a held button. */
function Unlock() {
  const { lockout } = useText();
  const [passphrase, setPassphrase] = useState('');
  const [agents, setAgents] = useState(true);
  const [busy, setBusy] = useState(false);
  const enabled = passphrase !== '' && !busy;
  const unlock = async (): Promise<void> => {
    setBusy(true);
    const result = await callOrShow('unlock', { passphrase, agents });
    setBusy(false);
    setPassphrase('');
    if (result !== null) useApp.getState().lockedOut(null);
  };
  const hold = useHold(() => void unlock(), enabled);
  return (
    <form className="locked-part" onSubmit={(event) => event.preventDefault()}>
      <h3>{lockout.wayOut}</h3>
      <p>{lockout.wayOutText}</p>
      <div className="locked-out">
        <Field
          label={lockout.passphrase}
          type="password"
          autoComplete="current-password"
          value={passphrase}
          onChange={setPassphrase}
        />
        <HoldButton look="danger-outline" hold={hold} enabled={enabled} holding={lockout.holding}>
          {busy ? lockout.unlocking : lockout.hold}
        </HoldButton>
      </div>
      <AgentsBack agents={agents} onChange={setAgents} label={lockout.agents} />
    </form>
  );
}
