import { accessSync, constants, statSync } from 'node:fs';

/** Whether this user could stand in the folder. */
export function isFolder(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}
