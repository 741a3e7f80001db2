#!/usr/bin/env node
// The entry of the CLI. In a checkout it first brings dist/ up to date, so that what runs is what the sources say;
// the published package has no sources and goes straight to dist/.
import { existsSync } from 'node:fs';

if (existsSync(new URL('../src', import.meta.url))) {
  const { buildIfStale } = await import('../scripts/build.js');
  await buildIfStale();
}
const main = new URL('../dist/renown/main.js', import.meta.url);
await import(main.href);
