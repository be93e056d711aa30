/** `light` is for light panels, `dark` for dark ones; `template` is black and coloured by macOS. */
export const trayThemes = ['light', 'dark', 'template'];

const ink = { light: '#1b1d1f', dark: '#f3f2ee', template: '#000000' };
const amber = { light: '#9a5f00', dark: '#f2b84b', template: '#000000' };
const red = { light: '#c02a27', dark: '#ff7a70', template: '#000000' };

/** The colour of a tray picture. Shape alone tells the states apart; colour only helps. */
export function trayColours(theme, name) {
  if (name.startsWith('asking')) return amber[theme];
  if (name === 'locked' || name === 'broken') return red[theme];
  return ink[theme];
}

/** The file of a picture below `assets/tray`. macOS wants `Template` at the end of the name. */
export function trayFile(theme, name, scale) {
  const suffix = `${theme === 'template' ? 'Template' : ''}${scale === 2 ? '@2x' : ''}`;
  return `${theme}/${name}${suffix}.png`;
}
