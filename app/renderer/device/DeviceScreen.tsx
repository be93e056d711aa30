import { useEffect, useState } from 'react';
import { displayPlain } from '../../../shared/base/index.ts';
import { codeOfFragment } from '../../bridge/console-session.ts';
import { lockOut } from '../lockout/LockoutButton.tsx';
import { Announcer } from '../primitives/Announcer.tsx';
import { Button } from '../primitives/Button.tsx';
import { Field } from '../primitives/Field.tsx';
import { Banners } from '../shell/Banners.tsx';
import { useApp, useMode } from '../state/app.ts';
import { useText } from '../state/preferences.ts';
import { invitation, openWithOwnPasskey, pair } from './identity.ts';
import './device.css';

/** What a device shows before its passkey was: whether all is locked, a way in, and the lockout. */
export function DeviceScreen() {
  const { device: words } = useText();
  const link = useApp((model) => model.link);
  const isOut = link === 'outside' || link === 'ended';
  return (
    <main id="main" className="device" tabIndex={-1}>
      <h1>{words.title}</h1>
      <Banners />
      {isOut ? <Pair isGone={link === 'ended'} /> : <Locked />}
      <Announcer />
    </main>
  );
}

function Locked() {
  const { device: words, mode } = useText();
  const device = useApp((model) => model.state?.device);
  const connected = useApp((model) => model.link === 'open');
  const locked = useApp((model) => model.state?.stop?.mode === 'locked');
  const [busy, setBusy] = useState(false);
  return (
    <>
      <p className="device-name">
        {device === undefined ? words.connecting : displayPlain(device.name)}
      </p>
      {locked && <p role="status">{mode.locked}</p>}
      {device !== undefined && device.rights !== 'lockout' && (
        <Button
          look="accent"
          className="device-open"
          disabled={busy || !connected}
          onClick={() => {
            setBusy(true);
            void openWithOwnPasskey().finally(() => setBusy(false));
          }}
        >
          {words.open}
        </Button>
      )}
      <TwoTaps enabled={connected && !locked} />
    </>
  );
}

/** How long the second tap may take, in milliseconds. */
const patienceMs = 4_000;

/** A lockout by two taps: one in a pocket is none. */
function TwoTaps({ enabled }: { readonly enabled: boolean }) {
  const { device: words } = useText();
  const [asked, setAsked] = useState(false);
  useEffect(() => {
    if (!asked) return undefined;
    const timer = setTimeout(() => setAsked(false), patienceMs);
    return () => clearTimeout(timer);
  }, [asked]);
  return (
    <Button
      look={asked ? 'danger' : 'danger-outline'}
      icon="lockout"
      className="device-lockout"
      disabled={!enabled}
      onClick={() => {
        setAsked(!asked);
        if (asked) void lockOut();
      }}
    >
      {asked ? words.again : words.lockout}
    </Button>
  );
}

function Pair({ isGone }: { readonly isGone: boolean }) {
  const { device: words, passkeys } = useText();
  const again = useApp((model) => model.reconnect);
  const [code] = useState(() => codeOfFragment(location.hash));
  const [passphrase, setPassphrase] = useState('');
  const [busy, setBusy] = useState(false);
  const [failed, setFailed] = useState(false);
  const [person, setPerson] = useState<string | null>(null);
  useEffect(() => {
    if (code === null) return;
    // It leaves the address at once, so that it is in no history.
    history.replaceState(null, '', location.pathname);
    void invitation(code)
      .then((invited) => setPerson(invited?.person ?? null))
      // Said when it is tried.
      .catch(() => undefined);
  }, [code]);
  if (code === null) return <p>{isGone ? words.gone : words.howTo}</p>;
  const go = async (): Promise<void> => {
    setBusy(true);
    setFailed(false);
    const shown = person === null ? passphrase : null;
    const paired = await pair(code, shown).catch(() => false);
    setBusy(false);
    setPassphrase('');
    if (paired) again();
    else setFailed(true);
  };
  const ready = !busy && (person !== null || passphrase !== '');
  return (
    <form
      className="device-pair"
      onSubmit={(event) => {
        event.preventDefault();
        if (ready) void go();
      }}
    >
      <p>{person === null ? words.pairText : words.pairPerson(displayPlain(person))}</p>
      {person === null && (
        <Field
          label={passkeys.passphrase}
          type="password"
          autoComplete="current-password"
          value={passphrase}
          onChange={setPassphrase}
        />
      )}
      <Button type="submit" look="accent" disabled={!ready}>
        {words.pair}
      </Button>
      {busy && <p role="status">{words.pairing}</p>}
      {failed && !busy && <p role="status">{words.failed}</p>}
    </form>
  );
}

/** Whether this page shows nothing else. */
export function useIsBehindScreen(isDevice: boolean): boolean {
  const device = useApp((model) => model.state?.device);
  const link = useApp((model) => model.link);
  const locked = useMode() === null;
  if (!isDevice) return false;
  const isOut = link !== 'open';
  return isOut || locked || device?.opened !== 'passkey' || device.rights === 'lockout';
}
