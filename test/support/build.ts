import { buildIfNeeded } from '../../scripts/lib/build.mjs';

/** Before all files: what real processes run is made from the sources as they are now. */
export async function setup(): Promise<void> {
  await buildIfNeeded();
}
