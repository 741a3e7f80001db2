// Gate what a function returns, in your own process: no server, no network.
//   node examples/gate-a-function.js
import { createEngine, gates } from 'renown/sdk';

const engine = createEngine({
  gates: [gates.filesystem(), gates.pii({ allow: ['@acme.com'] }), gates.content()],
});

/** Stands in for your agent. @param {string} question */
async function agent(question) {
  return question.includes('clean') ? 'Run `rm -rf build` first.' : 'Write to support@acme.com.';
}

for (const question of ['How do I clean up?', 'Whom do I ask?']) {
  const output = await agent(question);
  const { passed, gates: results } = await engine.evaluate({ agent_id: 'helper', output });
  const failed = results.find((gate) => gate.outcome === 'failed');
  console.log(
    passed ? `${question} -> ${output}` : `${question} -> blocked by ${failed?.name}: ${failed?.reason}`,
  );
}
