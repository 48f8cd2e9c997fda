import type { Api } from '../../client/api.ts'
import { emptyTrash, listTrash, restoreFromTrash } from '../../client/operations.ts'
import type { TrashedDocumentPage } from '../../client/schemas.ts'
import { CommandError, defineCommand, parseWholeNumber, SERVICE_OPTIONS, somePositionals } from '../command.ts'
import type { CommandContext } from '../context.ts'
import { EXIT, type ExitCode } from '../exit-code.ts'
import { formatTable, toPlainText } from '../terminal.ts'

/** The limits of the service per request. */
const PAGE_SIZE = 200
const ID_BATCH_SIZE = 1_000
const DEFAULT_LISTED = 50
const MAX_LISTED = 1_000_000

interface TrashValues {
  url?: string
  key?: string
  json?: boolean
  source?: string
  title?: string
  by?: string
  limit?: string
  'cc-pair'?: string
  all?: boolean
}

export const trash = defineCommand({
  name: 'trash',
  summary: 'Lists, restores and purges deleted documents.',
  usage: 'list | restore ID… | empty ID… | empty --all [options]',
  positionals: somePositionals,
  options: {
    ...SERVICE_OPTIONS,
    source: { type: 'string', value: 'SOURCE', help: 'list: only documents from this source' },
    title: { type: 'string', value: 'TEXT', help: 'list: only documents whose title contains this text' },
    by: { type: 'string', value: 'WHO', help: 'list: only documents deleted by this person' },
    limit: { type: 'string', value: 'N', help: `list: maximum number of documents (default: ${DEFAULT_LISTED})` },
    'cc-pair': { type: 'string', value: 'ID', help: 'restore: connector for documents whose connector was deleted' },
    all: { type: 'boolean', help: 'empty: all documents in the trash' },
  },
  help: `A deleted document stays in the trash for 30 days, or for the number of days in the setting trash_retention_days, and
can be restored until then. Pruning keeps a restored document of a connector until its source has it again. "empty"
deletes permanently. The command exits with 65 if a document could not be restored.

  pharos trash list --title handbook
  pharos trash restore handbook/leave.md
  pharos trash empty --all`,
  run(context, { values, positionals: [what, ...ids] }) {
    const { api } = context.connect(values)
    if (what === 'list' && ids.length === 0) return printTrash(context, api, values)
    if (what === 'restore' && ids.length > 0) return restoreDocuments(context, api, values, ids)
    if (what === 'empty' && ids.length > 0 !== (values.all === true)) return deleteForGood(context, api, values, ids)
    throw new CommandError(
      EXIT.usage,
      'Usage: pharos trash list | restore ID… | empty ID… | empty --all\nSee "pharos help trash".',
    )
  },
})

async function printTrash({ terminal, signal }: CommandContext, api: Api, values: TrashValues): Promise<ExitCode> {
  const limit = parseWholeNumber(values.limit, 'limit', { min: 1, max: MAX_LISTED }) ?? DEFAULT_LISTED
  const items: TrashedDocumentPage['items'] = []
  let after: string | null | undefined
  while (items.length < limit && after !== null) {
    const { source, title, by } = values
    const filter = { source, title, deleted_by: by, after, limit: Math.min(limit - items.length, PAGE_SIZE) }
    const page: TrashedDocumentPage = await listTrash(api, { ...filter, signal })
    items.push(...page.items)
    after = page.next_after
  }
  if (values.json === true) {
    terminal.json(items)
    return 0
  }
  const rows = items.map((it) => [
    it.document_id,
    it.semantic_identifier,
    it.source,
    day(it.deleted_at),
    it.deleted_by ?? CAUSES[it.deletion_cause ?? 'request'],
    day(it.expires_at),
  ])
  if (rows.length === 0) terminal.note('The trash is empty.')
  else terminal.print(formatTable(['id', 'title', 'source', 'deleted', 'by', 'ends'], rows))
  if (typeof after === 'string') terminal.note(`There are more documents; use --limit ${limit * 2} to list more.`)
  return 0
}

const CAUSES = { request: '', pair: 'deletion of its connector', prune: 'pruning' }

const day = (time: string) => time.slice(0, 10)

async function restoreDocuments(
  { terminal, signal }: CommandContext,
  api: Api,
  values: TrashValues,
  ids: readonly string[],
): Promise<ExitCode> {
  const cc_pair_id = parseWholeNumber(values['cc-pair'], 'cc-pair', { min: 1, max: Number.MAX_SAFE_INTEGER })
  const results: Awaited<ReturnType<typeof restoreFromTrash>>['results'] = []
  for (let at = 0; at < ids.length; at += ID_BATCH_SIZE) {
    const body = { document_ids: ids.slice(at, at + ID_BATCH_SIZE), cc_pair_id }
    results.push(...(await restoreFromTrash(api, { body, signal })).results)
  }
  const failed = results.filter((it) => it.status === 'failed')
  const held = results.filter((it) => it.held_from_prune)
  if (values.json === true) terminal.json(results)
  else {
    terminal.print(`${results.length - failed.length} restored${failed.length > 0 ? `, ${failed.length} not` : ''}.`)
    for (const it of failed) terminal.note(`  ${toPlainText(it.document_id)}: ${toPlainText(it.detail ?? '')}`)
    if (held.length > 0) {
      terminal.note(`${held.length} belong to a connector: pruning keeps them until their source has them again.`)
    }
  }
  return failed.length === 0 ? 0 : EXIT.data
}

async function deleteForGood(
  { terminal, signal }: CommandContext,
  api: Api,
  values: TrashValues,
  ids: readonly string[],
): Promise<ExitCode> {
  let deleted = 0
  if (values.all === true) deleted = (await emptyTrash(api, { body: { all: true }, signal })).deleted
  for (let at = 0; at < ids.length; at += ID_BATCH_SIZE) {
    const body = { document_ids: ids.slice(at, at + ID_BATCH_SIZE) }
    deleted += (await emptyTrash(api, { body, signal })).deleted
  }
  if (values.json === true) terminal.json({ deleted })
  else terminal.print(`${deleted} deleted permanently.`)
  return 0
}
