import { RenownError } from '../../core/errors.ts';
import { LIMITS } from '../../core/limits.ts';
import { type JwkSet, verifyReceipt } from '../../sdk/verify-receipt.ts';
import { BLOCKED_EXIT, type Command, type CommandInput, usageError } from '../command.ts';
import type { Io } from '../io.ts';
import { readText } from '../read-text.ts';
import { API_OPTIONS, withApi } from '../with-api.ts';
import { writeLine } from '../write-line.ts';

export const receipt: Command = {
  usage: 'receipt <issue|verify|rotate-key> [agent or file] [--jwks <file or URL>]',
  arguments: [
    { name: '<issue|verify|rotate-key>', summary: 'What to do' },
    {
      name: '[agent or file]',
      summary: 'The agent to issue one for; the receipt to verify, or - for standard input',
    },
  ],
  options: [
    {
      name: 'jwks',
      type: 'string',
      summary: 'The keys of the issuer: a file, or its /.well-known/jwks.json',
    },
    {
      name: 'revocations',
      type: 'string',
      summary: 'The receipts it took back: a file, or its /public/<org>/revocations',
    },
    { name: 'expires', type: 'string', summary: 'Seconds that a new one is good for; 30 days without it' },
    ...API_OPTIONS,
  ],
  examples: [
    { says: 'a signed statement to hand on', line: 'renown receipt issue support-bot > support-bot.jws' },
    {
      says: 'exit code 10 when it is not good; asks nobody',
      line: 'renown receipt verify support-bot.jws --jwks keys.json',
    },
    {
      says: 'sign with a new key from now on; what the former one signed stays good',
      line: 'renown receipt rotate-key',
    },
  ],
  async run(input, io) {
    const [action, subject] = input.positionals;
    if (action === 'rotate-key') return rotateKey(input, io);
    if (action !== 'issue' && action !== 'verify')
      throw usageError('Say issue, verify or rotate-key', 'receipt');
    if (subject === undefined) throw usageError(`Say what to ${action}`, 'receipt');
    return action === 'issue' ? issue(subject, input, io) : verify(subject, input, io);
  },
};

async function issue(agentId: string, input: CommandInput, io: Io): Promise<number> {
  const { expires } = input.options;
  const body = { agent_id: agentId, ...(expires !== undefined && { expires_in_s: Number(expires) }) };
  const issued = await withApi(input, io, (api) =>
    api<{ receipt: string }>({ method: 'POST', path: '/v1/receipts', body }),
  );
  await writeLine(io.stdout, input.options.json ? JSON.stringify(issued) : issued.receipt);
  return 0;
}

async function rotateKey(input: CommandInput, io: Io): Promise<number> {
  const key = await withApi(input, io, (api) => api({ method: 'POST', path: '/v1/receipt-keys' }));
  await writeLine(io.stdout, JSON.stringify(key));
  return 0;
}

async function verify(file: string, input: CommandInput, io: Io): Promise<number> {
  const { jwks, revocations } = input.options;
  const text = await readText(file, { io, bytesMax: LIMITS.gateFileBytesMax });
  const keys = typeof jwks === 'string' ? await readJson(jwks, io) : await keysOfServer(input, io);
  if (!Array.isArray((keys as JwkSet).keys))
    throw new RenownError('invalid_request', 'The keys are no JWK set.');
  const list = typeof revocations === 'string' ? await readJson(revocations, io) : { items: [] };
  const revoked = (list as { items: { receipt_id: string }[] }).items.map(({ receipt_id }) => receipt_id);
  const verified = await verifyReceipt(text, keys as JwkSet, { revoked });
  await writeLine(
    io.stdout,
    JSON.stringify(verified, null, io.stdout.isTTY && !input.options.json ? 2 : undefined),
  );
  return verified.valid ? 0 : BLOCKED_EXIT;
}

function keysOfServer(input: CommandInput, io: Io): Promise<unknown> {
  return withApi(input, io, (api) => api({ method: 'GET', path: '/.well-known/jwks.json' }));
}

async function readJson(from: string, io: Io): Promise<unknown> {
  const text = /^https?:/.test(from)
    ? await fetch(from).then((answer) => answer.text())
    : await readText(from, { io, bytesMax: LIMITS.scoreInputBytesMax });
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new RenownError('invalid_json', `${from} is not JSON.`, { cause });
  }
}
