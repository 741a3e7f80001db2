// @ts-nocheck: it runs in a folder of its own, beside a package that this project does not have.

// A small HTTP front for the ClickHouse engine in a process (chdb), so that @clickhouse/client talks to it over the wire as
// it would to a server. It passes SQL on untouched and has no canned answers.
//
// Understood: the query in the URL or the body, `param_*` (bound as session settings), `database`, settings, INSERT bodies,
// `default_format`, gzip of request bodies, /ping. Ignored, because one engine in one process has no use for it: user,
// password, session_id, query_id, role, compression of answers, HTTP keep-alive hints, `wait_end_of_query`,
// `send_progress_in_http_headers`, `cancel_http_readonly_queries_on_client_close`.
const { createServer } = require('node:http');
const { gunzipSync } = require('node:zlib');
const { Session } = require('chdb');

const [folder, port] = process.argv.slice(2);
const session = new Session(folder);

const IGNORED = new Set([
  'query',
  'database',
  'default_format',
  'user',
  'password',
  'session_id',
  'session_timeout',
  'session_check',
  'query_id',
  'role',
  'compress',
  'decompress',
  'enable_http_compression',
  'wait_end_of_query',
  'send_progress_in_http_headers',
  'http_headers_progress_interval_ms',
  'cancel_http_readonly_queries_on_client_close',
]);

const server = createServer((request, response) => {
  const chunks = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', () => {
    const url = new URL(request.url, 'http://front');
    if (url.pathname === '/ping') return response.end('Ok.\n');
    try {
      let body = Buffer.concat(chunks);
      if (request.headers['content-encoding'] === 'gzip') body = gunzipSync(body);
      response.end(answer(url.searchParams, body.toString()));
    } catch (error) {
      const message = String(error.message ?? error);
      response.statusCode = 500;
      response.setHeader('X-ClickHouse-Exception-Code', /Code: (\d+)/.exec(message)?.[1] ?? '0');
      response.end(message);
    }
  });
});

/** @param {URLSearchParams} parameters @param {string} body */
function answer(parameters, body) {
  const database = parameters.get('database');
  if (database) session.query(`USE \`${database.replaceAll('`', '``')}\``, 'TabSeparated');
  for (const [name, value] of parameters) {
    if (IGNORED.has(name)) continue;
    session.query(`SET ${name} = '${value.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`, 'TabSeparated');
  }
  const inUrl = parameters.get('query');
  const sql = inUrl ? `${inUrl}\n${body}` : body;
  return session.query(sql, parameters.get('default_format') ?? 'TabSeparated');
}

server.listen(Number(port), '127.0.0.1', () => process.stdout.write('listening\n'));
