// @ts-check
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Folder of the checkout. */
export const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
