// @ts-nocheck: it runs in a folder of its own, beside a package that this project does not have.

// A small HTTP front for the ClickHouse engine in a process (chdb), so that @clickhouse/client talks to it over the wire as
// it would to a server. It passes SQL on untouched and has no canned answers.
//
// Understood: the query in the URL, the body or a form, `param_*` (bound as session settings), `database`, settings (for one
// request, as over HTTP), INSERT bodies, `default_format`, gzip of request bodies, /ping. Ignored, because one engine in one process has no use for it: user,
// password, session_id, query_id, role, compression of answers, HTTP keep-alive hints, `wait_end_of_query`,
// `send_progress_in_http_headers`, `cancel_http_readonly_queries_on_client_close`.
const { createServer } = require('node:http');
const { gunzipSync } = require('node:zlib');
const { Session } = require('chdb');

const [folder, port] = process.argv.slice(2);
const session = new Session(folder);
// The tables of tests are small: a query in several threads takes longer, and under emulation several times as long.
session.query('SET max_threads = 1');

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
  request.on('end', async () => {
    const url = new URL(request.url, 'http://front');
    if (url.pathname === '/ping') return response.end('Ok.\n');
    try {
      let body = Buffer.concat(chunks);
      if (request.headers['content-encoding'] === 'gzip') body = gunzipSync(body);
      const parameters = url.searchParams;
      const type = request.headers['content-type'] ?? '';
      if (type.startsWith('multipart/form-data')) {
        const form = await new Response(body, { headers: { 'content-type': type } }).formData();
        for (const [name, value] of form) parameters.set(name, String(value));
        body = Buffer.alloc(0);
      }
      response.end(answer(parameters, body.toString()));
    } catch (error) {
      const message = String(error.message ?? error);
      response.statusCode = 500;
      response.setHeader('X-ClickHouse-Exception-Code', /Code: (\d+)/.exec(message)?.[1] ?? '0');
      response.end(message);
    }
  });
});

/** What the session would keep of the last request. */
let last = { settings: [], database: null };

/**
 * Everything goes to the engine as one script of few statements, because each of them is dear under emulation.
 * @param {URLSearchParams} parameters @param {string} body
 */
function answer(parameters, body) {
  const given = [...parameters].filter(([name]) => !IGNORED.has(name));
  const settings = given.map(([name]) => name).filter((name) => !name.startsWith('param_'));
  const assignments = [
    ...last.settings.filter((name) => !settings.includes(name)).map((name) => `${name} = DEFAULT`),
    ...given.map(([name, value]) => `${name} = '${value.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`),
  ];
  const database = parameters.get('database') ?? last.database;
  const script = [
    ...(database === last.database ? [] : [`USE \`${database.replaceAll('`', '``')}\``]),
    ...(assignments.length > 0 ? [`SET ${assignments.join(', ')}`] : []),
    [parameters.get('query'), body].filter(Boolean).join('\n'),
  ];
  // Should the script fail, it is not known how far it came.
  last = { settings: [...last.settings, ...settings], database: null };
  const answered = session.query(script.join(';\n'), parameters.get('default_format') ?? 'TabSeparated');
  last = { settings, database };
  return answered;
}

// A socket that waits while the engine is at work is not to be closed for it.
server.keepAliveTimeout = 0;
server.listen(Number(port), '127.0.0.1', () => process.stdout.write('listening\n'));
