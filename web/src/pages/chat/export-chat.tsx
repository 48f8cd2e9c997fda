// Saves the shown branch of a conversation as a Markdown file.
import { ActionIcon } from '@mantine/core'
import { Icon } from '../../parts/icon.tsx'
import { saveFile } from '../../parts/save-file.ts'
import { textsOf } from '../../text/texts.ts'
import { chatToMarkdown } from './chat-to-markdown.ts'
import { type Conversation, titleOf } from './conversation.ts'

export function ExportChat({ conversation }: { conversation: Conversation }) {
  const label = textsOf('chat.header')('export')
  return (
    <ActionIcon variant="subtle" color="gray" aria-label={label} title={label} onClick={() => save(conversation)}>
      <Icon name="download" size={17} />
    </ActionIcon>
  )
}

const MAX_NAME = 80

/** Letters and digits are safe in the name of a file on every system. */
const nameOf = (conversation: Conversation): string =>
  `${titleOf(conversation)
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .slice(0, MAX_NAME)}.md`

const save = (conversation: Conversation): void =>
  saveFile(nameOf(conversation), 'text/markdown', chatToMarkdown(conversation))
