import type { HostAdapter } from '../types.ts';
import { answer } from './answer.ts';
import { read } from './read.ts';

/** OpenCode, through the plugin that Interlock ships. */
export const opencodeAdapter: HostAdapter = { host: 'opencode', rewrites: true, read, answer };
