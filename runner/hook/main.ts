import { hookOptions } from '../../shared/agents/index.ts';
import { answerHost } from './answer-host.ts';
import { handedOver } from './doubt.ts';

/** The program that a host starts. */
const { words, handed } = handedOver(process.argv.slice(2));
answerHost(hookOptions(words), process.env, handed);
