import { join } from 'node:path';
import type { TrayStatus } from './status.ts';

export type TrayTheme = 'template' | 'light' | 'dark';

/** Every picture that the tray can show; drawn by `scripts/icons.mjs` for each theme. */
export const trayPictures = [
  'armed',
  'asking-1',
  'asking-2',
  'asking-3',
  'asking-4',
  'asking-5',
  'asking-6',
  'asking-7',
  'asking-8',
  'asking-9',
  'asking-many',
  'paused',
  'locked',
  'broken',
] as const;
export type TrayPicture = (typeof trayPictures)[number];

/** The picture for a status: counts above nine share one. */
export function trayPicture(status: TrayStatus): TrayPicture {
  switch (status.kind) {
    case 'asking':
      return status.count > 9
        ? 'asking-many'
        : (`asking-${Math.max(1, status.count)}` as TrayPicture);
    case 'gone':
    case 'invalid':
      return 'broken';
    default:
      return status.kind;
  }
}

/**
 * The file of a picture. `dark` is drawn for a dark panel, `light` for a light one; on macOS the
 * template form takes the menu bar's own colour. Electron finds the `@2x` file beside it.
 */
export function trayIconFile(assets: string, theme: TrayTheme, picture: TrayPicture): string {
  const name = theme === 'template' ? `${picture}Template.png` : `${picture}.png`;
  return join(assets, 'tray', theme, name);
}
