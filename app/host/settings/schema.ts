import { fields } from '../../bridge/schemas/fields.ts';
import { settingSchemas } from '../../bridge/schemas/settings.ts';
import type { ShellSettings } from '../../bridge/settings.ts';
import { compile } from '../../../shared/schema/compile.ts';

/** `ui.json`: only what the person changed. Everything else follows `config.json` and the defaults. */
export type SettingsFile = Partial<ShellSettings> & { readonly version: 1 };

export const checkSettingsFile = compile<SettingsFile>(
  fields({ version: { const: 1 } }, settingSchemas),
);
