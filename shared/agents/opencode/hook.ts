import type { HostHook } from '../host.ts';
import { pluginAnswer } from '../words.ts';

export const opencodeHook: HostHook = { title: 'OpenCode', answer: pluginAnswer };
