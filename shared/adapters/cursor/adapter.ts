import type { HostAdapter } from '../types.ts';
import { answer } from './answer.ts';
import { read } from './read.ts';

/** Cursor: its hooks `beforeShellExecution` and `beforeMCPExecution`. */
export const cursorAdapter: HostAdapter = { host: 'cursor', rewrites: false, read, answer };
