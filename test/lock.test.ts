import { describe, expect, it } from 'vitest';
import lock from '../package-lock.json' with { type: 'json' };
import { findMissing, platformOf } from '../scripts/complete-lock.js';

const packages: Record<string, Record<string, unknown>> = lock.packages;

describe('the lock file', () => {
  it('names every package that `npm ci` will ask for, on any platform', () => {
    expect(findMissing(packages), 'run `node scripts/complete-lock.js`').toEqual([]);
  });

  it.each(['linux-arm64', 'linux-x64', 'darwin-arm64', 'darwin-x64', 'win32-x64'])(
    'has the native binaries for %s',
    (platform) => {
      expect(Object.keys(packages)).toContain(`node_modules/@esbuild/${platform}`);
      // What the product itself loads must also be the very one that was tested.
      expect(packages[`node_modules/@duckdb/node-bindings-${platform}`]).toHaveProperty('integrity');
    },
  );

  it('names no registry', () => {
    expect(JSON.stringify(lock)).not.toMatch(/"resolved"|https?:\/\/[^"]*\.tgz/);
  });
});

describe('the platform of a native package', () => {
  it.each([
    ['@biomejs/cli-darwin-arm64', { os: ['darwin'], cpu: ['arm64'] }],
    ['@biomejs/cli-linux-x64-musl', { os: ['linux'], cpu: ['x64'], libc: ['musl'] }],
    ['@rolldown/binding-linux-arm-gnueabihf', { os: ['linux'], cpu: ['arm'], libc: ['glibc'] }],
    ['@rolldown/binding-win32-x64-msvc', { os: ['win32'], cpu: ['x64'] }],
    ['fsevents', {}],
  ])('is read off its name: %s', (name, platform) => {
    expect(platformOf(name)).toEqual(platform);
  });
});
