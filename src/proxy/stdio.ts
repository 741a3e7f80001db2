/**
 * The proxy as a process between two others: it starts the server, owns the pipes and carries lines through the relay.
 * Standard error, signals and the exit code of the server are handed on as they are.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { RenownError } from '../core/errors.ts';
import { lines } from './lines.ts';
import type { Relay, Relayed } from './relay.ts';

export interface Ended {
  code: number | null;
  signal: NodeJS.Signals | null;
}

const FORWARDED: readonly NodeJS.Signals[] = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT', 'SIGUSR1', 'SIGUSR2'];

/** How long a server that is told to end may take for it, and how long its output is waited for once it has ended. */
const GRACE_MS = 1000;
const STEP_MS = 50;

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
  const requests = new Carrier((line) => relay.fromClient(line).then(write));
  const answers = new Carrier((line) => relay.fromServer(line).then(write));
  let failure: { error: unknown } | undefined;
  const fail = (error: unknown) => {
    failure ??= { error };
    stop(server);
  };
  const asked = requests
    .carry(lines(client.input, { from: 'client' }))
    .catch(fail)
    .finally(() => stdin.end());
  const answered = answers.carry(lines(stdout, { from: 'server' })).catch(fail);
  try {
    const end = await ended;
    await drain(stdout, answers, answered);
    if (failure) throw failure.error;
    return end;
  } finally {
    stopForwarding();
    // The client may keep its end open for ever; nobody is left to read from it.
    client.input.destroy();
    await asked;
  }
}

/** Brings lines to their end one after another, and knows whether it waits for the next one. */
class Carrier {
  readonly #deliver: (line: Uint8Array) => Promise<void>;
  waits = true;

  constructor(deliver: (line: Uint8Array) => Promise<void>) {
    this.#deliver = deliver;
  }

  async carry(source: AsyncIterable<Uint8Array>): Promise<void> {
    try {
      for await (const line of source) {
        this.waits = false;
        await this.#deliver(line);
        this.waits = true;
      }
    } catch (error) {
      // A pipe that was cut is the end of it.
      if (!isCut(error)) throw error;
    }
  }
}

/**
 * Waits for the rest of what a server has said that is gone. A process that it left behind may hold the pipe open for
 * ever: what the server itself has said is there already, so only the time counts in which there was nothing to read.
 */
async function drain(stdout: Readable, answers: Carrier, answered: Promise<void>): Promise<void> {
  const over = answered.then(() => true);
  for (let idleMs = 0; idleMs < GRACE_MS; ) {
    if (await Promise.race([over, sleep(STEP_MS, false)])) return;
    if (answers.waits) idleMs += STEP_MS;
  }
  stdout.destroy();
  await answered;
}

/** Ends a server that we cannot go on with, whether it listens or not. */
function stop(server: ChildProcess): void {
  server.kill();
  const timer = setTimeout(() => server.kill('SIGKILL'), GRACE_MS);
  server.once('exit', () => clearTimeout(timer));
}

function isCut(error: unknown): boolean {
  return ['ERR_STREAM_PREMATURE_CLOSE', 'ECONNRESET', 'EPIPE', 'ERR_STREAM_DESTROYED'].includes(
    String((error as NodeJS.ErrnoException).code),
  );
}

/** Waits for a reader that is slower than we are, and not for one that is gone. */
async function put(stream: Writable, bytes: Uint8Array): Promise<void> {
  if (stream.destroyed || stream.writableEnded || stream.write(bytes)) return;
  await new Promise<void>((resolve) => {
    const done = () => {
      for (const event of GOES_ON) stream.off(event, done);
      resolve();
    };
    for (const event of GOES_ON) stream.on(event, done);
  });
}

const GOES_ON = ['drain', 'close', 'error'];

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
