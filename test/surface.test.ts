/** What others rely on, pinned: a change here is a change of the contract and belongs into CHANGELOG.md. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import manifest from '../package.json' with { type: 'json' };
import { COMMANDS } from '../src/cli/commands.ts';
import { ERRORS } from '../src/core/errors.ts';
import { renown } from './support/renown.ts';

describe('the package', () => {
  it('has these doors, and each opens on what was built', async () => {
    expect(manifest.exports).toMatchSnapshot();
    const core = await import('renown/core' as string);
    expect(Object.keys(core).sort()).toMatchSnapshot();
  });

  it('runs on the Node it names, under its licence, with its dependencies pinned', () => {
    expect(manifest.engines).toEqual({ node: '>=20' });
    expect(manifest.license).toBe('Apache-2.0');
    const versions = Object.values({ ...manifest.dependencies, ...manifest.devDependencies });
    expect(versions.filter((version) => !/^\d+\.\d+\.\d+/.test(version))).toEqual([]);
  });
});

describe('the errors', () => {
  it('are this closed table', () => {
    expect(ERRORS).toMatchSnapshot();
  });

  it('each have a heading in the reference, with the same status and exit code', () => {
    const page = readFileSync(new URL('../docs/reference/errors.md', import.meta.url), 'utf8');
    const documented = [...page.matchAll(/^## `(\w+)`\n+HTTP (\d+) · exit (\d+)$/gm)].map(
      ([, code, status, exit]) => ({
        code,
        status: Number(status),
        exit: Number(exit),
      }),
    );
    expect(documented).toEqual(
      Object.entries(ERRORS).map(([code, { status, exit }]) => ({ code, status, exit })),
    );
  });
});

describe('the command line', () => {
  it('has this overview', () => {
    expect(renown(['--help'])).toMatchSnapshot();
  });

  it.each(COMMANDS.map(({ name }) => name))('has this help for %s', (name) => {
    expect(renown([name, '--help'])).toMatchSnapshot();
  });

  it('prints the version of the package', () => {
    expect(renown(['--version']).stdout).toBe(`${manifest.version}\n`);
  });
});
