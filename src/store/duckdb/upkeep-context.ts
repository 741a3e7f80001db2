import type { DuckDBConnection } from '@duckdb/node-api';
import type { EvaluationContext } from './evaluations.ts';
import type { IdentityContext } from './identities.ts';
import type { Places } from './places.ts';
import type { ScoreContext } from './session-scores.ts';
import type { TelemetryContext } from './sessions.ts';
import type { SignalContext } from './signals.ts';

/** What it takes to look after a whole ledger. */
export interface UpkeepContext {
  /** A connection of its own for each export, so that it sees one moment however long it takes. */
  connect(): Promise<DuckDBConnection>;
  places: Places;
  evaluations: EvaluationContext;
  identities: IdentityContext;
  signals: SignalContext;
  scores: ScoreContext;
  telemetry: TelemetryContext;
}
