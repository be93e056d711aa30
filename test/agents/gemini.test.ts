import { testRealAgent } from './support/matrix.ts';
import { gemini } from './support/programs/gemini.ts';

testRealAgent(gemini);
