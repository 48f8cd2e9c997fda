/** The part of a list that somebody asked for: at most `limit` items, those whose id is above `after`, in order of ids. */
export interface Page {
  after: number
  limit: number
}
