// Which labels does each group carry in one dimension ("source", "tag")? Equal sets are kept once.

import type { Dictionary } from './dictionary.ts'
import { DictionaryWriter, findTerms } from './dictionary.ts'
import { GrowingWords } from './growing.ts'
import { inByteOrder } from './key-text.ts'

export interface LabelSets {
  labels: Dictionary
  /** Per label: where its sets start in `members`, and one more for the end. */
  starts: Uint32Array
  members: Uint32Array
  /** Per group: its set. */
  sets: Uint32Array
  setCount: number
}

export class LabelSetsWriter {
  readonly #labels = new Map<string, number>()
  readonly #sets = new Map<string, number>()
  readonly #members: number[][] = []
  readonly #setOfGroup = new GrowingWords()

  addGroup(labels: readonly string[]): void {
    this.#setOfGroup.push(this.setOf(labels))
  }

  addGroupOfSet(set: number): void {
    this.#setOfGroup.push(set)
  }

  setOf(labels: readonly string[]): number {
    const ids = [...new Set(labels)].map((label) => this.#idOf(label)).sort((a, b) => a - b)
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
    const starts = new GrowingWords()
    const members = new GrowingWords()
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

  #idOf(label: string): number {
    const id = this.#labels.get(label) ?? this.#labels.size
    this.#labels.set(label, id)
    return id
  }
}

/** The labels as a dictionary, and for each its ordinal there. */
function sortedLabels(labels: string[]): { dictionary: DictionaryWriter; ordinals: Uint32Array } {
  const ids = new Map(labels.map((label, id) => [label, id]))
  const dictionary = new DictionaryWriter()
  const ordinals = new Uint32Array(labels.length)
  for (const name of inByteOrder(labels)) ordinals[ids.get(name)!] = dictionary.addText(name)
  return { dictionary, ordinals }
}

/** For each set, 1 where it holds one of the labels, which are given in ascending order of their bytes. */
export function setsWithAny(
  { labels, starts, members, setCount }: LabelSets,
  wanted: readonly Uint8Array[],
): Uint8Array {
  const found = new Uint8Array(setCount)
  for (const ordinal of findTerms(labels, wanted)) {
    if (ordinal < 0) continue
    for (let at = starts[ordinal]!; at < starts[ordinal + 1]!; at++) found[members[at]!] = 1
  }
  return found
}

/** For each set, the ordinals of its labels. */
export function labelsOfSets({ starts, members, setCount, labels }: LabelSets): number[][] {
  const result: number[][] = Array.from({ length: setCount }, () => [])
  for (let label = 0; label < labels.size; label++) {
    for (let at = starts[label]!; at < starts[label + 1]!; at++) result[members[at]!]!.push(label)
  }
  return result
}
