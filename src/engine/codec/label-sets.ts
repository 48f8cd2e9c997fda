// The labels of each group in one dimension ("source", "tag"). Equal sets of labels are stored once.

import { type Dictionary, DictionaryCursor, DictionaryWriter, findOrdinals } from './dictionary.ts'
import { GrowableUint32s } from './growable-buffer.ts'
import { sortByBytes } from './text-encoding.ts'

export interface LabelSets {
  labels: Dictionary
  /** Per label, the start of its sets in `members`; the last element is the end. */
  starts: Uint32Array
  members: Uint32Array
  /** Per group, the number of its set. */
  sets: Uint32Array
  setCount: number
}

interface InternedLabel {
  id: number
  /** The numbers of the sets that contain the label, in ascending order. */
  sets: number[]
}

export class LabelSetsWriter {
  readonly #labels = new Map<string, InternedLabel>()
  /** The number of each set, by the ids of its labels. */
  readonly #sets = new Map<string, number>()
  readonly #setOfGroup = new GrowableUint32s()

  addGroup(labels: readonly string[]): void {
    this.#setOfGroup.push(this.internLabelSet(labels))
  }

  addGroupWithSet(set: number): void {
    this.#setOfGroup.push(set)
  }

  internLabelSet(labels: readonly string[]): number {
    const members = [...new Set(labels)].map((label) => this.#internLabel(label)).sort((a, b) => a.id - b.id)
    const key = members.map((it) => it.id).join()
    const known = this.#sets.get(key)
    if (known !== undefined) return known
    const set = this.#sets.size
    this.#sets.set(key, set)
    for (const it of members) it.sets.push(set)
    return set
  }

  finish(): LabelSets {
    const dictionary = new DictionaryWriter()
    const starts = new GrowableUint32s()
    const members = new GrowableUint32s()
    for (const name of sortByBytes(this.#labels.keys())) {
      dictionary.addText(name)
      starts.push(members.length)
      for (const set of this.#labels.get(name)?.sets ?? []) members.push(set)
    }
    starts.push(members.length)
    return {
      labels: { bytes: dictionary.bytes.view(), blocks: dictionary.blocks.view(), size: dictionary.size },
      starts: starts.view(),
      members: members.view(),
      sets: this.#setOfGroup.view(),
      setCount: this.#sets.size,
    }
  }

  #internLabel(label: string): InternedLabel {
    const known = this.#labels.get(label) ?? { id: this.#labels.size, sets: [] }
    this.#labels.set(label, known)
    return known
  }
}

/** Returns 1 for each set that contains one of the labels. `wanted` must be in ascending byte order. */
export function setsWithAnyLabel(
  { labels, starts, members, setCount }: LabelSets,
  wanted: readonly Uint8Array[],
): Uint8Array {
  const found = new Uint8Array(setCount)
  for (const ordinal of findOrdinals(labels, wanted)) {
    if (ordinal < 0) continue
    for (let at = starts[ordinal]!; at < starts[ordinal + 1]!; at++) found[members[at]!] = 1
  }
  return found
}

/** Returns the labels of each set. */
export function labelsPerSet({ starts, members, setCount, labels }: LabelSets): string[][] {
  const result: string[][] = Array.from({ length: setCount }, () => [])
  const cursor = new DictionaryCursor(labels)
  while (cursor.next()) {
    const label = cursor.text()
    for (const set of members.subarray(starts[cursor.ordinal], starts[cursor.ordinal + 1])) result[set]?.push(label)
  }
  return result
}
