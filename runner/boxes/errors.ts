import { oneStop } from '../../shared/base/index.ts';

/** Exit statuses of `interlock box`, for scripts. */
export const boxExit = {
  failed: 1,
  noBox: 2,
  noTemplate: 3,
  noResource: 4,
  notStarted: 5,
} as const;

/** What a person is told of a box that could not be had, and the exit status for it. */
export class BoxError extends Error {
  readonly exitCode: number;
  readonly hint: string;

  constructor(exitCode: number, message: string, hint: string, options?: ErrorOptions) {
    super(oneStop(message), options);
    this.name = 'BoxError';
    this.exitCode = exitCode;
    this.hint = oneStop(hint);
  }
}

export function noSuchBox(name: string): BoxError {
  return new BoxError(boxExit.noBox, `There is no box "${name}".`, 'See interlock box ps.');
}
