import type { NativeImage, Tray } from 'electron';
import type { ShellActions } from '../actions.ts';
import type { ShellFiles, ShellPort } from '../port.ts';
import type { ShellTexts } from '../texts/types.ts';
import { trayIconFile, trayPicture } from './icons.ts';
import type { TrayTheme } from './icons.ts';
import { statusText, trayMenu } from './menu.ts';
import type { TrayView } from './menu.ts';
import { trayStatus } from './status.ts';

export interface TrayOptions {
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
  close(): void {
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

/** The picture stops counting at nine; the menu bar of macOS has room for the number itself. */
function countBeside(status: ReturnType<typeof trayStatus>): string {
  return status.kind === 'asking' && status.count > 9 ? String(status.count) : '';
}
