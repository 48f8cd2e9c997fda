// The state of one answer while it is produced: its steps, its passages, and what the subject may read.

import type { Packet, PacketObject } from '../../domain/chat/packet.ts'
import type { Passage } from '../../domain/chat/passage.ts'
import type { SearchDoc } from '../../domain/chat/search-doc.ts'
import type { Logger } from '../../domain/logger.ts'
import type { AnswerAuthor, Meter } from '../../domain/meter.ts'
import type { Subject } from '../../domain/subject.ts'
import type { TokenUsage } from '../../inference/language-model.ts'
import {
  type CitationNumbering,
  type CitationVerifier,
  createCitationNumbering,
  createCitationVerifier,
} from '../citations/citation-verifier.ts'
import type { TurnPicture } from '../pictures/read-pictures.ts'
import type { ChatTurn } from './chat-turn.ts'
import { createPassageStore, type PassageStore } from './passage-store.ts'

export interface AnswerContextDeps {
  /** Which of the documents the subject may read now, according to the store. */
  filterReadable: (subject: Subject, documentIds: readonly string[]) => Promise<ReadonlySet<string>>
  logger: Logger
  meter: Meter
  now: () => number
  /** Monotonic milliseconds. */
  clock: () => number
  randomId: () => string
}

export interface AnswerContext extends AnswerContextDeps {
  turn: ChatTurn
  /** Aborts with the turn, with the reader of the packets, or when the time limit is reached. */
  signal: AbortSignal
  nonce: string
  startedAt: number
  passageStore: PassageStore
  citationVerifier: CitationVerifier
  /** All passages that tools returned, best first, even those that did not fit into the prompt. */
  foundPassages: Passage[]
  /** The pictures that the next request contains. */
  pictures: readonly TurnPicture[]
  /** The author of the final answer. */
  answeredBy: AnswerAuthor
  citationNumbering: CitationNumbering
  /** The sum over all model calls, with the name of the last model. */
  usage(): (TokenUsage & { model: string }) | null
  addUsage(end: { usage: TokenUsage; model: string }): void
  /** The number of a new step. */
  nextStep(): number
  emit(turn_index: number, packet: PacketObject, tab_index?: number): void
  isReadable(passage: Passage): Promise<boolean>
}

export function createAnswerContext(
  deps: AnswerContextDeps,
  turn: ChatTurn,
  { put, signal }: { put: (packet: Packet) => void; signal: AbortSignal },
): AnswerContext {
  const passageStore = createPassageStore()
  const citationNumbering = createCitationNumbering()
  let stepCount = 0
  let totalUsage: ReturnType<AnswerContext['usage']> = null
  const isReadable = async ({ document }: Passage): Promise<boolean> =>
    !needsAccessCheck(document) ||
    (await deps.filterReadable(turn.subject, [document.document_id])).has(document.document_id)
  return {
    ...deps,
    turn,
    signal,
    nonce: deps.randomId().replaceAll('-', '').slice(0, 16),
    startedAt: deps.clock(),
    passageStore,
    citationVerifier: createCitationVerifier({
      passages: passageStore.passages,
      isReadable,
      question: turn.message,
      showsCitations: turn.include_citations,
      citationNumbering,
    }),
    foundPassages: [],
    pictures: [],
    answeredBy: 'nobody',
    citationNumbering,
    usage: () => totalUsage,
    addUsage({ usage, model }) {
      totalUsage = {
        model,
        input_tokens: (totalUsage?.input_tokens ?? 0) + usage.input_tokens,
        output_tokens: (totalUsage?.output_tokens ?? 0) + usage.output_tokens,
      }
    },
    nextStep: () => stepCount++,
    emit: (turn_index, obj, tab_index = 0) =>
      put({ placement: { turn_index, tab_index, sub_turn_index: null, model_index: null }, obj }),
    isReadable,
  }
}

export const USER_FILE_SOURCE = 'user_file'

/**
 * Web pages and the user's own files have no access list in the store: they stay visible to the user who was shown
 * them.
 */
const needsAccessCheck = (document: SearchDoc): boolean =>
  !document.is_internet && !(document.source_type === USER_FILE_SOURCE && document.file_id !== null)

/** Each document once, in the order of first appearance. */
export const uniqueDocuments = (passages: Iterable<Passage>): SearchDoc[] =>
  [...new Map([...passages].toReversed().map((it) => [it.document.document_id, it.document])).values()].toReversed()
