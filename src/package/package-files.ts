/**
 * Where the files are that came with this code. It runs as it was written, as it was compiled, or as a bundle, each in
 * another folder, so nothing else may ask where it is itself.
 */
import { existsSync } from 'node:fs';

/** The folder of all code: `src`, or `dist` with what was built. Migrations lie in it as they were written. */
export const codeFolder = findCodeFolder();
export const packageFolder = new URL('..', codeFolder);
/** The program as `npm run build` bundles it. */
export const programFolder = new URL('dist/renown/', packageFolder);
export const dashboardFolder = new URL('dist/web/', packageFolder);
/** Whether this is JavaScript; from sources, as in tests, no thread can be started. */
export const isBuilt = import.meta.url.endsWith('.js');

function findCodeFolder(): URL {
  for (let folder = new URL('.', import.meta.url); ; ) {
    const parent = new URL('..', folder);
    const isTop = parent.href === folder.href;
    if (isTop || existsSync(new URL('package.json', parent))) return folder;
    folder = parent;
  }
}
