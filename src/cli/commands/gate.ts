import { LIMITS } from '../../core/limits.ts';
import { type EvaluationResult, type GateResult, withoutDetails } from '../../gates/evaluation-result.ts';
import { BLOCKED_EXIT, type Command, usageError } from '../command.ts';
import { GATES_OPTION, openGates } from '../gates-option.ts';
import { type Io, styleFor } from '../io.ts';
import { parseJsonInput } from '../parse-json-input.ts';
import { readText } from '../read-text.ts';
import { writeLine } from '../write-line.ts';

export const gate: Command = {
  usage: 'gate [file] [--gates <value>]',
  arguments: [{ name: '[file]', summary: 'The output to judge; standard input when absent or -' }],
  options: [
    GATES_OPTION,
    { name: 'parse', type: 'boolean', summary: 'Read the output as JSON, so that a schema can look into it' },
  ],
  examples: [
    { says: 'judge what a program wrote', line: 'my-agent | renown gate' },
    {
      says: 'by gates of your own; exit code 10 stops the pipeline',
      line: 'renown gate answer.json --parse --gates renown.gates.yaml',
    },
  ],
  async run({ positionals: [file = '-'], options }, io) {
    if (file === '-' && io.stdin.isTTY)
      throw usageError('Name a file, or pipe the output in: nothing is coming from standard input', 'gate');
    const { engine } = await openGates(options.gates);
    const text = await readText(file, { io, bytesMax: LIMITS.scoreInputBytesMax });
    const result = await engine.evaluate({ agent_id: 'cli', output: options.parse ? parsed(text) : text });
    if (io.stdout.isTTY && !options.json) io.stdout.write(render(result, io));
    else await writeLine(io.stdout, JSON.stringify(withoutDetails(result)));
    return result.passed ? 0 : BLOCKED_EXIT;
  },
};

function parsed(text: string): unknown {
  const input = parseJsonInput(text);
  return input.kind === 'one' ? input.documents[0] : input.documents;
}

const MARKS: Record<GateResult['outcome'], string> = {
  passed: '✓',
  failed: '✗',
  skipped: '·',
  aborted: '·',
  timeout: '✗',
  error: '✗',
};

function render({ passed, gates, total_latency_ms }: EvaluationResult, io: Io): string {
  const { bold, dim, red } = styleFor(io.stdout, io.env);
  const width = Math.max(...gates.map(({ name }) => name.length));
  const lines = gates.map((one) => {
    const line = `  ${MARKS[one.outcome]} ${one.name.padEnd(width)}  ${(one.reason ?? one.outcome).trim()}`;
    return one.passed ? line : one.outcome === 'aborted' ? dim(line) : red(line);
  });
  const head = passed ? bold('Passed') : red(bold('Blocked'));
  return `${head} ${dim(`in ${total_latency_ms.toFixed(2)} ms`)}\n${lines.join('\n')}\n`;
}
