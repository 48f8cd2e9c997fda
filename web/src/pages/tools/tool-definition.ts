// An OpenAPI definition as text and as an object.
import type { ToolDefinition } from '../../../../src/client/schemas.ts'

const isObject = (it: unknown): it is Record<string, unknown> =>
  typeof it === 'object' && it !== null && !Array.isArray(it)

/** The address of the only server of a definition. */
export function serverOf(definition: Record<string, unknown> | null): string | undefined {
  const servers: unknown[] = Array.isArray(definition?.servers) ? definition.servers : []
  const [server] = servers
  return isObject(server) && typeof server.url === 'string' ? server.url : undefined
}

export const textOfDefinition = (definition: Record<string, unknown> | null): string =>
  definition === null ? '' : JSON.stringify(definition, null, 2)

/** Null if the text is no JSON object. */
export function parseDefinition(text: string): ToolDefinition | null {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : null
  } catch {
    return null
  }
}

/** The names of the operations, in order. */
export function operationsOf(definition: Record<string, unknown> | null): string[] {
  const paths = isObject(definition?.paths) ? Object.values(definition.paths) : []
  const operations = paths.flatMap((it) => (isObject(it) ? Object.values(it) : []))
  return operations.flatMap((it) => (isObject(it) && typeof it.operationId === 'string' ? [it.operationId] : []))
}

/** The title and the description that a definition gives itself. */
export function infoOf(definition: ToolDefinition): { title: string; description: string } {
  const info = isObject(definition.info) ? definition.info : {}
  const text = (it: unknown) => (typeof it === 'string' ? it : '')
  return { title: text(info.title), description: text(info.description) }
}
