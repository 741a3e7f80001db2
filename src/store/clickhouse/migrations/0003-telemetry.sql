-- What telemetry told of sessions, and how they were judged. All of a session is on one shard, in one range.
-- Merging joins what reads would join anyway: the lattice of heads, and reports that say the same.

-- A session that no record gave a time has the `first_at` of src/store/clickhouse/sessions.ts.
-- sharded by cityHash64(org_id, session_id)
CREATE TABLE IF NOT EXISTS session_heads (
  org_id LowCardinality(String), session_id String, masque String, agent_rank Int8, agent_id String, entrypoint String,
  dialects SimpleAggregateFunction(groupUniqArrayArray, Array(String)), first_at SimpleAggregateFunction(min, Float64),
  last_at SimpleAggregateFunction(max, Float64), ended SimpleAggregateFunction(max, UInt8),
  detailed SimpleAggregateFunction(max, UInt8), received_at SimpleAggregateFunction(max, Float64)
) ENGINE = AggregatingMergeTree ORDER BY (org_id, session_id, masque, agent_rank, agent_id, entrypoint)
SETTINGS non_replicated_deduplication_window = 10000;

-- sharded by cityHash64(org_id, session_id)
CREATE TABLE IF NOT EXISTS session_events (
  org_id LowCardinality(String), session_id String, masque String, fingerprint UInt64, report UInt64, kind UInt8,
  outcome UInt8, source UInt8, name LowCardinality(String), at Float64, amount Nullable(Float64), cost Nullable(Float64),
  tokens Array(Nullable(Float64))
) ENGINE = ReplacingMergeTree ORDER BY (org_id, session_id, masque, fingerprint, report)
SETTINGS non_replicated_deduplication_window = 10000;

-- sharded by cityHash64(org_id, session_id)
CREATE TABLE IF NOT EXISTS session_verdicts (
  org_id LowCardinality(String), session_id String, masque String, revision UInt32, agent_id Nullable(String),
  entrypoint LowCardinality(String), kind_of_work LowCardinality(String), started_at Float64, ended_at Float64,
  tools Float64, composite Float64, recommendation LowCardinality(String), received_at Float64, judged_at Float64,
  details String
) ENGINE = ReplacingMergeTree ORDER BY (org_id, session_id, revision, masque)
SETTINGS non_replicated_deduplication_window = 10000;
