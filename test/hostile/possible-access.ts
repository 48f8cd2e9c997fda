// The documents that each person may possibly read while permissions change. A permission is possible from the request for it
// to the answer to the request that takes it away.

/** A request under way, and everything that may appear in its answer. */
export interface Watch {
  person: number
  allowed: Set<string>
}

export class PossibleAccess {
  readonly #possible = new Map<number, Set<string>>()
  readonly #watches = new Set<Watch>()

  #of(person: number): Set<string> {
    const known = this.#possible.get(person) ?? new Set<string>()
    this.#possible.set(person, known)
    return known
  }

  /** Call it before the request that permits. */
  permit(person: number, what: string): void {
    this.#of(person).add(what)
    for (const it of this.#watches) if (it.person === person) it.allowed.add(what)
  }

  /** Call it after the answer to the request that forbids. */
  forbid(person: number, what: string): void {
    this.#of(person).delete(what)
  }

  has(person: number, what: string): boolean {
    return this.#of(person).has(what)
  }

  /** Runs the request, and returns its answer with what was possible at any time during it. */
  async during<T>(person: number, request: () => Promise<T>): Promise<{ answer: T; allowed: Set<string> }> {
    const watch: Watch = { person, allowed: new Set(this.#of(person)) }
    this.#watches.add(watch)
    try {
      return { answer: await request(), allowed: watch.allowed }
    } finally {
      this.#watches.delete(watch)
    }
  }
}
