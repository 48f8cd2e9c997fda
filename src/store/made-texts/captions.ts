// The captions of the pictures that documents show: which are known, and which are to be made.

import { type DocumentContent, type DocumentSection, MAX_SECTIONS, MAX_TEXT } from '../../domain/document.ts'
import {
  CAPTIONED_TYPES,
  captionedFilesOf,
  captionedTypeOf,
  fillCaptions,
  type KnownCaptions,
} from '../../domain/made-texts/caption.ts'
import type { Queryable, SqlStatement } from '../database/database.ts'
import { readCaptionSettings } from './caption-settings.ts'

/** Whether a caption of the bytes of a source is to be made, so that they are kept. */
export const isCaptionWanted = async (db: Queryable, bytes: Uint8Array): Promise<boolean> =>
  captionedTypeOf(bytes) !== null && (await readCaptionSettings(db)).is_on

const MAX_BLOBS_PER_QUERY = 1_000

/** Files of which nothing is known, or that wait, are absent. */
export async function mapKnownCaptions(db: Queryable, blobs: readonly string[]): Promise<KnownCaptions> {
  const known = new Map<string, string | null>()
  for (let at = 0; at < blobs.length; at += MAX_BLOBS_PER_QUERY) {
    const rows = await db
      .selectFrom('model_text')
      .select(['blob', 'content'])
      .where('blob', 'in', blobs.slice(at, at + MAX_BLOBS_PER_QUERY))
      .where('kind', '=', 'caption')
      .where('state', '<>', 'waiting')
      .execute()
    for (const { blob, content } of rows) known.set(blob, content === null ? null : JSON.parse(content).text)
  }
  return known
}

/** The sections with the captions that are known. */
export async function fillKnownCaptions(
  db: Queryable,
  sections: readonly DocumentSection[],
): Promise<DocumentSection[]> {
  const shown = sections.flatMap((it) => it.picture?.blob ?? it.caption?.blob ?? [])
  if (shown.length === 0) return [...sections]
  const captions = await mapKnownCaptions(db, [...new Set(shown)])
  return fillCaptions(sections, captions, { maxLength: MAX_TEXT, maxSections: MAX_SECTIONS })
}

/** The contents with the captions that are known, so that a document sent again is the same. */
export async function withKnownCaptions<T extends { content: DocumentContent }>(
  db: Queryable,
  documents: readonly T[],
): Promise<T[]> {
  const filled: T[] = []
  for (const it of documents)
    filled.push({ ...it, content: { ...it.content, sections: await fillKnownCaptions(db, it.content.sections) } })
  return filled
}

const TYPES = CAPTIONED_TYPES.map((it) => `'${it}'`).join()

/** The statements that follow the write of a document, and of its pictures: these wait for their captions. */
export const captionStatements = (
  documentId: string,
  sections: readonly DocumentSection[],
  now: number,
): SqlStatement[] =>
  captionedFilesOf(sections).flatMap(({ blob, name, isSettled }) => [
    {
      sql: `insert into model_text (blob, kind, name, queued_at) select ?2, 'caption', ?3, cast(?4 as bigint) where ${IS_SHOWN}
          and exists (select 1 from caption_settings where is_on = 1)
          and exists (select 1 from user_file where blob = ?2 and file_type in (${TYPES}))
        on conflict (blob, kind) do nothing`,
      parameters: [documentId, blob, name, now],
    },
    {
      // A picture of a source waits since its bytes came, also if the document has not changed.
      sql: `insert into model_text_document (document_id, blob, kind, is_settled) select ?1, ?2, 'caption', cast(?3 as bigint)
        where ${IS_SHOWN} and exists (select 1 from model_text where blob = ?2 and kind = 'caption')
        on conflict (document_id, blob, kind) do update set is_settled = 0 where excluded.is_settled = 0
          and exists (select 1 from model_text where blob = ?2 and kind = 'caption' and state in ('waiting', 'read'))`,
      parameters: [documentId, blob, isSettled ? 1 : 0],
    },
  ])

const IS_SHOWN = 'exists (select 1 from recognition_document where document_id = ?1 and blob = ?2)'

const LANGUAGE_CHARACTERS = 4_000

/** The beginning of one of the documents that show the picture, to tell the language of its readers. */
export async function findTextAroundPicture(db: Queryable, blob: string): Promise<string> {
  const row = await db
    .selectFrom('model_text_document')
    .innerJoin('document', 'document.id', 'document_id')
    .select(['semantic_identifier', 'sections'])
    .where('blob', '=', blob)
    .where('kind', '=', 'caption')
    .where('deleted_at', 'is', null)
    .orderBy('document_id')
    .limit(1)
    .executeTakeFirst()
  if (row === undefined) return ''
  const sections: DocumentSection[] = JSON.parse(row.sections)
  const own = sections.filter((it) => it.caption === undefined).map((it) => it.text)
  return [row.semantic_identifier, ...own].join('\n').slice(0, LANGUAGE_CHARACTERS)
}
