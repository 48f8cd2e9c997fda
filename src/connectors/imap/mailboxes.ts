// Selects the mailboxes of an account to read.
import { SourceError } from '../connector.ts'
import type { ImapMailbox } from './client.ts'

const UNREADABLE_FLAGS = ['\\noselect', '\\nonexistent']
/** RFC 6154. */
const SKIPPED_FLAGS = ['\\junk', '\\trash', '\\all']

/**
 * Common names of junk and trash mailboxes, spelled as `normalizeName` returns them. Many servers, including a default
 * Dovecot, do not flag these mailboxes.
 */
const SKIPPED_NAMES = new Set([
  ...['junk', 'junkmail', 'junkemail', 'spam', 'spammail', 'bulkmail', 'probablyspam'],
  ...['trash', 'deleted', 'deleteditems', 'deletedmessages', 'deletedmail', 'bin', 'recyclebin', 'rubbish'],
  ...['papierkorb', 'gelöschteelemente', 'gelöschteobjekte', 'gelöscht', 'junkverdacht', 'spamverdacht'],
  ...['corbeille', 'élémentssupprimés', 'messagessupprimés', 'courrierindésirable', 'indésirables', 'pourriel'],
  ...['papelera', 'elementoseliminados', 'mensajeseliminados', 'correonodeseado'],
  ...['cestino', 'postaeliminata', 'elementieliminati', 'postaindesiderata'],
  ...['prullenbak', 'prullenmand', 'verwijderdeitems', 'ongewenstemail', 'ongewenst'],
  ...['lixeira', 'lixo', 'itensexcluídos', 'itenseliminados', 'lixoeletrônico', 'lixoeletrónico'],
  ...['kosz', 'elementyusunięte', 'wiadomościśmieci', 'koš', 'odstraněnápošta', 'nevyžádanápošta'],
  ...['papperskorgen', 'borttagnaobjekt', 'skräppost', 'søppelpost', 'papirkurv', 'slettetpost', 'slettedeelementer'],
  ...['roskakori', 'poistetut', 'roskaposti', 'törölt', 'töröltelemek', 'levélszemét', 'çöpkutusu', 'silinmişöğeler'],
  ...['корзина', 'удаленные', 'удалённые', 'спам', 'нежелательнаяпочта', 'кошик', 'видалені'],
  ...[
    'ゴミ箱',
    '削除済みアイテム',
    '迷惑メール',
    '垃圾邮件',
    '垃圾郵件',
    '已删除邮件',
    '已删除',
    '刪除的郵件',
    '휴지통',
    '스팸메일함',
  ],
])

/** "Junk E-mail", "Junk_Email" and "JUNK EMAIL" are equal. */
const normalizeName = (name: string): string =>
  name
    .slice(0, 100)
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[\s_.'’-]+/g, '')

/** Returns the mailboxes in `names`. Without names: all except junk, trash and "all mail" mailboxes. */
export function selectMailboxes(listed: readonly ImapMailbox[], names: readonly string[] | null): ImapMailbox[] {
  const selectable = listed.filter(({ flags }) => !UNREADABLE_FLAGS.some((it) => flags.has(it)))
  if (names === null || names.length === 0) {
    const flagged = listed.filter(({ flags }) => SKIPPED_FLAGS.some((it) => flags.has(it)))
    return selectable.filter((it) => !isSkipped(it, flagged)).toSorted(byPath)
  }
  const wanted = names.map((name) => {
    const mailbox = selectable.find((it) => mailboxKey(it.name) === mailboxKey(name.trim()))
    if (mailbox !== undefined) return mailbox
    const existing = selectable.map((it) => `"${it.name}"`).slice(0, 20)
    const message = `Mailbox "${name}" does not exist. Existing mailboxes: ${existing.join(', ')}${selectable.length > 20 ? ' …' : ''}.`
    throw new SourceError('config', message, { field: 'connector_specific_config.mailboxes' })
  })
  return [...new Set(wanted)].sort(byPath)
}

/** Deleted folders are subfolders of the trash. */
function isSkipped({ name, path, delimiter }: ImapMailbox, flagged: readonly ImapMailbox[]): boolean {
  const isBelow = (it: ImapMailbox) => delimiter !== null && path.startsWith(`${it.path}${delimiter}`)
  if (flagged.some((it) => it.path === path || isBelow(it))) return true
  const segments = delimiter === null ? [name] : name.split(delimiter)
  return segments.some((it) => SKIPPED_NAMES.has(normalizeName(it)))
}

/** INBOX is case-insensitive, other names are not. */
const mailboxKey = (name: string): string => (name.toUpperCase() === 'INBOX' ? 'INBOX' : name)
const byPath = (one: ImapMailbox, other: ImapMailbox) => (one.path < other.path ? -1 : 1)
