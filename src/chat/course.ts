// One answer on its way: its steps, what it was given, and who may read that.
import type { Logger } from '../domain/logger.ts'
import type { ChatWriter, Meter } from '../domain/meter.ts'
import type { Packet, PacketObject } from '../domain/packet.ts'
import type { Passage } from '../domain/passage.ts'
import type { SearchDoc } from '../domain/search-doc.ts'
import type { Subject } from '../domain/subject.ts'
import type { TokenUsage } from '../inference/language-model.ts'
import { createGuard, createNumbering, type Guard, type Numbering } from './citations.ts'
import { createShelf, type Shelf } from './shelf.ts'
import type { Turn } from './turn.ts'

export interface CourseNeeds {
  /** Which of the documents the person may read at this moment, by the record. */
  readable: (subject: Subject, documentIds: readonly string[]) => Promise<ReadonlySet<string>>
  logger: Logger
  meter: Meter
  now: () => number
  /** Milliseconds that only go forward. */
  clock: () => number
  randomId: () => string
}

export interface Course extends CourseNeeds {
  turn: Turn
  /** Of the person, of the reader of the packets, and of the time that an answer may take. */
  signal: AbortSignal
  nonce: string
  startedAt: number
  shelf: Shelf
  guard: Guard
  /** Of the tools, whether they found room before a model or not; best first. */
  found: Passage[]
  /** Who wrote the answer in the end. */
  by: ChatWriter
  numbering: Numbering
  /** Over all that models were asked, the last one's name. */
  usage(): (TokenUsage & { model: string }) | null
  count(end: { usage: TokenUsage; model: string }): void
  /** The number of a new step. */
  nextStep(): number
  put(turn_index: number, packet: PacketObject, tab_index?: number): void
  isReadable(passage: Passage): Promise<boolean>
}

export function openCourse(
  needs: CourseNeeds,
  turn: Turn,
  { put, signal }: { put: (packet: Packet) => void; signal: AbortSignal },
): Course {
  const shelf = createShelf()
  const numbering = createNumbering()
  let steps = 0
  let used: ReturnType<Course['usage']> = null
  const isReadable = async ({ document }: Passage): Promise<boolean> =>
    !isOfRecord(document) || (await needs.readable(turn.subject, [document.document_id])).has(document.document_id)
  return {
    ...needs,
    turn,
    signal,
    nonce: needs.randomId().replaceAll('-', '').slice(0, 16),
    startedAt: needs.clock(),
    shelf,
    guard: createGuard({
      given: shelf.given,
      isReadable,
      question: turn.message,
      isCiting: turn.include_citations,
      numbering,
    }),
    found: [],
    by: 'nobody',
    numbering,
    usage: () => used,
    count({ usage, model }) {
      used = {
        model,
        input_tokens: (used?.input_tokens ?? 0) + usage.input_tokens,
        output_tokens: (used?.output_tokens ?? 0) + usage.output_tokens,
      }
    },
    nextStep: () => steps++,
    put: (turn_index, obj, tab_index = 0) =>
      put({ placement: { turn_index, tab_index, sub_turn_index: null, model_index: null }, obj }),
    isReadable,
  }
}

export const FILE_SOURCE = 'user_file'

/** Pages of the internet and the person's own files have no rights in the record: who was shown them may see them. */
const isOfRecord = (document: SearchDoc): boolean =>
  !document.is_internet && !(document.source_type === FILE_SOURCE && document.file_id !== null)

/** Each document once, in the order in which it was found. */
export const documentsOf = (passages: Iterable<Passage>): SearchDoc[] =>
  [...new Map([...passages].toReversed().map((it) => [it.document.document_id, it.document])).values()].toReversed()
