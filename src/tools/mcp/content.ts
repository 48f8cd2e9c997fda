// Turns the result of a remote tool into text for a model. Content that is not text is named.
import type { CallToolResult } from '@modelcontextprotocol/client'

export interface ToolContent {
  text: string
  /** The structured content of the result, if there is any. */
  json: unknown
}

type ContentBlock = CallToolResult['content'][number]

export function readToolContent({ content, structuredContent }: CallToolResult): ToolContent {
  const texts = content.map(blockText).filter((it) => it !== '')
  const text = texts.length > 0 ? texts.join('\n\n') : JSON.stringify(structuredContent ?? null)
  return { text: text === 'null' ? 'The result of the tool is empty.' : text.toWellFormed(), json: structuredContent }
}

function blockText(block: ContentBlock): string {
  if (block.type === 'text') return block.text
  if (block.type === 'resource_link') return `${block.title ?? block.name}: ${block.uri}`
  if (block.type !== 'resource') return describeUnread(block.type, block.mimeType, block.data)
  const { resource } = block
  return 'text' in resource
    ? `${resource.uri}\n${resource.text}`
    : describeUnread(resource.uri, resource.mimeType, resource.blob)
}

const describeUnread = (what: string, type: string | undefined, base64: string) =>
  `[${what}${type === undefined ? '' : ` of type ${type}`}, ${Math.floor((base64.length * 3) / 4)} bytes, not read]`
