import type { NativeImage, Tray } from 'electron';
import { join } from 'node:path';
import type { ShellActions } from '../actions.ts';
import type { ShellTexts } from '../texts/texts.ts';
import type { ShellFiles, ShellPort } from '../types.ts';
import { statusText, trayMenu, trayStatus } from './menu.ts';
import type { TrayStatus, TrayView } from './menu.ts';

type TrayTheme = 'template' | 'light' | 'dark';

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
type TrayPicture = (typeof trayPictures)[number];

/** The icon for a status; counts above nine share one. */
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

interface TrayOptions {
  readonly port: Pick<ShellPort, 'Tray' | 'Menu' | 'nativeImage' | 'nativeTheme'>;
  readonly platform: NodeJS.Platform;
  readonly files: Pick<ShellFiles, 'assets'>;
  readonly texts: ShellTexts;
  readonly actions: ShellActions;
}

/** The icon in the menu bar. One render turns the last view into icon, tooltip and menu. */
export class SystemTray {
  readonly #options: TrayOptions;
  readonly #tray: Tray;
  #view: TrayView;

  constructor(options: TrayOptions, view: TrayView) {
    this.#options = options;
    this.#view = view;
    this.#tray = new options.port.Tray(this.#image());
    options.port.nativeTheme.on('updated', this.#render);
    // A menu opens on any click where the desktop delivers clicks; on others it opens by itself.
    if (options.platform === 'win32') this.#tray.on('click', () => this.#tray.popUpContextMenu());
    this.#render();
  }

  /** Shows another view. */
  update(view: TrayView): void {
    this.#view = view;
    this.#render();
  }

  /** Takes the icon away. */
  dispose(): void {
    this.#options.port.nativeTheme.off('updated', this.#render);
    this.#tray.destroy();
  }

  readonly #render = (): void => {
    const { port, platform, texts, actions } = this.#options;
    const status = trayStatus(this.#view.state);
    this.#tray.setImage(this.#image());
    this.#tray.setToolTip(statusText(status, texts));
    if (platform === 'darwin') this.#tray.setTitle(countBeside(status));
    this.#tray.setContextMenu(port.Menu.buildFromTemplate(trayMenu(this.#view, actions, texts)));
  };

  #image(): NativeImage {
    const { port, files } = this.#options;
    const theme = this.#theme();
    const picture = trayPicture(trayStatus(this.#view.state));
    const image = port.nativeImage.createFromPath(trayIconFile(files.assets, theme, picture));
    image.setTemplateImage(theme === 'template');
    return image;
  }

  #theme(): TrayTheme {
    if (this.#options.platform === 'darwin') return 'template';
    return this.#options.port.nativeTheme.shouldUseDarkColors ? 'dark' : 'light';
  }
}

/** The icon counts to nine; the menu bar of macOS has room for a larger number beside it. */
function countBeside(status: ReturnType<typeof trayStatus>): string {
  return status.kind === 'asking' && status.count > 9 ? String(status.count) : '';
}
