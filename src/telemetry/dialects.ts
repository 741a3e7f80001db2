/**
 * The dialects, in the order in which they are asked: those with names of their own before those that share theirs, and
 * the plain conventions last, because several agents follow them in part.
 */
import type { Dialect } from './dialect.ts';
import { claudeCode } from './dialects/claude-code.ts';
import { codex } from './dialects/codex.ts';
import { copilot } from './dialects/copilot.ts';
import { geminiCli } from './dialects/gemini-cli.ts';
import { genai } from './dialects/genai.ts';
import { opencode } from './dialects/opencode.ts';
import { qwenCode } from './dialects/qwen-code.ts';

export const DIALECTS: readonly Dialect[] = [
  claudeCode,
  codex,
  geminiCli,
  qwenCode,
  copilot,
  opencode,
  genai,
];
