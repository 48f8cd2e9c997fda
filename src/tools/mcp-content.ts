// What a remote tool answers, as text for a model; what is no text is named, not shown.
import type { CallToolResult } from '@modelcontextprotocol/client'

export interface RemoteContent {
  text: string
  /** Where the server gives data beside the text. */
  json: unknown
}

type Block = CallToolResult['content'][number]

export function readContent({ content, structuredContent }: CallToolResult): RemoteContent {
  const texts = content.map(textOf).filter((it) => it !== '')
  const text = texts.length > 0 ? texts.join('\n\n') : JSON.stringify(structuredContent ?? null)
  return { text: text === 'null' ? 'The tool answers nothing.' : text.toWellFormed(), json: structuredContent }
}

function textOf(block: Block): string {
  if (block.type === 'text') return block.text
  if (block.type === 'resource_link') return `${block.title ?? block.name}: ${block.uri}`
  if (block.type !== 'resource') return unread(block.type, block.mimeType, block.data)
  const { resource } = block
  return 'text' in resource
    ? `${resource.uri}\n${resource.text}`
    : unread(resource.uri, resource.mimeType, resource.blob)
}

const unread = (what: string, type: string | undefined, base64: string) =>
  `[${what}${type === undefined ? '' : ` of type ${type}`}, ${Math.floor((base64.length * 3) / 4)} bytes, not read]`
