import { useState } from 'react';
import type { ReactNode } from 'react';
import { attentionModes, awayActions, languageChoices, themes } from '../../bridge/settings.ts';
import type { SettingName } from '../../bridge/settings.ts';
import { Devices } from '../device/Devices.tsx';
import { Passkeys } from '../passkeys/Passkeys.tsx';
import { Secrets } from './Secrets.tsx';
import { SettingsGroup } from './SettingsGroup.tsx';
import { Notifications } from '../notify/Notifications.tsx';
import { Button } from '../primitives/Button.tsx';
import { Field } from '../primitives/Field.tsx';
import { Icon } from '../primitives/Icon.tsx';
import { Segments } from '../primitives/Segments.tsx';
import type { SegmentOption } from '../primitives/Segments.tsx';
import { useText } from '../state/preferences.ts';
import { languageName } from '../text/languages.ts';
import { KeysDialog } from './KeysDialog.tsx';
import { ShortcutField } from './ShortcutField.tsx';
import './settings.css';
import { useSettings } from './useSettings.ts';
import type { Settings } from './useSettings.ts';

interface FeedFieldProps {
  readonly saved: string | null;
  readonly disabled: boolean;
  readonly onSave: (address: string | null) => void;
}

/** The address of the update feed; saved with a button, not while it is typed. */
function FeedField({ saved, disabled, onSave }: FeedFieldProps) {
  const { settings } = useText();
  const [address, setAddress] = useState(saved ?? '');
  const wanted = address.trim();
  const wrong = wanted !== '' && !/^https:\/\/[^\s@]+$/.test(wanted);
  return (
    <form
      className="settings-feed"
      onSubmit={(event) => {
        event.preventDefault();
        if (!wrong) onSave(wanted === '' ? null : wanted);
      }}
    >
      <Field
        label={settings.names.updateFeed}
        problem={wrong ? settings.feed : undefined}
        value={address}
        onChange={setAddress}
        mono
      />
      <Button type="submit" disabled={disabled || wrong || wanted === (saved ?? '')}>
        {settings.save}
      </Button>
    </form>
  );
}

type Flag = 'sound' | 'startAtLogin' | 'startRunner' | 'touchIdForUnlock';
type Choice = 'attention' | 'onScreenLock' | 'onSuspend';
type Shortcut = 'lockoutShortcut' | 'oldestAskShortcut';

interface SettingProps<Name> {
  readonly name: Name;
  readonly it: Settings;
}

/** All settings of the app, and which of them this shell does not support. */
export function SettingsView() {
  const { settings: words } = useText();
  const it = useSettings();
  const [keys, setKeys] = useState(false);
  return (
    <section className="settings" aria-labelledby="settings-title">
      <header className="view-head">
        <h2 id="settings-title">{words.title}</h2>
      </header>
      {it.problem !== null && (
        <div className="note note-caution" role="alert">
          <Icon name="caution" />
          <div>
            <strong>{words.problem}</strong>
            <p>{it.problem}</p>
          </div>
        </div>
      )}
      <Look it={it} />
      {it.kept && <KeptSettings it={it} />}
      <Passkeys />
      <Devices />
      <Secrets />
      <div className="settings-more">
        <Button onClick={() => setKeys(true)}>{words.showKeys}</Button>
        <Button onClick={() => it.change({ guideClosed: false })}>{words.showGuide}</Button>
      </div>
      {keys && <KeysDialog onClose={() => setKeys(false)} />}
    </section>
  );
}

/** What works in every shell, if only for this page. */
function Look({ it }: { readonly it: Settings }) {
  const { settings: words } = useText();
  const { settings, change } = it;
  return (
    <Group title={words.look} names={['theme', 'language']} it={it}>
      <Row name="theme" it={it}>
        <Segments
          legend={words.names.theme}
          showLegend
          options={themes.map((value) => ({ value, label: words.themes[value] }))}
          value={settings.theme}
          onChange={(theme) => change({ theme })}
        />
      </Row>
      <Row name="language" it={it}>
        <Segments
          legend={words.names.language}
          showLegend
          options={languageChoices.map((value) => ({
            value,
            label: value === 'system' ? words.languageSystem : languageName(value),
          }))}
          value={settings.language}
          onChange={(language) => change({ language })}
        />
      </Row>
      {!it.kept && <p className="field-help">{words.notKept}</p>}
    </Group>
  );
}

/** What is kept for all shells. */
function KeptSettings({ it }: { readonly it: Settings }) {
  const { settings: words } = useText();
  const { settings, change } = it;
  const away = awayActions.map((value) => ({ value, label: words.away[value] }));
  const attention = attentionModes.map((value) => ({ value, label: words.attention[value] }));
  return (
    <>
      <Group title={words.asks} names={['attention', 'sound']} it={it}>
        <ChoiceRow name="attention" options={attention} it={it} />
        <Notifications />
        <FlagRow name="sound" it={it} />
      </Group>
      <Group title={words.shortcuts} names={['lockoutShortcut', 'oldestAskShortcut']} it={it}>
        <ShortcutRow name="lockoutShortcut" it={it} />
        <ShortcutRow name="oldestAskShortcut" it={it} />
      </Group>
      <Group
        title={words.absence}
        names={['onScreenLock', 'onSuspend', 'touchIdForUnlock']}
        it={it}
      >
        <ChoiceRow name="onScreenLock" options={away} it={it} />
        <ChoiceRow name="onSuspend" options={away} it={it} />
        <FlagRow name="touchIdForUnlock" it={it} />
      </Group>
      <Group title={words.starting} names={['startAtLogin', 'startRunner']} it={it}>
        <FlagRow name="startAtLogin" it={it} />
        <FlagRow name="startRunner" it={it} />
      </Group>
      <Group title={words.updates} names={['updateFeed']} it={it}>
        <Row name="updateFeed" it={it}>
          <FeedField
            key={settings.updateFeed}
            saved={settings.updateFeed}
            disabled={isFrozen(it, 'updateFeed')}
            onSave={(updateFeed) => change({ updateFeed })}
          />
        </Row>
      </Group>
    </>
  );
}

function isFrozen({ problem, reach }: Settings, name: SettingName): boolean {
  return problem !== null || reach(name) === 'never';
}

function ChoiceRow({
  name,
  options,
  it,
}: SettingProps<Choice> & { readonly options: readonly SegmentOption<string>[] }) {
  const { settings: words } = useText();
  return (
    <Row name={name} it={it}>
      <Segments
        legend={words.names[name]}
        showLegend
        options={options.map((each) => ({ ...each, disabled: isFrozen(it, name) }))}
        value={it.settings[name]}
        onChange={(value) => it.change({ [name]: value })}
      />
    </Row>
  );
}

function FlagRow({ name, it }: SettingProps<Flag>) {
  const { settings: words } = useText();
  return (
    <Row name={name} it={it}>
      <label className="switch">
        <input
          type="checkbox"
          checked={it.settings[name]}
          disabled={isFrozen(it, name)}
          onChange={({ target }) => it.change({ [name]: target.checked })}
        />
        <span>{words.names[name]}</span>
      </label>
    </Row>
  );
}

function ShortcutRow({ name, it }: SettingProps<Shortcut>) {
  const { settings: words } = useText();
  return (
    <Row name={name} it={it}>
      <ShortcutField
        label={words.names[name]}
        value={it.settings[name]}
        disabled={isFrozen(it, name)}
        onChange={(value) => it.change({ [name]: value })}
      />
    </Row>
  );
}

interface GroupProps {
  readonly title: string;
  readonly names: readonly SettingName[];
  readonly it: Settings;
  readonly children: ReactNode;
}

/** Settings that belong together. What applies to all of them is said once, at the top. */
function Group({ title, names, it, children }: GroupProps) {
  const away = names.every((name) => it.reach(name) === 'elsewhere');
  return (
    <SettingsGroup title={title} mark={away && <Unreached reach="elsewhere" />}>
      {children}
    </SettingsGroup>
  );
}

interface RowProps {
  readonly name: SettingName;
  readonly it: Settings;
  readonly children: ReactNode;
}

/** One setting with what it does, and why it does not work here where it does not. */
function Row({ name, it, children }: RowProps) {
  const { settings: words } = useText();
  const reach = it.reach(name);
  const value = it.settings[name];
  const taken = typeof value === 'string' && it.taken.includes(value);
  const help = words.help[name];
  return (
    <div className="settings-row">
      {children}
      {help !== undefined && <p className="field-help">{help}</p>}
      {taken && (
        <p className="field-problem">
          <Icon name="caution" size={14} />
          {words.taken}
        </p>
      )}
      {reach === 'never' && <Unreached reach="never" />}
    </div>
  );
}

function Unreached({ reach }: { readonly reach: 'elsewhere' | 'never' }) {
  const { settings: words } = useText();
  return (
    <p className="settings-reach">
      <Icon name="caution" size={14} />
      {reach === 'elsewhere' ? words.notHere : words.notOnSystem}
    </p>
  );
}
