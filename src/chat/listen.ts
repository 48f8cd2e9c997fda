// What a model says, shown while it says it.
import { type LanguageModel, type ModelCall, ModelError, type ModelRequest } from '../inference/language-model.ts'
import type { Course } from './course.ts'
import { createSections } from './message.ts'

export interface Said {
  hasText: boolean
  /** As the model wrote it. */
  text: string
  calls: ModelCall[]
  /** `broken`: it did not come to an end; `error` says why. */
  reason: 'stop' | 'calls' | 'length' | 'refusal' | 'broken'
  error: string | null
}

/** Longer than anybody reads; a model that repeats itself without end is cut off here. */
const MAX_ANSWER = 200_000
const MAX_CALLS = 1_000

/** Rejects with the reason of the person's signal alone. */
export async function listen(course: Course, model: LanguageModel, request: ModelRequest): Promise<Said> {
  const sections = createSections(course)
  const said: Said = { hasText: false, text: '', calls: [], reason: 'broken', error: null }
  try {
    await hear(course, model.stream(request), { said, sections })
  } catch (error) {
    course.turn.signal.throwIfAborted()
    said.reason = 'broken'
    said.error = whyBroken(course, error)
  }
  await sections.end()
  said.hasText = sections.hasText()
  return said
}

async function hear(
  course: Course,
  events: ReturnType<LanguageModel['stream']>,
  { said, sections }: { said: Said; sections: ReturnType<typeof createSections> },
): Promise<void> {
  let units = 0
  for await (const event of events) {
    if (event.type === 'end') {
      said.reason = event.reason
      course.count(event)
      return
    }
    if (event.type === 'call') said.calls.push(event.call)
    else {
      units += event.text.length
      if (event.type === 'text') said.text += event.text
      await sections[event.type](event.text)
    }
    if (units > MAX_ANSWER || said.calls.length > MAX_CALLS) {
      said.reason = said.calls.length > MAX_CALLS ? 'calls' : 'length'
      return
    }
  }
  said.error = 'it stopped in the middle'
}

function whyBroken(course: Course, error: unknown): string {
  if (course.signal.aborted) return 'it took too long'
  if (error instanceof ModelError) return error.message
  course.logger.error({ err: error }, 'a language model failed in a way that it should not')
  return 'it failed'
}
