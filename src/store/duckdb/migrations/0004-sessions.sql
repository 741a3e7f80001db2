-- Sessions: what was reported of their traces, and how they were scored.
-- `mark` is a fingerprint of org and session, so that one session is found without comparing texts; `fingerprint` is one
-- of the whole report, so that a repeated one is noticed. Tags stand between line breaks, which no tag holds.
-- `org_no`, `source_no` and `run_no` refer to `names`.

CREATE TABLE signal_reports (
  seq DOUBLE, fingerprint DOUBLE, mark DOUBLE, org_no INTEGER, agent_no INTEGER, session_id VARCHAR, trace_id VARCHAR,
  confidence DOUBLE, loop_detection DOUBLE, tool_correctness DOUBLE, coherence DOUBLE,
  started_at DOUBLE, tags VARCHAR, source_no INTEGER, received_at DOUBLE
);

-- `metric` and `evidence` are positions in the lists of src/store/duckdb/session-scores.ts; `details` is JSON.
CREATE TABLE session_scores (
  seq DOUBLE, mark DOUBLE, org_no INTEGER, agent_no INTEGER, run_no INTEGER, session_id VARCHAR, metric UTINYINT,
  score DOUBLE, threshold DOUBLE, passed BOOLEAN, evidence UTINYINT, total_traces INTEGER, traces_evaluated INTEGER,
  flagged_traces INTEGER, revision DOUBLE, session_at DOUBLE, computed_at DOUBLE, tags VARCHAR, details VARCHAR
);
