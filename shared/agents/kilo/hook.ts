import type { HostHook } from '../host.ts';
import { pluginAnswer } from '../words.ts';

export const kiloHook: HostHook = { title: 'Kilo', answer: pluginAnswer };
