// Decides what a subject may manage. Reading documents is decided in domain/access.ts: a curator reads what a member reads.
import type { Subject } from '../subject.ts'

export type Curator = Pick<Subject, 'user_id' | 'rights' | 'curated_groups'>

/** An object is for everybody, or private to groups. Access that is synced from a source is not private. */
export interface GroupAccess {
  isPrivate: boolean
  groups: readonly string[]
}

export type ManagedObject =
  | ({ kind: 'cc_pair' | 'document_set' } & GroupAccess)
  /** `pairs`: all cc-pairs of the connector. */
  | { kind: 'connector'; creator: string | null; pairs: readonly GroupAccess[] }
  | { kind: 'credential'; owner: string | null }
  | ({ kind: 'persona'; owner: string | null } & GroupAccess)
  /** The members of the group, and which connectors name it. */
  | { kind: 'group'; name: string }

/**
 * Tells whether the subject may change, run and delete the object. A right to all connectors covers all objects of
 * their kinds. A curator manages what is private and belongs to groups that they curate and to no other.
 */
export function mayManage(subject: Curator, object: ManagedObject): boolean {
  const { rights, user_id } = subject
  if (rights.has('admin')) return true
  switch (object.kind) {
    case 'cc_pair':
    case 'document_set':
      return rights.has('connectors') || isCurated(subject, object)
    case 'connector':
      return rights.has('connectors') || isCuratedConnector(subject, object)
    case 'credential':
      return object.owner === user_id
    case 'persona':
      return object.owner === user_id || isCurated(subject, object)
    case 'group':
      return curates(subject, object.name)
  }
}

const isCurated = (subject: Curator, { isPrivate, groups }: GroupAccess): boolean =>
  isPrivate && groups.length > 0 && groups.every((it) => curates(subject, it))

/** A connector without a cc-pair belongs to its creator, who has yet to choose the groups. */
const isCuratedConnector = (
  subject: Curator,
  { creator, pairs }: { creator: string | null; pairs: readonly GroupAccess[] },
): boolean =>
  subject.rights.has('curate') &&
  (pairs.length === 0 ? creator === subject.user_id : pairs.every((it) => isCurated(subject, it)))

/** A global curator has both rights, and curates every group. */
const curates = ({ rights, curated_groups }: Curator, name: string): boolean =>
  rights.has('curate') && (rights.has('connectors') || curated_groups.includes(name))

/** Owned by the subject, without an owner, or open to all curators. For subjects without a right to all connectors. */
export const maySeeCredential = (
  { rights, user_id }: Curator,
  credential: { user_id: string | null; curator_public: 0 | 1 },
): boolean =>
  rights.has('connectors') ||
  credential.user_id === null ||
  credential.user_id === user_id ||
  credential.curator_public === 1
