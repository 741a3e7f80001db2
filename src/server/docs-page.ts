/** The reference as a page, rendered here from the OpenAPI document: no script, and nothing loaded from anywhere. */
import { escapeHtml, renderPage } from './page.ts';

interface Operation {
  summary: string;
  description?: string;
  tags: string[];
  security: object[];
  parameters: { name: string; in: string; required: boolean; description?: string; schema: object }[];
  requestBody?: { content: Record<string, { schema: object; example?: unknown }> };
  responses: Record<string, { description: string; content: Record<string, { schema?: object }> }>;
}

interface Document {
  info: { title: string; version: string; summary: string };
  tags: { name: string }[];
  paths: Record<string, Record<string, Operation>>;
}

export function renderDocs(document: object): string {
  const { info, tags, paths } = document as Document;
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );
  const sections = tags.map(({ name }) => {
    const own = operations.filter(({ operation }) => operation.tags.includes(name));
    return `<h2>${escapeHtml(name)}</h2>${own.map(renderOperation).join('')}`;
  });
  return renderPage(
    `${info.title} API`,
    `<h1>${escapeHtml(info.title)} ${escapeHtml(info.version)}</h1>
     <p>${escapeHtml(info.summary)} The document itself is <a href="openapi.json">openapi.json</a>.</p>
     ${sections.join('')}`,
  );
}

function renderOperation({
  path,
  method,
  operation,
}: {
  path: string;
  method: string;
  operation: Operation;
}) {
  const { summary, description = '', security, parameters, requestBody, responses } = operation;
  const key =
    security.length === 0 ? 'no key' : 'secretKey' in (security[0] ?? {}) ? 'sk key' : 'pk or sk key';
  const body = requestBody?.content['application/json'];
  return `<details><summary><code class="${method}">${method.toUpperCase()}</code> <code>${escapeHtml(path)}</code>
    <span>${escapeHtml(summary)}</span> <small>${key}</small></summary>
    <p>${escapeHtml(description)}</p>
    ${parameters.length > 0 ? `<table>${parameters.map(renderParameter).join('')}</table>` : ''}
    ${body ? `<h3>Request</h3>${code(body.example ?? {})}${code(body.schema)}` : ''}
    ${Object.entries(responses)
      .map(
        ([status, { description: says, content }]) =>
          `<h3>${escapeHtml(status)}: ${escapeHtml(says)}</h3>${Object.values(content)
            .map(({ schema }) => code(schema ?? {}))
            .join('')}`,
      )
      .join('')}
  </details>`;
}

function renderParameter({ name, in: place, required, description = '' }: Operation['parameters'][number]) {
  return `<tr><td><code>${escapeHtml(name)}</code></td><td>${place}${required ? ', required' : ''}</td>
    <td>${escapeHtml(description)}</td></tr>`;
}

function code(value: unknown): string {
  return `<pre>${escapeHtml(JSON.stringify(value, null, 2))}</pre>`;
}
