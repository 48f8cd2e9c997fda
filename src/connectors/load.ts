// The connectors there are: every file of this folder that exports one, and nothing else lists them.
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Connector } from './connector.ts'

const NOT_ONE = ['connector.ts', 'load.ts']

const files = readdirSync(import.meta.dirname, { withFileTypes: true })
  .filter((it) => it.isFile() && it.name.endsWith('.ts') && !it.name.endsWith('.test.ts') && !NOT_ONE.includes(it.name))
  .map((it) => it.name)
  .sort()

const modules = await Promise.all(
  files.map((it) => import(pathToFileURL(join(import.meta.dirname, it)).href) as Promise<{ default?: Connector }>),
)

/** In the order of their names. A file without one serves the others. */
export const connectors: readonly Connector[] = modules.flatMap((it) => it.default ?? [])

const bySource = new Map(connectors.flatMap((it) => it.sources.map((source) => [source, it])))

/** Undefined: nothing here pulls from that source, its documents are pushed. */
export const connectorOf = (source: string): Connector | undefined => bySource.get(source)
