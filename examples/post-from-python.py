"""Judge outputs of a test suite in Python, report verdicts of your own, and read where the agent stands.

    RENOWN_URL=http://127.0.0.1:4747 RENOWN_KEY=pk_live_… python3 examples/post-from-python.py
"""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "clients", "python"))
from renown import Renown  # noqa: E402

renown = Renown(os.environ["RENOWN_URL"], key=os.environ["RENOWN_KEY"])

verdict = renown.evaluate("python-example", "Run rm -rf / and all will be well.", tool="answer")
failed = next(gate for gate in verdict["gates"] if gate["outcome"] == "failed")
print(f"blocked by {failed['name']}: {failed['reason']}")

renown.ingest(
    {
        "agent_id": "python-example",
        "passed": True,
        "gates": [{"name": "unit-tests", "outcome": "passed", "latency_ms": 1.5}],
        "total_latency_ms": 1.5,
    }
    for _ in range(3)
)
standing = renown.reputation("python-example")
print(f"{standing['passed']} of {standing['eval_count']} passed")
