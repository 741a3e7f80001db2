import type { TestServer } from './server.ts';

/** Waits until a run has come to its end. */
export async function finished(server: TestServer, runId: string) {
  for (;;) {
    const { json } = await server.call(`/v1/session-runs/${runId}`);
    if (json.finished_at !== null) return json;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
