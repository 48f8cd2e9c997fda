// The reference as Markdown, from the same description as the page at /docs.

type Json = Record<string, unknown>
interface Operation {
  tags: string[]
  summary: string
  description?: string
  parameters: { name: string; in: string; required: boolean; schema: Json }[]
  requestBody?: { required: boolean; content: Record<string, { schema: Json }> }
  responses: Record<string, { description: string; content?: Record<string, { schema: Json }> }>
}

export function apiMarkdown(description: Json): string {
  const paths = description.paths as Record<string, Record<string, Operation>>
  const components = (description.components as { schemas: Record<string, Json> }).schemas
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, it]) => ({ title: `${method.toUpperCase()} ${path}`, it })),
  )
  const byTag = Map.groupBy(operations, ({ it }) => it.tags[0]!)
  const sections = [...byTag].map(([tag, group]) => `## ${tag}\n\n${group.map(paragraph).join('\n')}`)
  const schemas = Object.entries(components).map(([name, schema]) => `### ${name}\n\n${fields(schema)}`)
  const intro = (description.info as { description: string }).description
  return `# API\n\n${intro}\n\n${sections.join('\n')}\n## Schemas\n\n${schemas.join('\n\n')}\n`
}

function paragraph({ title, it }: { title: string; it: Operation }): string {
  const parameters = it.parameters.map(
    ({ name, in: place, required, schema }) =>
      `- \`${name}\` (${place}${required ? ', required' : ''}): ${typeOf(schema)}`,
  )
  const body = Object.entries(it.requestBody?.content ?? {}).map(
    ([media, { schema }]) => `- body (\`${media}\`${it.requestBody?.required ? ', required' : ''}): ${typeOf(schema)}`,
  )
  const answers = Object.entries(it.responses).map(([status, { description, content }]) => {
    const [answer] = Object.values(content ?? {})
    return `- ${status} ${description}${answer === undefined ? '' : `: ${typeOf(answer.schema)}`}`
  })
  const text = [it.summary, it.description].filter(Boolean).join('. ')
  return `### ${title}\n\n${text}\n\n${[...parameters, ...body, ...answers].join('\n')}\n`
}

function fields(schema: Json): string {
  const properties = schema.properties as Record<string, Json> | undefined
  if (properties === undefined) return typeOf(schema)
  const required = (schema.required ?? []) as string[]
  const rows = Object.entries(properties).map(([name, it]) => {
    const text = it.description === undefined ? '' : ` – ${String(it.description)}`
    return `- \`${name}\`${required.includes(name) ? ' (required)' : ''}: ${typeOf(it)}${text}`
  })
  return rows.join('\n')
}

function typeOf(schema: Json): string {
  if (typeof schema.$ref === 'string') {
    const name = schema.$ref.split('/').at(-1)!
    return `[${name}](#${name.toLowerCase()})`
  }
  const branches = (schema.anyOf ?? schema.oneOf) as Json[] | undefined
  if (branches !== undefined && schema.type === undefined) return branches.map(typeOf).join(' or ')
  if (Array.isArray(schema.enum)) return schema.enum.map((it) => `\`${it}\``).join(', ')
  if (schema.type === 'array') return `array of ${typeOf((schema.items ?? {}) as Json)}`
  const type = Array.isArray(schema.type) ? schema.type.join(' or ') : String(schema.type ?? 'anything')
  return schema.format === undefined ? type : `${type} (${String(schema.format)})`
}
