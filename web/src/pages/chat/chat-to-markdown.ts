import { sourceLabel } from '../../parts/text.tsx'
import { textsOf } from '../../text/texts.ts'
import { plainText } from './answer.ts'
import { type Conversation, type Message, shownBranch, titleOf } from './conversation.ts'

/** The shown branch: a heading for each message, and the sources below each answer. */
export function chatToMarkdown(conversation: Conversation): string {
  const title = titleOf(conversation).replaceAll('\n', ' ')
  return `${[`# ${title}`, ...shownBranch(conversation).map(messageToMarkdown)].join('\n\n')}\n`
}

function messageToMarkdown(message: Message): string {
  const t = textsOf('chat.export')
  if (message.type === 'assistant') return `## ${t('answer')}\n\n${plainText(message.answer)}`
  const files = message.files.map((it) => `- ${it.name ?? it.id}`)
  const only = textsOf('chat.composer')
  const sources = message.sources.map((it) => `- ${only('only_source', { source: sourceLabel(it) })}`)
  const list = [...files, ...sources].join('\n')
  return [`## ${t('question')}`, message.text, ...(list === '' ? [] : [list])].join('\n\n')
}
