// Renders the API reference as one HTML page, which loads only its own style sheet and script.
import { readFileSync } from 'node:fs'
import type { JsonSchemaObject } from './json-schema.ts'
import type { OpenApiDocument, OperationObject } from './openapi.ts'
import { exampleFor } from './reference-example.ts'

export const STYLE_PATH = '/docs/style.css'
export const SCRIPT_PATH = '/docs/script.js'
const readAsset = (name: string) => readFileSync(new URL(name, import.meta.url), 'utf8')
export const referenceStyleSheet = readAsset('./reference.css')
export const referenceScript = readAsset('./reference.js')

interface ReferenceEntry {
  path: string
  method: string
  operation: OperationObject
}
type SchemaMap = Record<string, JsonSchemaObject>

const ESCAPES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
const escapeHtml = (text: unknown) => String(text).replace(/[&<>"]/g, (it) => ESCAPES[it] ?? it)
const renderProse = (text: string) => escapeHtml(text).replace(/`([^`]+)`/g, '<code>$1</code>')
const sectionId = (tag: string) => `tag-${tag.toLowerCase().replaceAll(' ', '-')}`

export function referencePage({ paths, components, info }: OpenApiDocument): string {
  const entries = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  )
  const byTag = [...Map.groupBy(entries, (it) => it.operation.tags[0])].sort(([a], [b]) => (a < b ? -1 : 1))
  const title = `${escapeHtml(info.title)} reference`
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${title}</title><link rel="stylesheet" href="${STYLE_PATH.slice(1)}"><script src="${SCRIPT_PATH.slice(1)}" defer></script></head><body>
<aside><a class="home" href="./">← Pharos</a>
<input id="search" type="search" placeholder="Find an operation" aria-label="Find an operation" hidden>
<p id="found" class="dimmed" role="status"></p>
<nav aria-label="Operations">${byTag.map(([tag, group]) => renderNavGroup(tag, group)).join('')}<a href="#schemas">Schemas</a></nav></aside>
<main><h1>${title}</h1><p>${renderProse(info.description)} The same as <a href="openapi.json">openapi.json</a>.</p>
<p>Not repeated below: operations with a key also answer 401 (UNAUTHENTICATED) and 429 (RATE_LIMITED), and those with input 422 (Validation Error).</p>
${byTag.map(([tag, group]) => renderSection(tag, group, components.schemas)).join('')}
<section><h2 id="schemas">Schemas</h2>${Object.entries(components.schemas).map(renderSchema).join('')}</section></main></body></html>`
}

const renderNavGroup = (tag: string, group: readonly ReferenceEntry[]) =>
  `<details data-section="${sectionId(tag)}"><summary>${escapeHtml(tag)}</summary>${group.map(renderNavLink).join('')}</details>`

const renderNavLink = ({ operation: { operationId, summary } }: ReferenceEntry) =>
  `<a href="#${operationId}">${escapeHtml(summary)}</a>`

const renderSection = (tag: string, group: readonly ReferenceEntry[], schemas: SchemaMap) =>
  `<section id="${sectionId(tag)}"><h2>${escapeHtml(tag)}</h2>${group.map((it) => renderOperation(it, schemas)).join('')}</section>`

/** Nearly every operation has them, so the page names them once. */
const SHARED_ANSWERS: ReadonlySet<string> = new Set(['UNAUTHENTICATED', 'RATE_LIMITED', 'Validation Error'])

function renderOperation({ path, method, operation }: ReferenceEntry, schemas: SchemaMap): string {
  const { parameters, requestBody, responses } = operation
  const rows = parameters.map((it) => renderRow(it.name, it.schema, it.required, it.in))
  const body = Object.entries(requestBody?.content ?? {}).map(
    ([media, { schema }]) =>
      `<h4>Body</h4><p><code>${escapeHtml(media)}</code>${requestBody?.required ? '' : ', optional'}: ${renderType(schema)}</p>`,
  )
  const own = Object.entries(responses).filter(([, { description }]) => !SHARED_ANSWERS.has(description))
  const answers = own.map(([status, { description, content }]) => {
    const [answer] = Object.values(content ?? {})
    return renderCells([status, escapeHtml(description), answer === undefined ? '' : renderType(answer.schema)])
  })
  const key = operation.security?.length === 0 ? 'No key needed.' : ''
  return `<details class="operation" id="${operation.operationId}"><summary><h3>${escapeHtml(operation.summary)}</h3> <code class="path dimmed">${method} ${escapeHtml(path)}</code></summary><div>
<p>${renderProse(operation.description ?? '')} ${key}</p>${renderSample({ path, method, operation }, schemas)}
${rows.length > 0 ? `<h4>Parameters</h4><table><tbody>${rows.join('')}</tbody></table>` : ''}${body.join('')}
<h4>Responses</h4><table><tbody>${answers.join('')}</tbody></table></div></details>`
}

/** A short request; the script replaces it by samples in three languages. */
function renderSample({ path, method, operation }: ReferenceEntry, schemas: SchemaMap): string {
  const required = operation.parameters.filter((it) => it.in === 'query' && it.required)
  const query = required.map((it) => `${it.name}=${String(exampleFor(it.schema, schemas))}`).join('&')
  const url = escapeHtml(query === '' ? path : `${path}?${query}`)
  const schema = operation.requestBody?.content['application/json']?.schema
  const body = schema && escapeHtml(JSON.stringify(exampleFor(schema, schemas), null, 2))
  const data = body === undefined ? '' : ` data-body="${body}"`
  return `<div class="sample" data-method="${method}" data-path="${url}"${data}><pre tabindex="0">${method} ${url}</pre></div>`
}

const renderSchema = ([name, schema]: [string, JsonSchemaObject]) =>
  `<details class="schema" id="schema-${name}"><summary><h3>${name}</h3></summary><div>${renderFields(schema)}</div></details>`

function renderFields(schema: JsonSchemaObject): string {
  const properties = schema.properties
  if (properties === undefined) return `<p>${renderType(schema)}</p>`
  const required = schema.required ?? []
  const rows = Object.entries(properties).map(([name, it]) => renderRow(name, it, required.includes(name), ''))
  return `<table><tbody>${rows.join('')}</tbody></table>`
}

const renderRow = (name: string, schema: JsonSchemaObject, isRequired: boolean, location: string) =>
  renderCells([
    `<code>${escapeHtml(name)}</code>`,
    renderType(schema),
    `${isRequired ? 'required' : 'optional'}${location && `, ${location}`}`,
    renderProse(String(schema.description ?? '')),
  ])

/** HTML needs no end tags of cells and rows; they would be a tenth of the page. */
const renderCells = (cells: readonly string[]) => `<tr><td>${cells.join('<td>')}`

/** No schema allows anything. */
function renderType(schema: JsonSchemaObject = {}): string {
  if (typeof schema.$ref === 'string') {
    const name = escapeHtml(schema.$ref.split('/').at(-1))
    return `<a href="#schema-${name}">${name}</a>`
  }
  const branches = schema.anyOf ?? schema.oneOf
  if (branches !== undefined && schema.type === undefined) return branches.map(renderType).join(' or ')
  if (Array.isArray(schema.enum)) return schema.enum.map((it) => `<code>${escapeHtml(it)}</code>`).join(', ')
  if (schema.type === 'array') return `array of ${renderType(schema.items ?? {})}`
  const type = Array.isArray(schema.type) ? schema.type.join(' or ') : (schema.type ?? 'anything')
  return escapeHtml(schema.format === undefined ? type : `${type} (${String(schema.format)})`)
}
