// Completes package-lock.json after `npm install`. Native packages come as one optional package per platform, and a
// registry that lacks some of them for other platforms makes npm leave those out of the lock file without a word; then
// `npm ci` refuses the lock as incomplete, here and everywhere. This adds what is missing, by name and version, with
// the platform read off the name, so that each machine looks only for its own. See docs/decisions/0005-lock-file.md.
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const LOCK = fileURLToPath(new URL('../package-lock.json', import.meta.url));

/** @typedef {{ dev?: boolean, optionalDependencies?: Record<string, string>, [key: string]: unknown }} Entry */

/**
 * The optional packages that entries of a lock ask for and that it does not name.
 * @param {Record<string, Entry>} packages
 * @returns {{ name: string, version: string, dev: boolean }[]}
 */
export function findMissing(packages) {
  return Object.values(packages)
    .flatMap(({ optionalDependencies = {}, dev = false }) =>
      Object.entries(optionalDependencies).map(([name, version]) => ({ name, version, dev })),
    )
    .filter(({ name, version }) => /^\d/.test(version) && !(`node_modules/${name}` in packages));
}

/**
 * `@scope/binding-linux-arm64-musl` is for os linux, cpu arm64, libc musl.
 * @param {string} name
 */
export function platformOf(name) {
  const words = name.split(/[/-]/);
  const [os] = words.filter((word) =>
    /^(aix|android|darwin|freebsd|linux|netbsd|openbsd|openharmony|sunos|win32)$/.test(word),
  );
  const [cpu] = words.filter((word) =>
    /^(arm|arm64|ia32|loong64|mips64el|ppc64|riscv64|s390x|wasm32|x64)$/.test(word),
  );
  const [libc] = words
    .filter((word) => /^(gnu|musl)/.test(word))
    .map((word) => (word.startsWith('gnu') ? 'glibc' : 'musl'));
  return { ...(cpu && { cpu: [cpu] }), ...(os && { os: [os] }), ...(libc && { libc: [libc] }) };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const lock = JSON.parse(readFileSync(LOCK, 'utf8'));
  const missing = findMissing(lock.packages);
  for (const { name, version, dev } of missing) {
    lock.packages[`node_modules/${name}`] = {
      version,
      ...(dev && { dev }),
      optional: true,
      ...platformOf(name),
    };
  }
  lock.packages = Object.fromEntries(Object.entries(lock.packages).sort(([a], [b]) => (a < b ? -1 : 1)));
  writeFileSync(LOCK, `${JSON.stringify(lock, null, 2)}\n`);
  process.stdout.write(`Added ${missing.length} packages that the registry did not serve.\n`);
}
