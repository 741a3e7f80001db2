// A process that appends without end, four batches at a time, and names each id on standard output once it was
// acknowledged. Its parent kills it at a random moment.
// What was built, found at run time: the checks must not need a build.
const built = new URL('../../dist/store/open-store.js', import.meta.url);
const { openStore } = await import(built.href);

const [url = '', round = '0', spoolDir] = process.argv.slice(2);
const store = await openStore(url, { spoolDir });

/** @param {string} id @param {number} i */
const evaluation = (id, i) => ({
  evaluationId: id,
  agentId: `agent-${i % 3}`,
  tool: null,
  passed: i % 4 !== 0,
  counts: true,
  gates: [],
  totalLatencyMs: i % 10,
  latencyMs: null,
  source: /** @type {const} */ ('sdk'),
  knownAs: /** @type {const} */ ('reported'),
  direction: null,
  suiteHash: null,
  sampleRate: 1,
  model: null,
  version: null,
  sessionId: null,
  traceId: null,
  tags: [],
  occurredAt: 0,
});

/** @param {number} lane */
async function write(lane) {
  for (let batch = 0; ; batch++) {
    const ids = Array.from({ length: 1 + (batch % 40) }, (_, i) => `r${round}-l${lane}-b${batch}-${i}`);
    await store.evaluations.append('acme', ids.map(evaluation));
    process.stdout.write(`${ids.join(' ')}\n`);
  }
}

process.stdout.write('ready\n');
await Promise.all([0, 1, 2, 3].map(write));
