import type { SchemaObject } from '../../../shared/schema/compile.ts';
import { attentionModes, awayActions, languageChoices, themes } from '../settings.ts';
import type { SettingName } from '../settings.ts';

const flag: SchemaObject = { type: 'boolean' };
const oneOf = (words: readonly string[]): SchemaObject => ({ type: 'string', enum: [...words] });

/** A modifier at least, then one key: a bare letter would take that letter from every program. */
const accelerator: SchemaObject = {
  type: ['string', 'null'],
  maxLength: 80,
  pattern:
    '^(?:(?:CommandOrControl|CmdOrCtrl|Command|Cmd|Control|Ctrl|Alt|Option|AltGr|Shift|Super|Meta)\\+)+(?:[A-Z0-9]|F[0-9]{1,2}|Space|Tab|Backspace|Delete|Insert|Return|Enter|Up|Down|Left|Right|Home|End|PageUp|PageDown|Escape|Esc)$',
};

/** What each setting may be, for the file and for the page. */
export const settingSchemas: Readonly<Record<SettingName, SchemaObject>> = {
  theme: oneOf(themes),
  language: oneOf(languageChoices),
  attention: oneOf(attentionModes),
  sound: flag,
  startAtLogin: flag,
  startRunner: flag,
  lockoutShortcut: accelerator,
  oldestAskShortcut: accelerator,
  onScreenLock: oneOf(awayActions),
  onSuspend: oneOf(awayActions),
  touchIdForUnlock: flag,
  updateFeed: { type: ['string', 'null'], maxLength: 2000, pattern: '^https://[^\\s@]+$' },
  guideClosed: flag,
};
