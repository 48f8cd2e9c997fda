// Finds a branch in the tree of messages: the selected one, or the one that ends at a given message.
import { AppError } from '../../domain/errors.ts'
import type { MessageWithoutPackets } from '../../store/chats/messages.ts'

type MessageNode = Pick<MessageWithoutPackets, 'id' | 'parent_id' | 'latest_child_id' | 'message_type'>

/** A `parent_id` that appends the question to the selected branch. */
export const AFTER_LATEST_MESSAGE = -1

/** A new question, or an earlier question that is answered again. */
export type BranchPoint<M> = { history: M[] } & (
  | { kind: 'ask'; parent_id: number | null }
  | { kind: 'again'; question: M }
)

/** If the parent is an answer or null, the question is new. If it is a question, that question is answered again. */
export function resolveBranchPoint<M extends MessageNode>(
  messages: readonly M[],
  latestChildId: number | null,
  parentId: number | null,
): BranchPoint<M> {
  const leading =
    parentId === AFTER_LATEST_MESSAGE ? selectedBranch(messages, latestChildId) : branchEndingAt(messages, parentId)
  const last = leading.at(-1)
  if (last?.message_type === 'user' && parentId !== AFTER_LATEST_MESSAGE) {
    return { kind: 'again', question: last, history: leading.slice(0, -1) }
  }
  return { kind: 'ask', parent_id: last?.id ?? null, history: leading }
}

/** The branch from the root that follows the selected child of each message. */
export function selectedBranch<M extends MessageNode>(messages: readonly M[], latestChildId: number | null): M[] {
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

/** The branch that ends at this message. Throws MESSAGE_NOT_FOUND if the message belongs to another session. */
export function branchEndingAt<M extends MessageNode>(messages: readonly M[], id: number | null): M[] {
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
