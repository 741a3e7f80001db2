/** The gates that the server runs over what it is asked to evaluate. */
import { createHash } from 'node:crypto';
import { content } from '../gates/content.ts';
import { createEngine } from '../gates/engine.ts';
import type { ServiceContext } from './context.ts';

export function createServerSuite(): Pick<ServiceContext, 'engine' | 'suiteHash'> {
  const engine = createEngine({ gates: [content()] });
  const suiteHash = createHash('sha256').update(JSON.stringify(engine.gateNames)).digest('hex').slice(0, 16);
  return { engine, suiteHash };
}
