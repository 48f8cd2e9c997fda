// The sources that are pulled as Markdown, from the definitions of their connectors.

import { jsonSchemaOf } from '../src/api/json-schema.ts'
import type { Connector } from '../src/connectors/connector.ts'

type Json = Record<string, unknown>

export const connectorsMarkdown = (connectors: readonly Connector[]): string => `# Connectors

\`GET /manage/admin/connector/sources\` lists them with JSON Schemas. A connector of any other \`source\` takes the documents
that are pushed to it. How runs are scheduled, resumed and pruned is in decision 0090.

A connector is made with \`POST /manage/admin/connector\` and begins to read when a credential is associated with it:
credential 0, the empty one, where none is needed. \`refresh_freq\` and \`prune_freq\` of the request are seconds; without
them a source is read once, and nothing is pruned unless somebody asks for it. \`POST /manage/admin/connector/preview\`
shows the first 20 documents beforehand.

With the access type \`sync\` each document is open to whom its source names: e-mail addresses, groups as
\`<source>:<connector id>:<group of the source>\`, everybody, or nobody where it says nothing. Who is in such a
group the connector says where the table below says so; where it does not, nobody is, until a key or a person is given the
group by its whole name.

## What there is, and what there is not

| source | follows who may read |
|---|---|
${connectors.map((it) => `| \`${it.sources[0]}\` | ${followed(it)} |`).join('\n')}

All of them read on from their checkpoint after a crash, take up what changed and prune what is gone: \`npm run test:long\`
kills each twenty times in one run, and it reads the same as undisturbed. \`file\` and \`web\` are tested with real files
and pages, \`git\`, \`imap\`, \`mediawiki\`, \`redmine\` and \`s3\` against the real servers, and \`confluence\`, \`github\`,
\`gitlab\` and \`ticket_tracker\` against servers that answer as their vendors document it: not against the vendors' own.

Not read by any of them: text in pictures (there is no OCR), what only a script of a page shows, attachments of issues in
\`ticket_tracker\`, wikis of \`github\` and \`gitlab\`, and drafts in \`confluence\`.

Not offered: \`slack\`, \`notion\`, \`google_drive\` and whatever else is not in this table. A connector of such a source is
accepted and takes documents that are pushed to it.

${connectors.map(section).join('\n')}`

/** Whether the source is asked for it by itself, or tells it with each document. */
function followed({ hasAccess, access, groups }: Connector): string {
  if (!hasAccess) return 'no'
  if (access === undefined) return 'when a document is read'
  return `every half hour${groups === undefined ? '' : ', with the members of groups'}`
}

function section({ sources, label, description, ...it }: Connector): string {
  const [source, ...aliases] = sources
  const names = aliases.length === 0 ? '' : `, or ${aliases.map((alias) => `\`${alias}\``).join(', ')}`
  const credential =
    it.credential === null
      ? 'No credential is needed.'
      : `Credential${it.isCredentialOptional ? ', which may be left out' : ''}:\n\n${fieldTable(jsonSchemaOf(it.credential, 'input'))}`
  const access = it.hasAccess ? 'It knows who may read what: the access type `sync` is supported.\n\n' : ''
  return `## ${label}

\`"source": "${source}"\`${names}. ${description}

${access}\`connector_specific_config\`:

${fieldTable(jsonSchemaOf(it.config, 'input'))}

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
