// A section of text, and of what a model thinks before it speaks.
import type { PacketObject } from '../domain/packet.ts'
import type { Passage } from '../domain/passage.ts'
import type { Citation, Guarded } from './citations.ts'
import { type Course, documentsOf } from './course.ts'

export interface Sections {
  text(text: string): Promise<void>
  reasoning(text: string): Promise<void>
  /** Closes what is open. */
  end(): Promise<void>
  /** Whether a text has been begun here. */
  hasText(): boolean
}

export function createSections(course: Course): Sections {
  let open: { kind: 'text' | 'reasoning'; step: number } | null = null
  let hasText = false

  const end = async (): Promise<void> => {
    if (open === null) return
    const { kind, step } = open
    open = null
    if (kind === 'text') putGuarded(course, step, await course.guard.end())
    else course.put(step, { type: 'reasoning_done' })
    course.put(step, { type: 'section_end' })
  }
  const enter = async (kind: 'text' | 'reasoning'): Promise<number> => {
    if (open?.kind === kind) return open.step
    await end()
    open = { kind, step: course.nextStep() }
    course.put(
      open.step,
      kind === 'text' ? messageStart(course, course.shelf.given().values()) : { type: 'reasoning_start' },
    )
    return open.step
  }

  return {
    async text(text) {
      // Models send line ends before a call; they are no text yet.
      if (open?.kind !== 'text' && text.trim() === '') return
      const step = await enter('text')
      hasText = true
      putGuarded(course, step, await course.guard.write(text))
    },
    async reasoning(reasoning) {
      if (reasoning === '') return
      course.put(await enter('reasoning'), { type: 'reasoning_delta', reasoning })
    },
    end,
    hasText: () => hasText,
  }
}

export const messageStart = (
  course: Course,
  passages: Iterable<Passage>,
  more: { is_extractive?: boolean; extractive_reason?: string } = {},
): PacketObject => ({
  type: 'message_start',
  final_documents: documentsOf(passages),
  pre_answer_processing_seconds: Math.round(course.clock() - course.startedAt) / 1_000,
  ...more,
})

function putGuarded(course: Course, step: number, pieces: readonly Guarded[]): void {
  for (const it of pieces) {
    if (it.type === 'text') course.put(step, { type: 'message_delta', content: it.text })
    else course.put(step, citationInfo(it.citation))
  }
}

export const citationInfo = ({ citation_number, passage, quote }: Citation): PacketObject => ({
  type: 'citation_info',
  citation_number,
  document_id: passage.document.document_id,
  chunk_ind: passage.document.chunk_ind,
  link: passage.link,
  quote,
})
