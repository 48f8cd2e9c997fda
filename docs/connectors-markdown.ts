// Generates docs/connectors.md from the connector definitions.

import { toJsonSchema } from '../src/api/openapi/json-schema.ts'
import type { Connector } from '../src/connectors/connector.ts'

type Json = Record<string, unknown>

export const connectorsMarkdown = (connectors: readonly Connector[]): string => `# Connectors

\`GET /manage/admin/connector/sources\` lists the connectors with their JSON Schemas. A connector with any other \`source\`
accepts pushed documents. Decision 0090 describes how runs are scheduled, resumed and pruned, decision 0152
the log of a run.

The page \`/admin/add-connector\` connects a source with a form, a test and a preview. The API does the same:

\`POST /manage/admin/connector\` creates a connector. It starts reading when a credential is associated with it; use
credential 0, the empty credential, if none is needed. \`refresh_freq\` and \`prune_freq\` are in seconds; without them
a source is read once and pruned only on request. \`POST /manage/admin/connector/test\` tells in advance whether
configuration and credential work, and \`POST /manage/admin/connector/preview\` shows the first 20 documents
in advance.

With the access type \`sync\`, the source determines who may read each document: e-mail addresses, groups named
\`<source>:<connector id>:<group of the source>\`, everyone, or nobody if the source states no access. The table below
tells which connectors also synchronize group members. For the others a group is empty until a key or person is added to
it by its full name.

## Supported sources

| source | synchronizes access | tested with |
|---|---|---|
${connectors.map((it) => `| \`${it.sources[0]}\` | ${followed(it)} | ${testedWith(it)} |`).join('\n')}

All connectors resume from a checkpoint after a crash, read changes incrementally and prune deleted documents:
\`npm run test:long\` kills each of them twenty times in one run and compares the result with an undisturbed run.

Text in scanned pages of PDFs is recognised in the background, and text in pictures where a picture is a document of its
source: see [text recognition](extraction.md#text-recognition). No connector reads content rendered by scripts.

Sources that are not in this table, such as \`slack\`, \`notion\` and \`google_drive\`, cannot be read. A connector with
such a source can still be created; it accepts pushed documents.

${connectors.map(section).join('\n')}`

/** How often access is synchronized: on its own schedule, or with each document. */
function followed({ hasAccess, access, groups }: Connector): string {
  if (!hasAccess) return 'no'
  if (access === undefined) return 'when a document is read'
  return `every half hour${groups === undefined ? '' : ', including group members'}`
}

const testedWith = ({ isTestedWithRealSource }: Connector): string =>
  isTestedWithRealSource === true ? 'the real source' : 'a server that imitates the documented API'

function section({ sources, label, description, ...it }: Connector): string {
  const [source, ...aliases] = sources
  const names = aliases.length === 0 ? '' : `, or ${aliases.map((alias) => `\`${alias}\``).join(', ')}`
  const credential =
    it.credential === null
      ? 'No credential required.'
      : `Credential${it.isCredentialOptional ? ' (optional)' : ''}:\n\n${fieldTable(toJsonSchema(it.credential, 'input'))}`
  const access = it.hasAccess ? 'Supports the access type `sync`.\n\n' : ''
  const remarks = it.remarks === undefined ? '' : `${it.remarks}\n\n`
  return `## ${label}

\`"source": "${source}"\`${names}. ${description}

${access}${remarks}\`connector_specific_config\`:

${fieldTable(toJsonSchema(it.config, 'input'))}

${credential}
`
}

function fieldTable(schema: Json): string {
  const required = (schema.required ?? []) as string[]
  const rows = Object.entries((schema.properties ?? {}) as Record<string, Json>).map(([name, it]) => {
    const text = String(it.description ?? '').replaceAll('|', '\\|')
    return `| \`${name}\`${required.includes(name) ? ' *' : ''} | ${typeOf(it)} | ${text} |`
  })
  return ['| key (* required) | value | |', '|---|---|---|', ...rows].join('\n')
}

function typeOf(schema: Json): string {
  const branches = (schema.anyOf ?? schema.oneOf) as Json[] | undefined
  if (branches !== undefined) {
    return branches
      .filter((it) => it.type !== 'null')
      .map(typeOf)
      .join(' or ')
  }
  if (Array.isArray(schema.enum)) return schema.enum.map((it) => `\`${it}\``).join(', ')
  if (schema.type !== 'array') return String(schema.type ?? 'anything')
  const item = (schema.items ?? {}) as Json
  const keys = Object.keys((item.properties ?? {}) as Json)
  return keys.length > 0 ? `list of {${keys.join(', ')}}` : `list of ${typeOf(item)}`
}
