-- The ledger. Facts are appended; `windows` is derived and can be made again from `evaluations`.
-- Whole numbers that may pass 2^31 (times, places) are DOUBLE: exact up to 2^53, and numbers in JavaScript as they are.
-- No index and no key: on ten million rows a unique index costs 45 ms per thousand appended. Uniqueness is kept by
-- fingerprints in memory (evaluations) and by looking before writing (everything that is small).

CREATE TABLE meta (name VARCHAR, value VARCHAR);

CREATE TABLE orgs (org_id VARCHAR, name VARCHAR, created_at DOUBLE);

CREATE TABLE api_keys (
  key_id VARCHAR, org_id VARCHAR, kind VARCHAR, hash VARCHAR, hint VARCHAR,
  created_at DOUBLE, revoked_at DOUBLE, last_used_at DOUBLE
);

CREATE TABLE agents (
  agent_no INTEGER, org_id VARCHAR, agent_id VARCHAR, identity_id VARCHAR, display_name VARCHAR, is_public BOOLEAN,
  created_at DOUBLE, pruned_evaluations DOUBLE
);

-- Words that recur in evaluations; `tool_no` and the like refer to them.
CREATE TABLE names (number INTEGER, name VARCHAR);

-- `seq` is the order of arrival. Rows are never changed; what was voided stands in `voids`.
CREATE TABLE evaluations (
  seq DOUBLE, fingerprint DOUBLE, agent_no INTEGER, evaluation_id VARCHAR, tool_no INTEGER,
  passed BOOLEAN, counts BOOLEAN, gates VARCHAR, total_latency_ms DOUBLE, latency_ms DOUBLE,
  source UTINYINT, known_as UTINYINT, direction UTINYINT, suite_no INTEGER, sample_rate DOUBLE,
  model_no INTEGER, version_no INTEGER, session_id VARCHAR, trace_id VARCHAR, tags VARCHAR,
  received_at DOUBLE, occurred_at DOUBLE
);

CREATE TABLE voids (seq DOUBLE, voided_at DOUBLE, reason VARCHAR);

-- The window of an agent in its compact form, as it stood after the evaluation `seq`. Not compressed: these rows are
-- replaced before that would pay.
CREATE TABLE windows (agent_no INTEGER, seq DOUBLE, bytes BLOB USING COMPRESSION uncompressed);

-- `identity_no` refers to `identity_names`, where an identity stands with its org.
CREATE TABLE identity_names (number INTEGER, name VARCHAR);

-- `seq` is the order of arrival; `first_seq` is that of the first revision of the same event to arrive.
CREATE TABLE reputation_events (
  seq DOUBLE, first_seq DOUBLE, fingerprint DOUBLE, identity_no INTEGER, event_id VARCHAR, timestamp DOUBLE,
  category UTINYINT, event_type_no INTEGER, score_delta DOUBLE, confidence DOUBLE, reference_type_no INTEGER,
  reference_id VARCHAR, attributes VARCHAR, revision DOUBLE
);

-- What a score needs of the events of one identity that arrived after `from_seq` and up to `to_seq`, as text. Derived.
-- Not compressed: unpacking the two thousand texts around each one that is wanted takes five times as long as all else.
CREATE TABLE identity_runs (
  identity_no INTEGER, from_seq DOUBLE, to_seq DOUBLE, first_at DOUBLE, last_at DOUBLE, revised BOOLEAN,
  events VARCHAR USING COMPRESSION uncompressed
);

CREATE TABLE audit (seq DOUBLE, org_id VARCHAR, audit_id VARCHAR, happened_at DOUBLE, actor VARCHAR, action VARCHAR, target VARCHAR, note VARCHAR);
