/** A page of a list: at most `limit` items with an id above `after`, ordered by id. */
export interface KeysetPage {
  after: number
  limit: number
}
