import { hookOptions } from '../../shared/agents/index.ts';
import { answerHost } from './answer-host.ts';

/** The program that a host starts. */
answerHost(hookOptions(process.argv.slice(2)), process.env);
