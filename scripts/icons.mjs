// Renders every icon from its SVG source: `node scripts/icons.mjs`. Needs Chromium, as only it
// draws masks and gradients everywhere alike. The results are committed.
import { mkdir, readFile, readdir, writeFile } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright';
import { icns } from './icons/icns.mjs';
import { ico } from './icons/ico.mjs';
import { trayColours, trayFile, trayThemes } from './icons/tray.mjs';

const assets = fileURLToPath(new URL('../assets/', import.meta.url));
const pageIcons = fileURLToPath(new URL('../app/renderer/icons/', import.meta.url));
const source = (name) => readFile(`${assets}icons/source/${name}.svg`, 'utf8');

const appSizes = [16, 24, 32, 48, 64, 128, 256, 512, 1024];
const icoSizes = [16, 24, 32, 48, 64, 128, 256];
const systemChromium = '/usr/bin/chromium';

const browser = await chromium.launch(
  existsSync(systemChromium) ? { executablePath: systemChromium } : {},
);
const page = await browser.newPage();

async function render(svg, size, colour, { ground = 'transparent', margin = 0 } = {}) {
  await page.setViewportSize({ width: size, height: size });
  const inner = size - 2 * margin;
  const sized = svg.replace('<svg ', `<svg width="${inner}" height="${inner}" `);
  await page.setContent(
    `<body style="margin:0;padding:${margin}px;background:${ground};color:${colour}">${sized}<style>svg{display:block}</style>`,
  );
  return page.screenshot({ omitBackground: true, clip: { x: 0, y: 0, width: size, height: size } });
}

async function renderApp() {
  const large = await source('app');
  const small = await source('app-small');
  const pictures = new Map();
  for (const size of appSizes) {
    pictures.set(size, await render(size <= 32 ? small : large, size, 'black'));
  }
  const linuxSizes = appSizes.filter((size) => size <= 512);
  for (const size of linuxSizes) {
    await writeFile(`${assets}icons/${size}x${size}.png`, pictures.get(size));
  }
  await writeFile(
    `${assets}icons/icon.ico`,
    ico(icoSizes.map((size) => [size, pictures.get(size)])),
  );
  await writeFile(`${assets}icons/icon.icns`, icns(pictures));
}

/** The page as an app on a phone, whose system cuts the corners off: all that counts is further in. */
async function renderPage() {
  const svg = await source('app');
  for (const size of [180, 192, 512]) {
    const look = { ground: '#141618', margin: Math.ceil(size * 0.12) };
    const name = `app-${size}.png`;
    await writeFile(`${pageIcons}${name}`, await render(svg, size, 'black', look));
  }
}

async function renderTray() {
  const names = (await readdir(`${assets}icons/source`))
    .filter((name) => name.startsWith('tray-'))
    .map((name) => name.slice('tray-'.length, -'.svg'.length));
  for (const theme of trayThemes) {
    await mkdir(`${assets}tray/${theme}`, { recursive: true });
    for (const name of names) {
      const svg = await source(`tray-${name}`);
      for (const scale of [1, 2]) {
        const picture = await render(svg, 16 * scale, trayColours(theme, name));
        await writeFile(`${assets}tray/${trayFile(theme, name, scale)}`, picture);
      }
    }
  }
}

try {
  await renderApp();
  await renderPage();
  await renderTray();
} finally {
  await browser.close();
}
