-- The ledger. Facts are appended; everything under "derived" can be made again from them.
-- Every statement may run again, and from two nodes at once. A line `-- sharded by` before a table says where its rows
-- belong in a cluster. Times are milliseconds since 1970, as the API has them: Int64 where the ledger sets them, Float64
-- (exact up to 2^53) where a caller does. A table with a deduplication window takes an insert that is sent again once.

-- Orgs and keys: `writer` is drawn by whoever inserts, and tells the one who came first.

-- sharded by cityHash64(org_id)
CREATE TABLE IF NOT EXISTS orgs (
  org_id String, name String, created_at Float64, writer String
) ENGINE = MergeTree ORDER BY org_id
SETTINGS non_replicated_deduplication_window = 1000;

-- sharded by cityHash64(hash)
CREATE TABLE IF NOT EXISTS api_keys (
  hash String, key_id String, org_id String, kind LowCardinality(String), hint String, created_at Float64,
  revoked_at Nullable(Float64), last_used_at Nullable(Float64), writer String
) ENGINE = MergeTree ORDER BY hash
SETTINGS non_replicated_deduplication_window = 1000;

-- What has happened to a key since it was made.
-- sharded by cityHash64(org_id)
CREATE TABLE IF NOT EXISTS key_uses (
  org_id String, key_id String,
  revoked_at SimpleAggregateFunction(min, Nullable(Float64)), last_used_at SimpleAggregateFunction(max, Nullable(Float64))
) ENGINE = AggregatingMergeTree ORDER BY (org_id, key_id);

-- Evaluations. One agent's last 500 are one short range of this order, read backwards.

-- sharded by cityHash64(org_id, agent_id)
CREATE TABLE IF NOT EXISTS evaluations (
  org_id LowCardinality(String), agent_id String, received_at Int64, place UInt32, evaluation_id String,
  tool LowCardinality(Nullable(String)), passed Bool, counts Bool,
  gates Array(Tuple(name LowCardinality(String), outcome LowCardinality(String), latency_ms Float64, reason Nullable(String))),
  total_latency_ms Float64, latency_ms Nullable(Float64), source LowCardinality(String), known_as LowCardinality(String),
  direction LowCardinality(Nullable(String)), suite_hash LowCardinality(Nullable(String)), sample_rate Float64,
  model LowCardinality(Nullable(String)), version LowCardinality(Nullable(String)), session_id Nullable(String),
  trace_id Nullable(String), tags Array(String), occurred_at Float64
) ENGINE = ReplacingMergeTree PARTITION BY toYYYYMM(fromUnixTimestamp64Milli(received_at))
ORDER BY (org_id, agent_id, received_at, place, evaluation_id)
SETTINGS non_replicated_deduplication_window = 10000;

-- sharded by cityHash64(org_id, agent_id)
CREATE TABLE IF NOT EXISTS voids (
  org_id LowCardinality(String), agent_id String, evaluation_id String, received_at Int64, voided_at Float64, reason String
) ENGINE = MergeTree ORDER BY (org_id, agent_id, evaluation_id)
SETTINGS non_replicated_deduplication_window = 10000;

-- Derived: where an evaluation is, by its id. Small granules, because it is asked for single ids.
-- sharded by cityHash64(org_id, agent_id)
CREATE TABLE IF NOT EXISTS evaluation_ids (
  org_id LowCardinality(String), evaluation_id String, received_at Int64, place UInt32, agent_id String
) ENGINE = ReplacingMergeTree ORDER BY (org_id, evaluation_id, received_at, place, agent_id)
SETTINGS index_granularity = 256, non_replicated_deduplication_window = 10000;

CREATE MATERIALIZED VIEW IF NOT EXISTS evaluation_ids_mv TO evaluation_ids AS
SELECT org_id, evaluation_id, received_at, place, agent_id FROM evaluations;

-- What was said about an agent, field by field; null says nothing about a field, and an empty list keeps the name. Of two
-- changes with the same version, made by two nodes at once, the higher writer counts.
-- sharded by cityHash64(org_id, agent_id)
CREATE TABLE IF NOT EXISTS agent_changes (
  org_id LowCardinality(String), agent_id String, version UInt64, writer String, created_at Nullable(Float64),
  identity_id Nullable(String), display_name Array(Nullable(String)), is_public Nullable(Bool)
) ENGINE = MergeTree ORDER BY (org_id, agent_id, version, writer);

-- How many counting evaluations of an agent retention has removed: all up to a place. Those still there do not count.
-- sharded by cityHash64(org_id, agent_id)
CREATE TABLE IF NOT EXISTS agent_prunes (
  org_id LowCardinality(String), agent_id String, pruned UInt64, upto_at Int64, upto_place UInt32
) ENGINE = ReplacingMergeTree(pruned) ORDER BY (org_id, agent_id);

-- Derived: the days on which an agent had evaluations, when the first of each came, and when the day was last touched.
-- It is also how an agent is known by its first use.
-- sharded by cityHash64(org_id, agent_id)
CREATE TABLE IF NOT EXISTS agent_days (
  org_id LowCardinality(String), agent_id String, day Int32, first_at SimpleAggregateFunction(min, Int64),
  touched_at SimpleAggregateFunction(max, DateTime64(3))
) ENGINE = AggregatingMergeTree ORDER BY (org_id, agent_id, day)
SETTINGS non_replicated_deduplication_window = 10000;

CREATE MATERIALIZED VIEW IF NOT EXISTS agent_days_mv TO agent_days AS
SELECT org_id, agent_id, toInt32(floor(received_at / 86400000)) AS day, min(received_at) AS first_at, now64(3) AS touched_at
FROM evaluations GROUP BY org_id, agent_id, day;

CREATE MATERIALIZED VIEW IF NOT EXISTS void_days_mv TO agent_days AS
SELECT org_id, agent_id, toInt32(floor(received_at / 86400000)) AS day, min(received_at) AS first_at, now64(3) AS touched_at
FROM voids GROUP BY org_id, agent_id, day;

-- Derived: counting evaluations of an agent by day. A day counts from here when it was built after it was last touched.
-- sharded by cityHash64(org_id, agent_id)
CREATE TABLE IF NOT EXISTS evaluation_days (
  org_id LowCardinality(String), agent_id String, day Int32, counting UInt64, built_at DateTime64(3)
) ENGINE = ReplacingMergeTree(built_at) ORDER BY (org_id, agent_id, day);

-- What retention is about to remove, so that a removal that was cut short is finished by the next.
-- sharded by cityHash64(org_id, agent_id)
CREATE TABLE IF NOT EXISTS doomed_evaluations (
  org_id LowCardinality(String), agent_id String, received_at Int64, place UInt32, evaluation_id String, counting Bool
) ENGINE = MergeTree ORDER BY (org_id, agent_id, received_at, place, evaluation_id);

-- Identities. The columns of the original come first and in its order; ours have defaults, so that its SQL keeps working.

-- sharded by cityHash64(org_id, identity_id)
CREATE TABLE IF NOT EXISTS reputation_events (
  event_id UUID, timestamp DateTime64(3), identity_id UUID, category LowCardinality(String),
  event_type LowCardinality(String), score_delta Float32, confidence Float32 DEFAULT 1.0, reference_type String,
  reference_id String, attributes Map(String, String), org_id LowCardinality(String) DEFAULT 'default', revision UInt64 DEFAULT 0
) ENGINE = MergeTree PARTITION BY toYYYYMM(timestamp) ORDER BY (org_id, identity_id, timestamp, event_id)
TTL toDateTime(timestamp) + INTERVAL 3 YEAR
SETTINGS non_replicated_deduplication_window = 10000;

-- Derived: which revisions of an event are known, and when they say it was.
-- sharded by cityHash64(org_id, identity_id)
CREATE TABLE IF NOT EXISTS event_ids (
  org_id LowCardinality(String), event_id UUID, revision UInt64, identity_id UUID, timestamp DateTime64(3)
) ENGINE = ReplacingMergeTree ORDER BY (org_id, event_id, revision, identity_id)
TTL toDateTime(timestamp) + INTERVAL 3 YEAR
SETTINGS index_granularity = 256, non_replicated_deduplication_window = 10000;

CREATE MATERIALIZED VIEW IF NOT EXISTS event_ids_mv TO event_ids AS
SELECT org_id, event_id, revision, identity_id, timestamp FROM reputation_events;

-- Derived: what each category of an identity came to on a day: sum, total, positive, negative.
-- sharded by cityHash64(org_id, identity_id)
CREATE TABLE IF NOT EXISTS identity_days (
  org_id LowCardinality(String), identity_id UUID, day Int32,
  tallies Array(Tuple(category LowCardinality(String), sum Float64, total UInt64, positive UInt64, negative UInt64)),
  built_at DateTime64(3)
) ENGINE = ReplacingMergeTree(built_at) ORDER BY (org_id, identity_id, day);

-- sharded by cityHash64(org_id, identity_id)
CREATE TABLE IF NOT EXISTS identity_marks (
  org_id LowCardinality(String), identity_id UUID, day Int32, touched_at SimpleAggregateFunction(max, DateTime64(3))
) ENGINE = AggregatingMergeTree ORDER BY (org_id, identity_id, day)
SETTINGS non_replicated_deduplication_window = 10000;

CREATE MATERIALIZED VIEW IF NOT EXISTS identity_marks_mv TO identity_marks AS
SELECT org_id, identity_id, toInt32(floor(toUnixTimestamp64Milli(timestamp) / 86400000)) AS day, now64(3) AS touched_at
FROM reputation_events GROUP BY org_id, identity_id, day;

-- sharded by cityHash64(org_id, identity_id)
CREATE TABLE IF NOT EXISTS reputation_scores (
  identity_id UUID, computed_at DateTime64(3), overall_score Float32, task_quality_score Float32, economic_score Float32,
  identity_hygiene_score Float32, total_events UInt64, positive_events UInt64, negative_events UInt64, confidence Float32,
  score_7d_ago Float32, score_30d_ago Float32, org_id LowCardinality(String) DEFAULT 'default'
) ENGINE = ReplacingMergeTree(computed_at) ORDER BY (identity_id, org_id);

-- sharded by cityHash64(org_id)
CREATE TABLE IF NOT EXISTS audit (
  org_id LowCardinality(String), recorded_at Int64, place UInt32, audit_id String, at Float64, actor String, action String,
  target String, note String
) ENGINE = ReplacingMergeTree ORDER BY (org_id, recorded_at, place, audit_id)
SETTINGS non_replicated_deduplication_window = 10000;

-- A plain view, because a materialized view sees the inserted block wherever the table itself is named, and the whole
-- table through this one.
CREATE VIEW IF NOT EXISTS reputation_event_rows AS SELECT * FROM reputation_events;

-- Fresh with every insert, and over whole windows: the block only tells which identities were touched. Rows outside all
-- three windows are read where they may replace one inside.
CREATE MATERIALIZED VIEW IF NOT EXISTS reputation_scores_mv TO reputation_scores AS
SELECT
  identity_id, computed_at,
  0.4 * task_quality_score + 0.35 * economic_score + 0.25 * identity_hygiene_score AS overall_score,
  if(isNaN(avgs[1]), 0, avgs[1]) AS task_quality_score,
  if(isNaN(avgs[2]), 0, avgs[2]) AS economic_score,
  if(isNaN(avgs[3]), 0, avgs[3]) AS identity_hygiene_score,
  total_events, positive_events, negative_events, least(1, total_events / 100) AS confidence,
  0.4 * if(isNaN(avgs[4]), 0, avgs[4]) + 0.35 * if(isNaN(avgs[5]), 0, avgs[5]) + 0.25 * if(isNaN(avgs[6]), 0, avgs[6])
    AS score_7d_ago,
  0.4 * if(isNaN(avgs[7]), 0, avgs[7]) + 0.35 * if(isNaN(avgs[8]), 0, avgs[8]) + 0.25 * if(isNaN(avgs[9]), 0, avgs[9])
    AS score_30d_ago,
  org_id
FROM (SELECT org_id, identity_id FROM reputation_events GROUP BY org_id, identity_id) AS touched
INNER JOIN (
  SELECT
    org_id, identity_id, max(t) AS computed_at,
    [
      avgIf(delta, in_0d AND category = 'task_quality'), avgIf(delta, in_0d AND category = 'economic'),
      avgIf(delta, in_0d AND category = 'identity_hygiene'), avgIf(delta, in_7d AND category = 'task_quality'),
      avgIf(delta, in_7d AND category = 'economic'), avgIf(delta, in_7d AND category = 'identity_hygiene'),
      avgIf(delta, in_30d AND category = 'task_quality'), avgIf(delta, in_30d AND category = 'economic'),
      avgIf(delta, in_30d AND category = 'identity_hygiene')
    ] AS avgs,
    countIf(in_0d) AS total_events, countIf(in_0d AND delta > 0) AS positive_events,
    countIf(in_0d AND delta < 0) AS negative_events
  FROM (
    SELECT
      org_id, identity_id, now64(3) AS t, latest.1 AS category, toFloat64(latest.2) AS delta, latest.3 AS at,
      at > t - INTERVAL 90 DAY AND at <= t AS in_0d,
      at > t - INTERVAL 97 DAY AND at <= t - INTERVAL 7 DAY AS in_7d,
      at > t - INTERVAL 120 DAY AND at <= t - INTERVAL 30 DAY AS in_30d
    FROM (
      SELECT
        org_id, identity_id,
        argMax((category, score_delta, timestamp), (revision, -toUnixTimestamp64Milli(timestamp))) AS latest
      FROM reputation_event_rows
      WHERE (org_id, identity_id) IN (SELECT org_id, identity_id FROM reputation_events)
        AND (timestamp > now64(3) - INTERVAL 120 DAY OR revision > 0)
      GROUP BY org_id, identity_id, event_id
    )
  )
  GROUP BY org_id, identity_id
) AS scored USING (org_id, identity_id);

-- Documents: every write is a step; the last one is the document, unless its version is 0.
-- sharded by cityHash64(org_id)
CREATE TABLE IF NOT EXISTS documents (
  org_id LowCardinality(String), kind LowCardinality(String), id String, step UInt64, version UInt64, updated_at Float64,
  body String, writer String
) ENGINE = MergeTree ORDER BY (org_id, kind, id, step)
SETTINGS non_replicated_deduplication_window = 10000;
