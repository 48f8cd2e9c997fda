// Joins the parts of a document's text that are loaded in pages, and finds the passage in them.
import type { DocumentText } from '../../../../src/client/schemas.ts'

export type ReaderItem = DocumentText['items'][number]

/** A section that continues on the next page is one again. */
export const joinItems = (items: readonly ReaderItem[]): ReaderItem[] =>
  [...Map.groupBy(items, (it) => it.section).values()].flatMap(([first, ...others]) =>
    first === undefined ? [] : [{ ...first, text: [first, ...others].map((it) => it.text).join('') }],
  )

/** The parts of the item's text that belong to the passage, in ascending order. */
export const spansIn = (
  { section, from, text }: Pick<ReaderItem, 'section' | 'from' | 'text'>,
  passage: NonNullable<DocumentText['passage']>,
): [number, number][] =>
  passage
    .filter((it) => it.section === section)
    .map((it): [number, number] => [Math.max(0, it.from - from), Math.min(text.length, it.to - from)])
    .filter(([start, end]) => end > start)
