import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { flagOf, readConfiguration, SETTINGS, variableOf } from '../src/server/configuration.ts';

it('the reference has the table of the code', () => {
  const page = readFileSync(new URL('../docs/reference/configuration.md', import.meta.url), 'utf8');
  const rows = page
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .map((line) => line.split('|').map((cell) => cell.trim()));
  const documented = rows.map(([, name, flag, variable, value, summary]) => [
    name,
    flag,
    variable,
    value,
    summary,
  ]);
  expect(documented).toEqual(
    Object.values(SETTINGS).map((setting) => [
      `\`${setting.name}\``,
      `\`--${flagOf(setting)}\``,
      `\`${variableOf(setting)}\``,
      String(setting.default) === '' ? '' : `\`${setting.default}\``,
      setting.summary,
    ]),
  );
});

it('flags count before the environment, and that before the file', () => {
  const configuration = readConfiguration({
    flags: { port: '1' },
    env: { RENOWN_PORT: '2', RENOWN_HOST: 'b', RENOWN_CORS_ORIGINS: 'https://a, https://b' },
    file: { port: 3, host: 'c', base_path: '/r', trusted_proxies: ['10.0.0.0/8'] },
  });
  expect(configuration).toMatchObject({
    port: 1,
    host: 'b',
    basePath: '/r',
    corsOrigins: ['https://a', 'https://b'],
    trustedProxies: ['10.0.0.0/8'],
    logLevel: 'info',
  });
});

it.each([
  [{ port: 'x' }, '--port must be a whole number'],
  [{ 'base-path': 'renown/' }, '--base-path must be empty, or a path as /renown'],
  [{ 'log-level': 'loud' }, '--log-level must be debug'],
  [{ 'master-key': 'short' }, '--master-key must be at least 16 characters long'],
  [{ store: 'mysql:x' }, '--store must be duckdb:path or memory:'],
])('%j is refused under the name it was given', (flags, message) => {
  expect(() => readConfiguration({ flags, env: {}, file: {} })).toThrow(message);
});
