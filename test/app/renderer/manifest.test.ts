import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const renderer = fileURLToPath(new URL('../../../app/renderer/', import.meta.url));
const icons = join(renderer, 'icons');

interface Manifest {
  readonly icons: readonly {
    readonly src: string;
    readonly sizes: string;
    readonly type: string;
    readonly purpose?: string;
  }[];
}

/** Width and height as they stand in the header of a PNG. */
function sizesOf(path: string): string {
  const bytes = readFileSync(path);
  expect(bytes.subarray(1, 4).toString()).toBe('PNG');
  return `${String(bytes.readUInt32BE(16))}x${String(bytes.readUInt32BE(20))}`;
}

it('gives the page as an app icons that phones take: pictures of the sizes that it says', () => {
  const text = readFileSync(join(icons, 'interlock.webmanifest'), 'utf8');
  const pictures = (JSON.parse(text) as Manifest).icons.filter(({ type }) => type === 'image/png');
  for (const { src, sizes } of pictures) expect(sizesOf(join(icons, src))).toBe(sizes);
  for (const purpose of ['any', 'maskable'])
    expect(pictures.filter((one) => one.purpose === purpose).map(({ sizes }) => sizes)).toEqual([
      '192x192',
      '512x512',
    ]);
  const touch = /rel="apple-touch-icon" href="\.\/(?<name>[^"]+)"/u.exec(
    readFileSync(join(renderer, 'index.html'), 'utf8'),
  );
  expect(sizesOf(join(icons, touch?.groups?.['name'] ?? ''))).toBe('180x180');
});
