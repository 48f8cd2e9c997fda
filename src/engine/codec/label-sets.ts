// The labels of each group in one dimension ("source", "tag"). Equal sets of labels are stored once.

import type { Dictionary } from './dictionary.ts'
import { DictionaryWriter, findOrdinals } from './dictionary.ts'
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

export class LabelSetsWriter {
  readonly #labels = new Map<string, number>()
  readonly #sets = new Map<string, number>()
  readonly #members: number[][] = []
  readonly #setOfGroup = new GrowableUint32s()

  addGroup(labels: readonly string[]): void {
    this.#setOfGroup.push(this.internLabelSet(labels))
  }

  addGroupWithSet(set: number): void {
    this.#setOfGroup.push(set)
  }

  internLabelSet(labels: readonly string[]): number {
    const ids = [...new Set(labels)].map((label) => this.#labelId(label)).sort((a, b) => a - b)
    const key = ids.join()
    const known = this.#sets.get(key)
    if (known !== undefined) return known
    this.#sets.set(key, this.#members.length)
    return this.#members.push(ids) - 1
  }

  finish(): LabelSets {
    const { dictionary, ordinals } = sortedLabels([...this.#labels.keys()])
    const setsOf: number[][] = Array.from({ length: dictionary.size }, () => [])
    for (const [set, ids] of this.#members.entries()) for (const id of ids) setsOf[ordinals[id]!]!.push(set)
    const starts = new GrowableUint32s()
    const members = new GrowableUint32s()
    for (const sets of setsOf) {
      starts.push(members.length)
      for (const set of sets) members.push(set)
    }
    starts.push(members.length)
    return {
      labels: { bytes: dictionary.bytes.view(), blocks: dictionary.blocks.view(), size: dictionary.size },
      starts: starts.view(),
      members: members.view(),
      sets: this.#setOfGroup.view(),
      setCount: this.#members.length,
    }
  }

  #labelId(label: string): number {
    const id = this.#labels.get(label) ?? this.#labels.size
    this.#labels.set(label, id)
    return id
  }
}

/** Returns the labels as a dictionary, and the ordinal of each label in it. */
function sortedLabels(labels: string[]): { dictionary: DictionaryWriter; ordinals: Uint32Array } {
  const ids = new Map(labels.map((label, id) => [label, id]))
  const dictionary = new DictionaryWriter()
  const ordinals = new Uint32Array(labels.length)
  for (const name of sortByBytes(labels)) ordinals[ids.get(name)!] = dictionary.addText(name)
  return { dictionary, ordinals }
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

/** Returns the ordinals of the labels of each set. */
export function labelsPerSet({ starts, members, setCount, labels }: LabelSets): number[][] {
  const result: number[][] = Array.from({ length: setCount }, () => [])
  for (let label = 0; label < labels.size; label++) {
    for (let at = starts[label]!; at < starts[label + 1]!; at++) result[members[at]!]!.push(label)
  }
  return result
}
