-- What telemetry told of sessions, and how they were judged.
-- `mark` is a fingerprint of org, session and masque, `session_mark` one of org and session; `report` is one of all that a
-- report says, so that a repeated one is noticed. `org_no`, `masque_no`, `dialects_no`, `entrypoint_no` and `name_no` refer
-- to `names`. Numbers that were not told are NaN, which goes in faster than NULL.

-- One for each session in each delivery; reads join them, and pruning joins them for good.
CREATE TABLE session_heads (
  mark DOUBLE, session_mark DOUBLE, org_no INTEGER, session_id VARCHAR, masque_no INTEGER, agent_no INTEGER,
  agent_rank INTEGER, dialects_no INTEGER, entrypoint_no INTEGER, first_at DOUBLE, last_at DOUBLE, ended BOOLEAN,
  detailed BOOLEAN, received_at DOUBLE
);

CREATE TABLE session_events (
  mark DOUBLE, report DOUBLE, fingerprint DOUBLE, kind UTINYINT, outcome UTINYINT, source UTINYINT, name_no INTEGER,
  happened_at DOUBLE, amount DOUBLE, cost DOUBLE, input_tokens DOUBLE, output_tokens DOUBLE, cache_read_tokens DOUBLE,
  cache_write_tokens DOUBLE
);

CREATE TABLE session_verdicts (
  session_mark DOUBLE, org_no INTEGER, session_id VARCHAR, masque VARCHAR, agent_no INTEGER, entrypoint VARCHAR,
  kind_of_work VARCHAR, started_at DOUBLE, ended_at DOUBLE, tools DOUBLE, composite DOUBLE, recommendation VARCHAR,
  revision INTEGER, received_at DOUBLE, judged_at DOUBLE, details VARCHAR
);
