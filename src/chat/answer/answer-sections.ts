// Emits sections of text and reasoning.
import type { PacketObject } from '../../domain/chat/packet.ts'
import type { Passage } from '../../domain/chat/passage.ts'
import type { Citation, VerifiedOutput } from '../citations/citation-verifier.ts'
import { type AnswerContext, uniqueDocuments } from './answer-context.ts'

export interface AnswerSections {
  text(text: string): Promise<void>
  reasoning(text: string): Promise<void>
  /** Closes the open section. */
  end(): Promise<void>
  /** Whether any text was emitted. */
  hasText(): boolean
}

export function createAnswerSections(context: AnswerContext): AnswerSections {
  let open: { kind: 'text' | 'reasoning'; step: number } | null = null
  let hasText = false

  const end = async (): Promise<void> => {
    if (open === null) return
    const { kind, step } = open
    open = null
    if (kind === 'text') emitVerified(context, step, await context.citationVerifier.end())
    else context.emit(step, { type: 'reasoning_done' })
    context.emit(step, { type: 'section_end' })
  }
  const openSection = async (kind: 'text' | 'reasoning'): Promise<number> => {
    if (open?.kind === kind) return open.step
    await end()
    open = { kind, step: context.nextStep() }
    context.emit(
      open.step,
      kind === 'text'
        ? messageStartPacket(context, context.passageStore.passages().values())
        : { type: 'reasoning_start' },
    )
    return open.step
  }

  return {
    async text(text) {
      // Models send line ends before a tool call; they do not open a section.
      if (open?.kind !== 'text' && text.trim() === '') return
      const step = await openSection('text')
      hasText = true
      emitVerified(context, step, await context.citationVerifier.write(text))
    },
    async reasoning(reasoning) {
      if (reasoning === '') return
      context.emit(await openSection('reasoning'), { type: 'reasoning_delta', reasoning })
    },
    end,
    hasText: () => hasText,
  }
}

export const messageStartPacket = (
  context: AnswerContext,
  passages: Iterable<Passage>,
  more: { is_extractive?: boolean; extractive_reason?: string } = {},
): PacketObject => ({
  type: 'message_start',
  final_documents: uniqueDocuments(passages),
  pre_answer_processing_seconds: Math.round(context.clock() - context.startedAt) / 1_000,
  ...more,
})

function emitVerified(context: AnswerContext, step: number, pieces: readonly VerifiedOutput[]): void {
  for (const it of pieces) {
    if (it.type === 'text') context.emit(step, { type: 'message_delta', content: it.text })
    else context.emit(step, citationPacket(it.citation))
  }
}

export const citationPacket = ({ citation_number, passage, quote }: Citation): PacketObject => ({
  type: 'citation_info',
  citation_number,
  document_id: passage.document.document_id,
  chunk_ind: passage.document.chunk_ind,
  link: passage.link,
  quote,
})
