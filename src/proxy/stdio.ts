/**
 * The proxy as a process between two others: it starts the server, owns the pipes and carries lines through the relay.
 * Standard error, signals and the exit code of the server are handed on as they are.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { RenownError } from '../core/errors.ts';
import { lines } from './lines.ts';
import type { Relay, Relayed } from './relay.ts';

export interface Ended {
  code: number | null;
  signal: NodeJS.Signals | null;
}

const FORWARDED: readonly NodeJS.Signals[] = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT', 'SIGUSR1', 'SIGUSR2'];

/** Runs the server between the client's pipes until it ends, and says how it ended. */
export async function runServer(
  [command, ...args]: readonly [string, ...string[]],
  relay: Relay,
  client: { input: Readable; output: Writable },
): Promise<Ended> {
  const server = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const { stdin, stdout } = server;
  const ended = endOf(server, command);
  const stopForwarding = forwardSignals(server);
  // A server that is gone, or a client that is, breaks its pipe; that end is noticed elsewhere.
  stdin.on('error', () => undefined);
  client.output.on('error', () => undefined);

  const write = async ({ toServer, toClient }: Relayed) => {
    if (toClient) await put(client.output, toClient);
    if (toServer) await put(stdin, toServer);
  };
  const requests = carry(client.input, (line) => relay.fromClient(line), write).finally(() => stdin.end());
  const answers = carry(stdout, (line) => relay.fromServer(line), write);
  requests.catch(() => server.kill());
  answers.catch(() => server.kill());
  try {
    const end = await ended;
    await answers;
    return end;
  } finally {
    stopForwarding();
    // The client may keep its end open for ever; nobody is left to read from it.
    client.input.destroy();
    await requests.catch(() => undefined);
  }
}

async function carry(
  from: Readable,
  relay: (line: Uint8Array) => Promise<Relayed>,
  write: (relayed: Relayed) => Promise<void>,
): Promise<void> {
  try {
    for await (const line of lines(from)) await write(await relay(line));
  } catch (error) {
    if (error instanceof RenownError) throw error;
    // A pipe that was cut is the end of it.
    if (!isCut(error)) throw error;
  }
}

function isCut(error: unknown): boolean {
  return ['ERR_STREAM_PREMATURE_CLOSE', 'ECONNRESET', 'EPIPE', 'ERR_STREAM_DESTROYED'].includes(
    String((error as NodeJS.ErrnoException).code),
  );
}

/** Waits for a reader that is slower than we are, and not for one that is gone. */
async function put(stream: Writable, bytes: Uint8Array): Promise<void> {
  if (stream.destroyed || stream.writableEnded || stream.write(bytes)) return;
  await Promise.race([once(stream, 'drain'), once(stream, 'close')]).catch(() => undefined);
}

function endOf(server: ChildProcess, command: string): Promise<Ended> {
  return new Promise((resolve, reject) => {
    server.on('error', (cause) => {
      const { code } = cause as NodeJS.ErrnoException;
      reject(
        new RenownError('usage', `The server "${command}" could not be started (${code}). Check its path.`, {
          cause,
        }),
      );
    });
    server.on('exit', (code, signal) => resolve({ code, signal }));
  });
}

function forwardSignals(server: ChildProcess): () => void {
  const forward = (signal: NodeJS.Signals) => server.kill(signal);
  for (const signal of FORWARDED) process.on(signal, forward);
  return () => {
    for (const signal of FORWARDED) process.off(signal, forward);
  };
}
