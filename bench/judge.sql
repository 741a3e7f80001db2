-- The same scoring as DuckDB's own JSON reader would do it, with declared columns: what `renown judge --all` is measured
-- against. It knows Claude Code alone, and counts a replayed record twice.
WITH lines AS (
  SELECT unnest(resourceLogs) AS resource
  FROM read_json($file, format = 'newline_delimited', maximum_object_size = 67108864, columns = {
    resourceLogs: 'STRUCT(scopeLogs STRUCT(logRecords STRUCT(timeUnixNano VARCHAR, body STRUCT(stringValue VARCHAR), attributes STRUCT("key" VARCHAR, "value" STRUCT(stringValue VARCHAR, intValue VARCHAR))[])[])[])[]'
  })
), scopes AS (
  SELECT unnest(resource.scopeLogs) AS scope FROM lines
), records AS (
  SELECT unnest(scope.logRecords) AS record FROM scopes
), events AS (
  SELECT
    record.timeUnixNano::BIGINT / 1e6 AS happened,
    record.body.stringValue AS name,
    map_from_entries(list_transform(record.attributes, lambda a: (a."key", coalesce(a."value".stringValue, a."value".intValue)))) AS a
  FROM records
), counters AS (
  SELECT
    a['session.id'] AS session_id,
    count(*) FILTER (name = 'claude_code.tool_result') AS tools,
    count(*) FILTER (name = 'claude_code.tool_result' AND a['success'] = 'true') AS tools_ok,
    count(*) FILTER (name = 'claude_code.user_prompt') AS prompts,
    (max(happened) - min(happened)) / 60000 AS duration_min,
    coalesce(sum(a['cost_usd']::DOUBLE) FILTER (name = 'claude_code.api_request'), 0) AS cost,
    coalesce(sum(a['cache_read_tokens']::DOUBLE) FILTER (name = 'claude_code.api_request'), 0) AS cache_tokens,
    coalesce(sum(a['input_tokens']::DOUBLE + a['output_tokens']::DOUBLE + a['cache_read_tokens']::DOUBLE + a['cache_creation_tokens']::DOUBLE) FILTER (name = 'claude_code.api_request'), 0) AS total_tokens
  FROM events
  GROUP BY 1
), dimensions AS (
  SELECT
    session_id,
    floor((least(10, tools_ok / greatest(1, tools) * 10) + 1e-9) * 10 + 0.5) AS q,
    floor((least(10, tools / greatest(1, prompts) * 2) + 1e-9) * 10 + 0.5) AS au,
    floor((least(10, tools_ok / greatest(1, duration_min) * 10) + 1e-9) * 10 + 0.5) AS p,
    floor((least(10, cache_tokens / greatest(1, total_tokens) * 10) + 1e-9) * 10 + 0.5) AS t,
    floor((least(10, greatest(0, 10 - cost / greatest(1, tools_ok) * 100)) + 1e-9) * 10 + 0.5) AS c
  FROM counters
)
SELECT session_id, floor((30 * q + 25 * au + 20 * p + 15 * t + 10 * c + 50) / 100) / 10 AS composite FROM dimensions;
