// Assembles streamed tool calls: name and id come first, then fragments of the arguments.
import { randomUUID } from 'node:crypto'
import type { ModelCall } from '../language-model.ts'
import type { ToolCallDelta } from './chunks.ts'
import { cleanText } from './well-formed.ts'

export interface ToolCallAssembler {
  add(deltas: readonly ToolCallDelta[]): void
  /** All calls that have a name, each with a unique id. */
  list(): ModelCall[]
}

/** Further calls of one answer are dropped. */
const MAX_CALLS = 32

export function createToolCallAssembler(): ToolCallAssembler {
  const calls = new Map<number, ModelCall>()
  let last = -1
  /** Some servers send no index: then a new id starts a new call. */
  const callIndexOf = ({ index, id }: ToolCallDelta): number => {
    if (index !== null && index !== undefined) return index
    const isNew = last === -1 || (id != null && id !== '' && calls.get(last)?.id !== id)
    return isNew ? Math.max(-1, ...calls.keys()) + 1 : last
  }
  return {
    add(deltas) {
      for (const delta of deltas) {
        last = callIndexOf(delta)
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
          id: cleanText(id),
          name: cleanText(call.name),
          arguments: call.arguments.trim() === '' ? '{}' : cleanText(call.arguments),
        }
      })
    },
  }
}
