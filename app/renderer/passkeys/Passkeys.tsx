import { useEffect, useRef, useState } from 'react';
import { displayPlain } from '../../../shared/base/index.ts';
import type { KnownPasskey } from '../../bridge/types.ts';
import { Button } from '../primitives/Button.tsx';
import { Dialog } from '../primitives/Dialog.tsx';
import { Field } from '../primitives/Field.tsx';
import { SettingsGroup } from '../settings/SettingsGroup.tsx';
import { readHostNow, useApp, useHostNow, useMode } from '../state/app.ts';
import { useText } from '../state/preferences.ts';
import { fullTime, relativeTime } from '../text/format.ts';
import {
  addPasskey,
  handOver,
  ownRpId,
  removePasskey,
  usableHere,
  usableInBrowser,
} from './ceremony.ts';
import { InBrowser, useCanOpenBrowser } from './InBrowser.tsx';
import { NameFields, useNames } from './NameFields.tsx';
import { Proof } from './Proof.tsx';
import './passkeys.css';

/** What is open: nothing, a new one, or the removal of one. */
type Step =
  null | 'add' | { readonly what: 'remove' | 'hand-over'; readonly passkey: KnownPasskey };

/** The person's passkeys, with one more, and each to be removed. */
export function Passkeys() {
  const { passkeys: words } = useText();
  const known = useApp((model) => model.state?.passkeys) ?? [];
  const hasPassphrase = useApp((model) => model.state?.hasPassphrase) ?? false;
  const running = useApp((model) => model.state !== null && model.state.runner !== null);
  const locked = useMode() === 'locked';
  const [step, setStep] = useState<Step>(null);
  const close = (): void => setStep(null);
  const canOpenBrowser = useCanOpenBrowser();
  const usable = canOpenBrowser ? usableInBrowser(known) : usableHere(known);
  const may = hasPassphrase || usable.length > 0;
  const group = useRef<HTMLDivElement>(null);
  const isDrawn = useApp((model) => model.state !== null);
  useEffect(() => {
    if (isDrawn && location.hash === '#/settings/passkeys') group.current?.scrollIntoView();
  }, [isDrawn]);
  const why = !running ? words.needsRunner : locked ? words.needsUnlock : null;
  return (
    <SettingsGroup title={words.title}>
      <div className="settings-row" ref={group}>
        <p className="field-help">{words.help}</p>
      </div>
      {known.map((one) => (
        <Entry
          key={one.id}
          passkey={one}
          disabled={why !== null}
          onStep={(what) => setStep({ what, passkey: one })}
        />
      ))}
      <div className="settings-row">
        {ownRpId() === null && !canOpenBrowser ? (
          <p className="field-help">{words.notHere}</p>
        ) : (
          <>
            {canOpenBrowser ? (
              <InBrowser
                errand={{ errand: 'passkeys' }}
                label={words.addInBrowser}
                disabled={!may || why !== null}
              />
            ) : (
              <Button disabled={!may || why !== null} onClick={() => setStep('add')}>
                {words.add}
              </Button>
            )}
            {why !== null && <p className="field-help">{why}</p>}
            {why === null && !may && <p className="field-help">{words.needsPassphrase}</p>}
          </>
        )}
      </div>
      {step === 'add' && <AddDialog known={known} onClose={close} />}
      {step !== null && step !== 'add' && step.what === 'remove' && (
        <RemoveDialog passkey={step.passkey} known={known} onClose={close} />
      )}
      {step !== null && step !== 'add' && step.what === 'hand-over' && (
        <HandOverDialog passkey={step.passkey} known={known} onClose={close} />
      )}
    </SettingsGroup>
  );
}

interface EntryProps {
  readonly passkey: KnownPasskey;
  readonly disabled: boolean;
  readonly onStep: (what: 'remove' | 'hand-over') => void;
}

function Entry({ passkey, disabled, onStep }: EntryProps) {
  const { passkeys: words, code } = useText();
  const now = useHostNow();
  const { name, person, standsInUntil, rpId, madeAt, lastUsedAt } = passkey;
  const shown = displayPlain(name);
  const until = standsInUntil !== undefined && standsInUntil > now ? standsInUntil : null;
  return (
    <div className="settings-row passkey">
      <div className="passkey-words">
        <strong>{shown}</strong>
        <p className="field-help">
          {person !== undefined && <>{words.of(displayPlain(person))} · </>}
          <span title={fullTime(madeAt, code)}>{words.made(relativeTime(madeAt, now, code))}</span>
          {' · '}
          {lastUsedAt === null
            ? words.neverUsed
            : words.lastUsed(relativeTime(lastUsedAt, now, code))}
          {' · '}
          <code className="mono">{rpId}</code>
        </p>
        {until !== null && <p className="field-help">{words.standsIn(fullTime(until, code))}</p>}
      </div>
      {person !== undefined && (
        <Button
          small
          disabled={disabled}
          aria-label={`${words.handOver}: ${displayPlain(person)}`}
          onClick={() => onStep('hand-over')}
        >
          {words.handOver}
        </Button>
      )}
      <Button
        small
        disabled={disabled}
        aria-label={`${words.remove}: ${shown}`}
        onClick={() => onStep('remove')}
      >
        {words.remove}
      </Button>
    </div>
  );
}

interface DialogProps {
  readonly known: readonly KnownPasskey[];
  readonly onClose: () => void;
}

function AddDialog({ known, onClose }: DialogProps) {
  const { passkeys: words } = useText();
  const names = useNames(known);
  const { given, whose } = names;
  return (
    <Dialog title={words.addTitle} onClose={onClose}>
      <p>{words.addText}</p>
      <NameFields names={names} words={words} />
      <Proof
        known={known}
        enabled={names.isGood}
        onProof={async (shown) => {
          const added = { name: given, ...(whose !== '' && { person: whose }) };
          if (await addPasskey(added, shown, known)) onClose();
        }}
      />
    </Dialog>
  );
}

function RemoveDialog({
  passkey,
  known,
  onClose,
}: DialogProps & { readonly passkey: KnownPasskey }) {
  const { passkeys: words } = useText();
  return (
    <Dialog title={words.removeTitle(displayPlain(passkey.name))} onClose={onClose}>
      <p>{words.removeText}</p>
      <Proof
        known={known}
        enabled
        onProof={async (shown) => {
          if (await removePasskey(passkey.id, shown)) onClose();
        }}
      />
    </Dialog>
  );
}

const dayMs = 24 * 60 * 60_000;

/** For how many days another person may answer in the owner's place; none: no more. */
function HandOverDialog({
  passkey,
  known,
  onClose,
}: DialogProps & { readonly passkey: KnownPasskey }) {
  const { passkeys: words } = useText();
  const [days, setDays] = useState('7');
  const { person = '' } = passkey;
  const many = /^[0-9]{1,2}$/u.test(days.trim()) ? Number(days) : null;
  const isWrong = many === null || many > 90;
  return (
    <Dialog title={words.handOverTitle(displayPlain(person))} onClose={onClose}>
      <p>{words.handOverText}</p>
      <Field
        label={words.days}
        help={words.daysHelp}
        problem={isWrong ? words.daysWrong : undefined}
        value={days}
        onChange={setDays}
      />
      <Proof
        known={known}
        enabled={!isWrong}
        onProof={async (shown) => {
          const until =
            many === null || many === 0 ? null : Math.round(readHostNow() + many * dayMs);
          if (await handOver({ person, until }, shown)) onClose();
        }}
      />
    </Dialog>
  );
}
