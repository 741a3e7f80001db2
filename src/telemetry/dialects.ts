/** The dialects, in the order in which they are asked: the particular before the general. */
import type { Dialect } from './dialect.ts';
import { claudeCode } from './dialects/claude-code.ts';

export const DIALECTS: readonly Dialect[] = [claudeCode];
