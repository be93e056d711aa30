import type { HostHook } from '../host.ts';
import { pluginAnswer } from '../words.ts';

export const piHook: HostHook = { title: 'pi', answer: pluginAnswer };
