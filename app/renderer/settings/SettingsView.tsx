import { useState } from 'react';
import type { ReactNode } from 'react';
import { attentionModes, awayActions, languageChoices, themes } from '../../bridge/settings.ts';
import type { SettingName } from '../../bridge/settings.ts';
import { Button } from '../primitives/Button.tsx';
import { Field } from '../primitives/Field.tsx';
import { Icon } from '../primitives/Icon.tsx';
import { Notifications } from '../notify/Notifications.tsx';
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

/** All settings of the app, and which of them this shell does not support. */
export function SettingsView() {
  const text = useText();
  const it = useSettings();
  const [keys, setKeys] = useState(false);
  const { settings, change, reach } = it;
  const words = text.settings;
  const frozen = (name: SettingName): boolean => it.problem !== null || reach(name) === 'never';
  const choice = (name: Choice, options: readonly SegmentOption<string>[]): ReactNode => (
    <Row name={name} it={it}>
      <Segments
        legend={words.names[name]}
        showLegend
        options={options.map((each) => ({ ...each, disabled: frozen(name) }))}
        value={settings[name]}
        onChange={(value) => change({ [name]: value })}
      />
    </Row>
  );
  const away = awayActions.map((value) => ({ value, label: words.away[value] }));
  const flag = (name: Flag): ReactNode => (
    <Row name={name} it={it}>
      <label className="switch">
        <input
          type="checkbox"
          checked={settings[name]}
          disabled={frozen(name)}
          onChange={({ target }) => change({ [name]: target.checked })}
        />
        <span>{words.names[name]}</span>
      </label>
    </Row>
  );
  const shortcut = (name: Shortcut): ReactNode => (
    <Row name={name} it={it}>
      <ShortcutField
        label={words.names[name]}
        value={settings[name]}
        disabled={frozen(name)}
        onChange={(value) => change({ [name]: value })}
      />
    </Row>
  );

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
      {it.kept && (
        <>
          <Group title={words.asks} names={['attention', 'sound']} it={it}>
            {choice(
              'attention',
              attentionModes.map((value) => ({ value, label: words.attention[value] })),
            )}
            <Notifications />
            {flag('sound')}
          </Group>
          <Group title={words.shortcuts} names={['lockoutShortcut', 'oldestAskShortcut']} it={it}>
            {shortcut('lockoutShortcut')}
            {shortcut('oldestAskShortcut')}
          </Group>
          <Group
            title={words.absence}
            names={['onScreenLock', 'onSuspend', 'touchIdForUnlock']}
            it={it}
          >
            {choice('onScreenLock', away)}
            {choice('onSuspend', away)}
            {flag('touchIdForUnlock')}
          </Group>
          <Group title={words.starting} names={['startAtLogin', 'startRunner']} it={it}>
            {flag('startAtLogin')}
            {flag('startRunner')}
          </Group>
          <Group title={words.updates} names={['updateFeed']} it={it}>
            <Row name="updateFeed" it={it}>
              <FeedField
                key={settings.updateFeed}
                saved={settings.updateFeed}
                disabled={frozen('updateFeed')}
                onSave={(updateFeed) => change({ updateFeed })}
              />
            </Row>
          </Group>
        </>
      )}
      <div className="settings-more">
        <Button onClick={() => setKeys(true)}>{words.showKeys}</Button>
        <Button onClick={() => change({ guideClosed: false })}>{words.showGuide}</Button>
      </div>
      {keys && <KeysDialog onClose={() => setKeys(false)} />}
    </section>
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
    <section className="settings-group" aria-label={title}>
      <header className="settings-head">
        <h3>{title}</h3>
        {away && <Unreached reach="elsewhere" />}
      </header>
      <div className="settings-rows">{children}</div>
    </section>
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
