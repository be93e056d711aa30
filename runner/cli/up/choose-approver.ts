import type { Config } from '../../../shared/config/types.ts';
import { CliError } from '../failure.ts';

export type ShellName = Exclude<Config['ui']['shell'], 'auto'>;

export interface ApproverFacts {
  /** What was asked for on the command line or in `config.json`. */
  readonly wanted: Config['ui']['shell'];
  /** Path of the Electron binary, or null. */
  readonly electronBinary: string | null;
  readonly hasDisplay: boolean;
}

/** The approver to start. `auto` takes the menu bar app where it can start, else the console. */
export function chooseApprover({ wanted, electronBinary, hasDisplay }: ApproverFacts): ShellName {
  if (wanted === 'auto') return electronBinary !== null && hasDisplay ? 'electron' : 'console';
  if (wanted !== 'electron') return wanted;
  if (electronBinary === null)
    throw new CliError(
      'The Electron binary is not installed.',
      'Fetch it with "npx install-electron", name one with ELECTRON_PATH, or use --console.',
    );
  if (!hasDisplay)
    throw new CliError(
      'There is no display for the menu bar app.',
      'Set DISPLAY or WAYLAND_DISPLAY, or use --console.',
    );
  return 'electron';
}
