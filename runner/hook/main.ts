import { hookOptions } from '../../shared/agents/hook-command.ts';
import { answerHost } from './answer-host.ts';

/** The program that a host starts. */
answerHost(hookOptions(process.argv.slice(2)), process.env);
