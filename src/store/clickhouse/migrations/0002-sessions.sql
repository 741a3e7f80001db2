-- Sessions: what was reported of their traces, and how they were scored. All of a session is on one shard, in one range.

-- sharded by cityHash64(org_id, session_id)
CREATE TABLE IF NOT EXISTS signal_reports (
  org_id LowCardinality(String), session_id String, received_at Int64, place UInt32, trace_id String,
  agent_id Nullable(String), confidence Nullable(Float64), loop_detection Nullable(Float64),
  tool_correctness Nullable(Float64), coherence Nullable(Float64), started_at Nullable(Float64), tags Array(String),
  source LowCardinality(String)
) ENGINE = MergeTree ORDER BY (org_id, session_id, received_at, place)
SETTINGS non_replicated_deduplication_window = 10000;

-- sharded by cityHash64(org_id, session_id)
CREATE TABLE IF NOT EXISTS session_scores (
  org_id LowCardinality(String), session_id String, metric LowCardinality(String), recorded_at Int64, place UInt32,
  run_id String, agent_id Nullable(String), score Float64, threshold Float64, passed Nullable(Bool),
  evidence LowCardinality(String), total_traces UInt32, traces_evaluated UInt32, flagged_traces UInt32, revision UInt32,
  session_at Float64, computed_at Float64, tags Array(String), signal_counts Array(Float64), weights Array(Float64)
) ENGINE = MergeTree ORDER BY (org_id, session_id, metric, recorded_at, place)
SETTINGS non_replicated_deduplication_window = 10000;
