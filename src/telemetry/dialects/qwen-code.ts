/**
 * Qwen Code, a fork of Gemini CLI under another prefix. Source: QwenLM/qwen-code, packages/core/src/telemetry. It speaks
 * to models that count thoughts inside the output, unless the total says otherwise.
 */
import type { Dialect } from '../dialect.ts';
import { createGeminiDialect } from './gemini-cli.ts';

export const qwenCode: Dialect = createGeminiDialect({
  name: 'qwen-code',
  prefix: 'qwen-code.',
  thoughtsApart: false,
});
