// Which way through the tree of messages? The one that is shown, or the one that leads to a message.
import { AppError } from '../domain/errors.ts'
import type { SaidMessage } from '../store/chat-messages.ts'

type Node = Pick<SaidMessage, 'id' | 'parent_id' | 'latest_child_id' | 'message_type'>

/** Says that a question follows on whatever was said last. */
export const AFTER_THE_LATEST = -1

/** A question that is new, or one that was asked before and is to be answered again. */
export type Place<M> = { history: M[] } & ({ kind: 'ask'; parent_id: number | null } | { kind: 'again'; question: M })

/** A parent that is an answer, or none: a new question. A parent that is a question: another answer to that one. */
export function placeOf<M extends Node>(
  messages: readonly M[],
  latestChildId: number | null,
  parentId: number | null,
): Place<M> {
  const leading = parentId === AFTER_THE_LATEST ? shownBranch(messages, latestChildId) : branchTo(messages, parentId)
  const last = leading.at(-1)
  if (last?.message_type === 'user' && parentId !== AFTER_THE_LATEST) {
    return { kind: 'again', question: last, history: leading.slice(0, -1) }
  }
  return { kind: 'ask', parent_id: last?.id ?? null, history: leading }
}

/** From the first message on, each followed by the child that is shown. */
export function shownBranch<M extends Node>(messages: readonly M[], latestChildId: number | null): M[] {
  const byId = new Map(messages.map((it) => [it.id, it]))
  const branch: M[] = []
  for (let next = latestChildId; next !== null; ) {
    const message: M | undefined = byId.get(next)
    if (message === undefined) break
    branch.push(message)
    next = message.latest_child_id
  }
  return branch
}

/** With that message as the last one; MESSAGE_NOT_FOUND where it is of another session. */
export function branchTo<M extends Node>(messages: readonly M[], id: number | null): M[] {
  const byId = new Map(messages.map((it) => [it.id, it]))
  const branch: M[] = []
  for (let next = id; next !== null; ) {
    const message: M | undefined = byId.get(next)
    if (message === undefined) throw new AppError('MESSAGE_NOT_FOUND')
    branch.unshift(message)
    next = message.parent_id
  }
  return branch
}
