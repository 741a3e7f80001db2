import { LIMITS } from '../../core/limits.ts';
import type { VerifiedReceipt } from '../../sdk/verify-receipt.ts';
import { BLOCKED_EXIT, type Command, type CommandInput, usageError } from '../command.ts';
import { type Io, styleFor } from '../io.ts';
import { printable } from '../printable.ts';
import { readText } from '../read-text.ts';
import { verifyReceiptText } from '../verify-receipt-text.ts';
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
    { name: 'issuer', type: 'string', summary: 'The org that the receipt must be of' },
    { name: 'agent', type: 'string', summary: 'The agent that the receipt must be about' },
    { name: 'expires', type: 'string', summary: 'Seconds that a new one is good for; 30 days without it' },
    ...API_OPTIONS,
  ],
  examples: [
    { says: 'a signed statement to hand on', line: 'renown receipt issue support-bot > support-bot.jws' },
    {
      says: 'exit code 10 when it is not good or was taken back',
      line: 'renown receipt verify support-bot.jws --issuer acme --agent support-bot',
    },
    {
      says: 'asks nobody, and so cannot know whether it was taken back',
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
  const text = await readText(file, { io, bytesMax: LIMITS.gateFileBytesMax });
  const verified = await verifyReceiptText(text, input, io);
  await writeVerified(verified, input, io);
  return verified.valid ? 0 : BLOCKED_EXIT;
}

/** Whom it is of and about comes first: a valid receipt of somebody else proves nothing. */
async function writeVerified(verified: VerifiedReceipt, { options }: CommandInput, io: Io): Promise<void> {
  const shown = verified.valid
    ? { valid: true, issuer: verified.claims.iss, subject: verified.claims.sub, claims: verified.claims }
    : verified;
  if (!io.stdout.isTTY || options.json) return writeLine(io.stdout, JSON.stringify(shown));
  const { bold, red } = styleFor(io.stdout, io.env);
  const head = verified.valid
    ? bold(`Valid. ${printable(verified.claims.iss)} says this about ${printable(verified.claims.sub)}:`)
    : red(bold('Not valid:'));
  await writeLine(io.stdout, `${head}\n${JSON.stringify(shown, null, 2)}`);
}
