import { useState } from 'react';
import { displayPlain } from '../../../shared/base/index.ts';
import { deviceRights } from '../../../shared/engine/index.ts';
import type { DeviceRights } from '../../../shared/engine/index.ts';
import type { BridgeCalls } from '../../bridge/types.ts';
import { agreeTo } from '../passkeys/ceremony.ts';
import { NameFields, useNames } from '../passkeys/NameFields.tsx';
import { Proof } from '../passkeys/Proof.tsx';
import { Button } from '../primitives/Button.tsx';
import { Dialog } from '../primitives/Dialog.tsx';
import { Icon } from '../primitives/Icon.tsx';
import { Segments } from '../primitives/Segments.tsx';
import { call, useApp } from '../state/app.ts';
import { useText } from '../state/preferences.ts';
import { fullTime } from '../text/format.ts';
import { QrCode } from './QrCode.tsx';
import './device.css';

type Invitation = BridgeCalls['inviteDevice']['result'] & {
  readonly name: string;
  readonly person: string;
};

/** Makes a code that brings in one phone: the owner's, or that of another person. */
export function InviteDialog({ onClose }: { readonly onClose: () => void }) {
  const { device: words } = useText();
  const [invited, setInvited] = useState<Invitation | null>(null);
  return (
    <Dialog title={words.inviteTitle} onClose={onClose}>
      {invited === null ? (
        <Form onInvited={setInvited} />
      ) : (
        <Shown invitation={invited} onClose={onClose} />
      )}
    </Dialog>
  );
}

function Form({ onInvited }: { readonly onInvited: (invitation: Invitation) => void }) {
  const { device: words, passkeys } = useText();
  const devices = useApp((model) => model.state?.devices) ?? [];
  const known = useApp((model) => model.state?.passkeys) ?? [];
  const names = useNames(devices);
  const { given, whose } = names;
  const [chosen, setChosen] = useState<DeviceRights | null>(null);
  const rights = chosen ?? (whose === '' ? 'answer' : 'everything');
  const enabled = names.isGood;
  const invite = async (agreed?: Awaited<ReturnType<typeof agreeTo>>): Promise<void> => {
    if (agreed === null) return;
    const args = { name: given, rights, ...(agreed !== undefined && { agreed }) };
    const answer = await call('inviteDevice', args);
    useApp.getState().fail(answer.ok ? null : answer.refusal);
    if (answer.ok) onInvited({ ...answer.result, name: given, person: whose });
  };
  return (
    <div className="device-invite">
      <NameFields
        names={names}
        words={{ ...words, name: passkeys.name, personTaken: passkeys.personTaken }}
      />
      <Segments
        legend={words.rightsTitle}
        showLegend
        options={deviceRights.map((value) => ({ value, label: words.rightsShort[value] }))}
        value={rights}
        onChange={setChosen}
      />
      <p className="field-help">{words.may(rights, whose)}</p>
      {whose === '' ? (
        <OwnPhone enabled={enabled} onInvite={() => invite()} />
      ) : (
        <Proof
          known={known}
          enabled={enabled}
          onProof={async (shown) => invite(await agreeTo({ name: given, person: whose }, shown))}
        />
      )}
    </div>
  );
}

/** The passphrase is typed on the phone, so that nothing is shown here. */
function OwnPhone({
  enabled,
  onInvite,
}: {
  readonly enabled: boolean;
  readonly onInvite: () => Promise<void>;
}) {
  const { device: words } = useText();
  const failure = useApp((model) => model.failure);
  const [busy, setBusy] = useState(false);
  return (
    <>
      <Button
        look="accent"
        disabled={!enabled || busy}
        onClick={() => {
          setBusy(true);
          void onInvite().finally(() => setBusy(false));
        }}
      >
        {words.showCode}
      </Button>
      {failure !== null && !busy && (
        <p className="field-problem" role="alert">
          {failure.message} {failure.hint}
        </p>
      )}
    </>
  );
}

function Shown({
  invitation: { address, until, authority, name, person },
  onClose,
}: {
  readonly invitation: Invitation;
  readonly onClose: () => void;
}) {
  const { device: words, code } = useText();
  const isPaired = useApp((model) => model.state?.devices?.some((one) => one.name === name));
  if (isPaired === true)
    return (
      <>
        <p role="status">{words.nowPaired(displayPlain(name))}</p>
        <div className="dialog-actions">
          <Button look="accent" onClick={onClose}>
            {words.done}
          </Button>
        </div>
      </>
    );
  return (
    <div className="device-invite">
      <p>{words.scan(displayPlain(name), fullTime(until, code))}</p>
      <QrCode text={address} label={words.codeFor(displayPlain(name))} />
      <code className="mono device-address">{address}</code>
      {authority !== null && (
        <p className="note note-caution" role="note">
          <Icon name="caution" />
          {words.authority(displayPlain(authority))}
        </p>
      )}
      <p className="field-help">
        {person === '' ? words.thenPassphrase : words.toThemAlone(displayPlain(person))}
      </p>
      <p className="field-help">
        {words.listens}{' '}
        <code className="mono">interlock ui --console --listen {new URL(address).hostname}</code>
      </p>
    </div>
  );
}
