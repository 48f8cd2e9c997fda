// Loads every connector: each folder here with an `index.ts` that exports one by default. Nothing else lists them.
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Connector } from './connector.ts'

const indexFiles = readdirSync(import.meta.dirname, { withFileTypes: true })
  .filter((it) => it.isDirectory())
  .map((it) => join(import.meta.dirname, it.name, 'index.ts'))
  .filter((it) => existsSync(it))
  .sort()

const loadConnector = async (path: string): Promise<Connector> => (await import(pathToFileURL(path).href)).default

/** Sorted by folder name. */
export const connectors: readonly Connector[] = await Promise.all(indexFiles.map(loadConnector))

const bySource = new Map(connectors.flatMap((it) => it.sources.map((source) => [source, it])))

/** Undefined when no connector reads that source: its documents are pushed. */
export const connectorOf = (source: string): Connector | undefined => bySource.get(source)
