/**
 * The promises of src/store/store.ts, one test each, over whatever engine is handed in. An engine's own test file is one
 * call of this suite; `conformance/` has a file for each part of the port.
 */
import { beforeEach, describe } from 'vitest';
import { describeAccounts } from './conformance/accounts.ts';
import { describeAgents } from './conformance/agents.ts';
import { describeAudit } from './conformance/audit.ts';
import { describeClosing } from './conformance/closing.ts';
import { describeDocuments } from './conformance/documents.ts';
import { describeEvaluations } from './conformance/evaluations.ts';
import { describeIdentities } from './conformance/identities.ts';
import { describeRestart } from './conformance/restart.ts';
import { describeSessionScores } from './conformance/session-scores.ts';
import { describeSignals } from './conformance/signals.ts';
import type { Engine, Suite } from './conformance/suite.ts';
import { describeTelemetry } from './conformance/telemetry.ts';
import { describeTenancy } from './conformance/tenancy.ts';
import { describeUpkeep } from './conformance/upkeep.ts';

export function describeConformance(name: string, engine: Engine): void {
  describe(name, () => {
    const suite = { engine } as Suite;
    beforeEach(async () => {
      suite.store = await engine.open();
      return () => suite.store.close();
    });

    describeAccounts(suite);
    describeAgents(suite);
    describeEvaluations(suite);
    describeIdentities(suite);
    describeSignals(suite);
    describeSessionScores(suite);
    describeTelemetry(suite);
    describeAudit(suite);
    describeDocuments(suite);
    describeTenancy(suite);
    describeUpkeep(suite);
    describeRestart(suite);
    describeClosing(suite);
  });
}
