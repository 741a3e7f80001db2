/**
 * Passes on what was received to another OTLP endpoint, as it was sent, payloads included: off unless the operator names
 * one. It holds nobody up. What does not fit the queue or is not taken is dropped and counted, because the ledger has it.
 */
import { LIMITS } from '../../core/limits.ts';
import type { OtlpSignal } from '../../telemetry/otlp/protobuf.ts';

interface Forwarded {
  signal: OtlpSignal;
  bytes: Buffer;
  headers: Readonly<Record<string, string>>;
}

export class Forwarder {
  readonly #url: string;
  readonly #waiting: Forwarded[] = [];
  #waitingBytes = 0;
  #sending: Promise<void> | null = null;
  /** Requests the other end took, and requests that were dropped. */
  readonly counts = { sent: 0, dropped: 0 };

  /** `url` is that of the endpoint, without `/v1/logs`. */
  constructor(url: string) {
    this.#url = url.replace(/\/+$/, '');
  }

  offer(request: Forwarded): void {
    const isFull =
      this.#waiting.length >= LIMITS.forwardQueueMax ||
      this.#waitingBytes + request.bytes.length > LIMITS.forwardQueueBytesMax;
    if (isFull) {
      this.counts.dropped++;
      return;
    }
    this.#waiting.push(request);
    this.#waitingBytes += request.bytes.length;
    this.#sending ??= this.#send();
  }

  /** Sends what waits, as far as the other end takes it at once. */
  async stop(): Promise<void> {
    await this.#sending;
  }

  async #send(): Promise<void> {
    for (let next = this.#waiting.shift(); next; next = this.#waiting.shift()) {
      this.#waitingBytes -= next.bytes.length;
      if (await post(`${this.#url}/v1/${next.signal}`, next)) this.counts.sent++;
      else this.counts.dropped++;
    }
    this.#sending = null;
  }
}

async function post(url: string, { bytes, headers }: Forwarded): Promise<boolean> {
  try {
    const signal = AbortSignal.timeout(LIMITS.forwardTimeoutMs);
    const answer = await fetch(url, { method: 'POST', headers, body: new Uint8Array(bytes), signal });
    await answer.body?.cancel();
    return answer.ok;
  } catch {
    return false;
  }
}
