// Calls come in pieces: the name and the id first, then the arguments, letter by letter.
import { randomUUID } from 'node:crypto'
import type { ModelCall } from './language-model.ts'
import type { CallDelta } from './openai-chunks.ts'
import { clean } from './well-formed.ts'

export interface ModelCalls {
  add(deltas: readonly CallDelta[]): void
  /** Those that name something, each with an id of its own. */
  list(): ModelCall[]
}

/** Nobody waits for more of one answer: those beyond it are left out. */
const MAX_CALLS = 32

export function modelCalls(): ModelCalls {
  const calls = new Map<number, ModelCall>()
  let last = -1
  /** Some servers do not count: then a new id begins a new call. */
  const placeOf = ({ index, id }: CallDelta): number => {
    if (index !== null && index !== undefined) return index
    const isNew = last === -1 || (id != null && id !== '' && calls.get(last)?.id !== id)
    return isNew ? Math.max(-1, ...calls.keys()) + 1 : last
  }
  return {
    add(deltas) {
      for (const delta of deltas) {
        last = placeOf(delta)
        const known = calls.get(last)
        if (known === undefined && calls.size >= MAX_CALLS) continue
        const call = known ?? { id: '', name: '', arguments: '' }
        call.id ||= delta.id ?? ''
        call.name ||= delta.function?.name ?? ''
        call.arguments += delta.function?.arguments ?? ''
        calls.set(last, call)
      }
    },
    list() {
      const seen = new Set<string>()
      const named = [...calls].sort(([a], [b]) => a - b).flatMap(([, it]) => (it.name === '' ? [] : [it]))
      return named.map((call) => {
        const id = call.id === '' || seen.has(call.id) ? `call_${randomUUID()}` : call.id
        seen.add(id)
        return {
          id: clean(id),
          name: clean(call.name),
          arguments: call.arguments.trim() === '' ? '{}' : clean(call.arguments),
        }
      })
    },
  }
}
