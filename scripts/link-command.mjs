// @ts-check
import { buildIfNeeded } from './lib/build.mjs';
import { installIfNeeded } from './lib/install.mjs';
import { commandOnPath, folderForLink, linkCommand } from './lib/link-command.mjs';

await installIfNeeded();
await buildIfNeeded();
const there = commandOnPath();
const folder = process.argv[2] ?? folderForLink();
if (there?.isOurs === true) console.log(`"interlock" is on your PATH already: ${there.file}`);
else if (folder === null) {
  console.error('No folder of PATH is yours to write. Name one: npm run link-command -- FOLDER');
  process.exitCode = 1;
} else {
  try {
    console.log(`Linked: ${linkCommand(folder)}`);
  } catch (error) {
    console.error(error instanceof Error ? error.message : String(error));
    process.exitCode = 1;
  }
}
