// Writes the documents that follow from the code; CI fails when one of them is not what this writes.
import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openApi } from '../src/api/openapi/openapi.ts'
import { routes } from '../src/api/routes.ts'
import { connectors } from '../src/connectors/load.ts'
import { pushedSources } from '../src/connectors/pushed-sources.ts'
import { errorTable } from '../src/domain/errors.ts'
import { SETTINGS } from '../src/setting-definitions.ts'
import { BUILT_IN_TOOLS } from '../src/tools/built-in-tools.ts'
import { apiMarkdown } from './api-markdown.ts'
import { clientSource } from './client-source.ts'
import { connectorsMarkdown } from './connectors-markdown.ts'
import { migrationHashes, migrationsPath } from './generate-migrations.ts'
import { buildWasm, wasmPath } from './generate-wasm.ts'
import { licencesMarkdown, licencesSource, productionPackages } from './licences.ts'
import { sourceLabels } from './source-labels.ts'

const description = openApi(routes)

const errors = `# Errors

Every error answers \`{"error_code": "…", "detail": "…"}\`; a request that does not fit answers 422 with
\`{"detail": [{"loc": […], "msg": "…", "type": "…"}], "message": "…"}\`. Answers with 503 carry \`Retry-After\` in seconds.

| code | status | sentence |
|---|---|---|
${Object.entries(errorTable)
  .map(([code, [status, message]]) => `| ${code} | ${status} | ${message} |`)
  .join('\n')}
`

const toolTable = [
  '| tool | purpose |',
  '|---|---|',
  ...BUILT_IN_TOOLS.map(({ row }) => `| \`${row.name}\` | ${row.description} |`),
].join('\n')

const settingTable = [
  '| setting | default | |',
  '|---|---|---|',
  ...SETTINGS.map(({ name, fallback, computedFallback = '', help, details }) => {
    const text = details === undefined ? help : `${help}. ${details}`
    return `| \`${name}\` | ${fallback || computedFallback} | ${text} |`
  }),
].join('\n')

const packages = productionPackages(readFileSync(join(import.meta.dirname, '../package-lock.json'), 'utf8'))
const files = {
  'openapi.json': `${JSON.stringify(description, null, 2)}\n`,
  'api.md': apiMarkdown(description),
  'errors.md': errors,
  'connectors.md': connectorsMarkdown(connectors),
  'settings.md': withTable('settings.md', settingTable),
  'tools.md': withTable('tools.md', toolTable),
  'licences.md': licencesMarkdown(packages),
}
for (const [name, text] of Object.entries(files)) writeFileSync(join(import.meta.dirname, name), text)
writeFileSync(migrationsPath, `${JSON.stringify(migrationHashes(), null, 2)}\n`)
writeFileSync(wasmPath, await buildWasm())

const client = join(import.meta.dirname, '../src/client')
const clientFiles = {
  ...clientSource(description),
  'source-labels.ts': sourceLabels(connectors, pushedSources),
  'packages.ts': licencesSource(packages),
}
for (const [name, text] of Object.entries(clientFiles)) {
  writeFileSync(join(client, name), formatted(text, name))
}

/** A page that is written by hand, with the table between its two marks replaced. */
function withTable(name: string, table: string): string {
  const page = readFileSync(join(import.meta.dirname, name), 'utf8')
  const [head, before, rest] = page.split(/(<!-- generated table -->\n)/)
  const [, end, after] = rest?.split(/(<!-- end of the table -->)/) ?? []
  if (after === undefined) throw new Error(`docs/${name} has no place for its table.`)
  return `${head}${before}${table}\n${end}${after}`
}

function formatted(text: string, name: string): string {
  const biome = join(import.meta.dirname, '../node_modules/@biomejs/biome/bin/biome')
  const words = [biome, 'check', '--write', '--colors=off', `--stdin-file-path=src/client/${name}`]
  const { status, stdout, stderr } = spawnSync(process.execPath, words, { input: text, encoding: 'utf8' })
  if (status !== 0) throw new Error(`src/client/${name} cannot be formatted:\n${stderr}`)
  return stdout
}
