// The reference as one page: no script, no other origin.

export const STYLE_PATH = '/docs/style.css'

export const styleSheet = `
:root { color-scheme: light dark; --line: light-dark(#d8dee6, #3a4350); --soft: light-dark(#f4f6f9, #1b2129);
  --link: light-dark(#0b5cad, #7ab7ff); }
body { font: 16px/1.55 system-ui, sans-serif; margin: 0 auto; max-width: 62rem; padding: 2rem 1.25rem 6rem; }
a { color: var(--link); } h1 { margin-bottom: .25rem; } h2 { margin-top: 3rem; border-bottom: 1px solid var(--line); }
nav ul { columns: 20rem; padding: 0; list-style: none; } nav code { font-size: .85rem; }
article { border: 1px solid var(--line); border-radius: .5rem; margin: 1rem 0; padding: 0 1.1rem 1rem; }
h3 { font-size: 1rem; margin: 1rem 0 .4rem; overflow-wrap: anywhere; }
.method { border-radius: .3rem; background: var(--soft); padding: .1rem .45rem; margin-right: .4rem; }
table { border-collapse: collapse; width: 100%; font-size: .9rem; display: block; overflow-x: auto; }
th, td { text-align: left; vertical-align: top; padding: .3rem .8rem .3rem 0; border-top: 1px solid var(--line); }
code, pre { font-family: ui-monospace, monospace; font-size: .9em; }
pre { background: var(--soft); padding: .8rem; border-radius: .4rem; overflow-x: auto; }
`

type Json = Record<string, unknown>
interface Operation {
  tags: string[]
  summary: string
  description?: string
  operationId: string
  security?: unknown[]
  parameters: { name: string; in: string; required: boolean; schema: Json }[]
  requestBody?: { required: boolean; content: Record<string, { schema: Json }> }
  responses: Record<string, { description: string; content?: Record<string, { schema: Json }> }>
}

const ESCAPES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
const escapeHtml = (text: unknown) => String(text).replace(/[&<>"]/g, (it) => ESCAPES[it]!)
const prose = (text: string) => escapeHtml(text).replace(/`([^`]+)`/g, '<code>$1</code>')

export function referencePage(description: Json): string {
  const { paths, components, info } = description as {
    paths: Record<string, Record<string, Operation>>
    components: { schemas: Record<string, Json> }
    info: { title: string; description: string }
  }
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  )
  const byTag = Map.groupBy(operations, (it) => it.operation.tags[0]!)
  const links = operations.map(
    ({ path, method, operation }) =>
      `<li><a href="#${operation.operationId}">${escapeHtml(operation.summary)}</a> <code>${method} ${escapeHtml(path)}</code></li>`,
  )
  const sections = [...byTag].map(([tag, group]) => `<h2>${escapeHtml(tag)}</h2>${group.map(article).join('')}`)
  const schemas = Object.entries(components.schemas).map(
    ([name, schema]) => `<article id="schema-${name}"><h3>${name}</h3>${fields(schema)}</article>`,
  )
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${escapeHtml(info.title)} reference</title><link rel="stylesheet" href="${STYLE_PATH.slice(1)}"></head><body>
<h1>${escapeHtml(info.title)} reference</h1><p>${prose(info.description)} The same as <a href="openapi.json">openapi.json</a>.</p>
<nav aria-label="Operations"><ul>${links.join('')}</ul></nav>${sections.join('')}<h2>Schemas</h2>${schemas.join('')}</body></html>`
}

function article({ path, method, operation }: { path: string; method: string; operation: Operation }): string {
  const { parameters, requestBody, responses } = operation
  const rows = parameters.map((it) => row(it.name, it.schema, it.required, it.in))
  const body = Object.entries(requestBody?.content ?? {}).map(
    ([media, { schema }]) =>
      `<p>Body, <code>${escapeHtml(media)}</code>${requestBody?.required ? '' : ', optional'}: ${typeOf(schema)}</p>`,
  )
  const answers = Object.entries(responses).map(([status, { description, content }]) => {
    const [body] = Object.values(content ?? {})
    return `<tr><td>${status}</td><td>${escapeHtml(description)}</td><td>${body === undefined ? '' : typeOf(body.schema)}</td></tr>`
  })
  const key = operation.security?.length === 0 ? 'No key needed.' : ''
  return `<article id="${operation.operationId}"><h3><span class="method">${method}</span><code>${escapeHtml(path)}</code></h3>
<p>${escapeHtml(operation.summary)}. ${prose(operation.description ?? '')} ${key}</p>
${rows.length > 0 ? `<table><tbody>${rows.join('')}</tbody></table>` : ''}${body.join('')}
<table><tbody>${answers.join('')}</tbody></table></article>`
}

function fields(schema: Json): string {
  const properties = schema.properties as Record<string, Json> | undefined
  if (properties === undefined) return `<p>${typeOf(schema)}</p>`
  const required = (schema.required ?? []) as string[]
  const rows = Object.entries(properties).map(([name, it]) => row(name, it, required.includes(name), ''))
  return `<table><tbody>${rows.join('')}</tbody></table>`
}

const row = (name: string, schema: Json, isRequired: boolean, place: string) =>
  `<tr><td><code>${escapeHtml(name)}</code></td><td>${typeOf(schema)}</td><td>${isRequired ? 'required' : 'optional'}${place && `, ${place}`}</td><td>${prose(String(schema.description ?? ''))}</td></tr>`

function typeOf(schema: Json): string {
  if (typeof schema.$ref === 'string') {
    const name = escapeHtml(schema.$ref.split('/').at(-1))
    return `<a href="#schema-${name}">${name}</a>`
  }
  const branches = (schema.anyOf ?? schema.oneOf) as Json[] | undefined
  if (branches !== undefined && schema.type === undefined) return branches.map(typeOf).join(' or ')
  if (Array.isArray(schema.enum)) return schema.enum.map((it) => `<code>${escapeHtml(it)}</code>`).join(', ')
  if (schema.type === 'array') return `array of ${typeOf((schema.items ?? {}) as Json)}`
  const type = Array.isArray(schema.type) ? schema.type.join(' or ') : (schema.type ?? 'anything')
  return escapeHtml(schema.format === undefined ? type : `${type} (${String(schema.format)})`)
}
