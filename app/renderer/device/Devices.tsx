import { useState } from 'react';
import { displayPlain } from '../../../shared/base/index.ts';
import type { KnownDevice } from '../../bridge/types.ts';
import { Button } from '../primitives/Button.tsx';
import { Dialog } from '../primitives/Dialog.tsx';
import { SettingsGroup } from '../settings/SettingsGroup.tsx';
import { callOrShow, useApp, useHostNow } from '../state/app.ts';
import { useText } from '../state/preferences.ts';
import { fullTime, relativeTime } from '../text/format.ts';
import { InviteDialog } from './InviteDialog.tsx';

/** The devices that may connect, each to be taken out. */
export function Devices() {
  const { device: words, passkeys } = useText();
  const hasPassphrase = useApp((model) => model.state?.hasPassphrase) ?? false;
  const devices = useApp((model) => model.state?.devices) ?? [];
  const [going, setGoing] = useState<KnownDevice | 'invite' | null>(null);
  const close = (): void => setGoing(null);
  return (
    <SettingsGroup title={words.listTitle}>
      <div className="settings-row">
        <p className="field-help">{words.listHelp}</p>
      </div>
      {devices.map((one) => (
        <Entry key={one.id} device={one} onRevoke={() => setGoing(one)} />
      ))}
      <div className="settings-row">
        <Button disabled={!hasPassphrase} onClick={() => setGoing('invite')}>
          {words.invite}
        </Button>
        {!hasPassphrase && <p className="field-help">{passkeys.needsPassphrase}</p>}
      </div>
      {going === 'invite' && <InviteDialog onClose={close} />}
      {going !== null && going !== 'invite' && (
        <Dialog title={words.revokeTitle(displayPlain(going.name))} onClose={close}>
          <p>{words.revokeText}</p>
          <div className="dialog-actions">
            <Button onClick={close}>{words.keep}</Button>
            <Button
              look="danger"
              onClick={() => void callOrShow('revokeDevice', { id: going.id }).then(close)}
            >
              {words.revoke}
            </Button>
          </div>
        </Dialog>
      )}
    </SettingsGroup>
  );
}

function Entry({
  device,
  onRevoke,
}: {
  readonly device: KnownDevice;
  readonly onRevoke: () => void;
}) {
  const { device: words, passkeys, code } = useText();
  const now = useHostNow();
  const { name, rights, madeAt, lastSeenAt, person } = device;
  const shown = displayPlain(name);
  return (
    <div className="settings-row passkey">
      <div className="passkey-words">
        <strong>{shown}</strong>
        <p className="field-help">
          {person !== undefined && `${passkeys.of(displayPlain(person))} · `}
          {words.rights[rights]}
          {' · '}
          <span title={fullTime(madeAt, code)}>
            {words.paired(relativeTime(madeAt, now, code))}
          </span>
          {' · '}
          {lastSeenAt === null
            ? passkeys.neverUsed
            : words.seen(relativeTime(lastSeenAt, now, code))}
        </p>
      </div>
      <Button small aria-label={`${words.revoke}: ${shown}`} onClick={onRevoke}>
        {words.revoke}
      </Button>
    </div>
  );
}
