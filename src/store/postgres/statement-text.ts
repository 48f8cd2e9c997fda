// Translates our SQL to PostgreSQL.

/** The unique index is on the digest of the document id; sql/postgres/0001-first.sql explains why. */
const CONFLICT_IN_DOCUMENT = /^(insert into "?document"? .*on conflict \()"?id"?\)/s
const CONFLICT_BY_DOCUMENT = /on conflict \("?document_id"?/

export const postgresText = (sql: string): string =>
  sql
    .replace(/\?(\d+)/g, '$$$1')
    .replace(CONFLICT_IN_DOCUMENT, '$1key_of(id))')
    .replace(CONFLICT_BY_DOCUMENT, 'on conflict (key_of(document_id)')
