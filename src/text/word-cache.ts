// A hash table keyed by a range of a text. Cutting the word out of the text for every lookup would take three times as
// long.

const INITIAL_CAPACITY = 1 << 10

export class WordCache<T> {
  #words: string[] = []
  #values: T[] = []
  #hashes = new Int32Array(INITIAL_CAPACITY)
  /** An open-addressing table of word numbers plus 1; 0 marks a free slot. */
  #slots = new Int32Array(INITIAL_CAPACITY * 2)

  get size(): number {
    return this.#words.length
  }

  find(text: string, start: number, end: number): T | undefined {
    const hash = hashRange(text, start, end)
    const mask = this.#slots.length - 1
    for (let at = hash & mask; ; at = (at + 1) & mask) {
      const number = this.#slots[at]! - 1
      if (number < 0) return undefined
      if (this.#hashes[number] === hash && equalsRange(this.#words[number]!, text, start, end))
        return this.#values[number]
    }
  }

  /** The word must not be in the cache yet. */
  add(word: string, value: T): void {
    if (this.size === this.#hashes.length) this.#grow()
    this.#hashes[this.size] = hashRange(word, 0, word.length)
    this.#words.push(word)
    this.#values.push(value)
    this.#insertSlot(this.size - 1)
  }

  clear(): void {
    this.#words = []
    this.#values = []
    this.#slots.fill(0)
  }

  #insertSlot(number: number): void {
    const mask = this.#slots.length - 1
    let at = this.#hashes[number]! & mask
    while (this.#slots[at] !== 0) at = (at + 1) & mask
    this.#slots[at] = number + 1
  }

  #grow(): void {
    const hashes = new Int32Array(this.#hashes.length * 2)
    hashes.set(this.#hashes)
    this.#hashes = hashes
    this.#slots = new Int32Array(hashes.length * 2)
    for (let number = 0; number < this.size; number++) this.#insertSlot(number)
  }
}

/** FNV-1a with its high bits mixed into the low ones. */
function hashRange(text: string, start: number, end: number): number {
  let hash = 0x811c9dc5
  for (let at = start; at < end; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  return hash ^ (hash >>> 15)
}

function equalsRange(word: string, text: string, start: number, end: number): boolean {
  if (word.length !== end - start) return false
  for (let at = 0; at < word.length; at++) if (word.charCodeAt(at) !== text.charCodeAt(start + at)) return false
  return true
}
