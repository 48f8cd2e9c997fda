// Backups of the record and the files. They hold everything, so only people who have signed in get hold of them.
import { Readable } from 'node:stream'
import { z } from 'zod'
import { AppError } from '../../../domain/errors.ts'
import { type BackupsState, MAX_KEPT_BACKUPS } from '../../../store/backup/kept-backups.ts'
import { nullish, WITHOUT_NUL, wireString } from '../../../wire/schemas.ts'
import { route } from '../../route.ts'
import { iso } from '../../wire/iso.ts'
import { passwordField } from '../identity/accounts.ts'
import { confirmIdentity, signedInPerson } from '../sign-in/confirm-identity.ts'

const Backup = z
  .object({
    id: z.string().describe('The time when it began, such as `20260131T120000Z`.'),
    bytes: z.int(),
    made_at: z.iso.datetime(),
    is_verified: z
      .boolean()
      .describe('Whether the file was read back completely. False if the service ended before it noted the result.'),
    version: z.string().nullable().describe('The version of the program that made it.'),
    documents: z.int().nullable(),
    files: z.int().nullable().describe('Number of uploaded files.'),
    lost_files: z.int().nullable().describe('Uploaded files that were damaged or missing, and are not in the backup.'),
  })
  .meta({ id: 'Backup' })

const Backups = z
  .object({
    running: z
      .object({ started_at: z.iso.datetime(), bytes: z.int().describe('Bytes written so far.') })
      .nullable()
      .describe('The backup that is being made.'),
    failed: z
      .object({ at: z.iso.datetime(), reason: z.string() })
      .nullable()
      .describe('The failure of the last backup, if it failed since the service started.'),
    backups: z.array(Backup).describe('Newest first.'),
    max_backups: z.int().describe('The greatest number of backups that are kept.'),
  })
  .meta({ id: 'Backups' })

const toBackups = ({ running, failed, backups }: BackupsState): z.infer<typeof Backups> => ({
  running: running && { started_at: iso(running.started_at), bytes: running.bytes },
  failed: failed && { at: iso(failed.at), reason: failed.reason },
  backups: backups.map(({ facts, made_at, ...it }) => ({
    ...it,
    made_at: iso(made_at),
    is_verified: facts !== null,
    version: facts?.version ?? null,
    documents: facts?.documents ?? null,
    files: facts?.files ?? null,
    lost_files: facts?.lost_files ?? null,
  })),
  max_backups: MAX_KEPT_BACKUPS,
})

const backupDefaults = { access: 'admin', tag: 'Backup' } as const
const BackupPath = z.object({ backup_id: wireString({ min: 1, max: 100, pattern: WITHOUT_NUL }) })

const DownloadRequest = z
  .object({
    password: nullish(passwordField()).describe(
      'The password of the person. Not needed within 15 minutes after the sign-in.',
    ),
  })
  .meta({ id: 'BackupDownloadRequest' })

const DownloadTicket = z
  .object({ ticket: z.string(), expires_at: z.iso.datetime() })
  .meta({ id: 'BackupDownloadTicket' })

export const backupRoutes = [
  route({
    ...backupDefaults,
    name: 'listBackups',
    method: 'GET',
    path: '/admin/backup',
    summary: 'List backups',
    description: 'The backups in the folder `backups` of DATA_DIR, and the one that is being made.',
    reply: Backups,
    services: ['backups'],
    handle: ({ services }) => toBackups(services.backups.state()),
  }),
  route({
    ...backupDefaults,
    name: 'startBackup',
    method: 'POST',
    path: '/admin/backup',
    summary: 'Start backup',
    description:
      'Begins a backup of the record and all files in the background, one at a time, as `pharos backup` makes it: it is read back before it appears in the list, and does not contain the secret key. Only for people who have signed in.',
    audit: { action: 'backup.create' },
    reply: Backups,
    errors: ['SIGN_IN_NEEDED', 'BACKUP_RUNNING', 'TOO_MANY_BACKUPS', 'BACKUP_NO_ROOM'],
    services: ['backups'],
    handle: ({ subject, services: { backups } }) => {
      signedInPerson(subject)
      backups.begin()
      return toBackups(backups.state())
    },
  }),
  route({
    ...backupDefaults,
    name: 'allowBackupDownload',
    method: 'POST',
    path: '/admin/backup/{backup_id}/download',
    summary: 'Confirm download of backup',
    description:
      'Takes the password of the person, or a sign-in within the last 15 minutes, and returns a ticket with which `GET /admin/backup/{backup_id}/file` sends the file once within a minute.',
    audit: { action: 'backup.confirm', object: 'backup_id' },
    params: BackupPath,
    body: DownloadRequest,
    reply: DownloadTicket,
    errors: [
      'SIGN_IN_NEEDED',
      'SIGN_IN_AGAIN',
      'LOGIN_BAD_CREDENTIALS',
      'TOO_MANY_ATTEMPTS',
      'SERVICE_UNAVAILABLE',
      'BACKUP_NOT_FOUND',
    ],
    services: ['accounts', 'sessions', 'backups', 'backupTickets', 'now'],
    handle: async ({ params: { backup_id }, body, subject, browser, services }) => {
      const { backups, backupTickets, now } = services
      const { password } = body
      const personId = await confirmIdentity(services, { subject, browser, password }, now())
      if (!backups.state().backups.some((it) => it.id === backup_id))
        throw new AppError('BACKUP_NOT_FOUND', { id: backup_id })
      const { ticket, expires_at } = backupTickets.issue(backup_id, personId)
      return { ticket, expires_at: iso(expires_at) }
    },
  }),
  route({
    ...backupDefaults,
    name: 'downloadBackup',
    method: 'GET',
    path: '/admin/backup/{backup_id}/file',
    summary: 'Download backup',
    description: 'A gzipped tar. The ticket comes from `POST /admin/backup/{backup_id}/download`.',
    audit: { action: 'backup.download', object: 'backup_id' },
    params: BackupPath,
    query: z.object({ ticket: wireString({ min: 1, max: 100, pattern: WITHOUT_NUL }) }),
    reply: z.custom<Readable>().meta({ type: 'string', format: 'binary' }),
    mediaType: 'application/gzip',
    errors: ['SIGN_IN_NEEDED', 'BACKUP_TICKET_INVALID', 'BACKUP_NOT_FOUND'],
    services: ['backups', 'backupTickets'],
    handle: ({ params: { backup_id }, query: { ticket }, subject, services: { backups, backupTickets } }) => {
      if (!backupTickets.redeem(ticket, backup_id, signedInPerson(subject))) throw new AppError('BACKUP_TICKET_INVALID')
      return toResponse(backups.open(backup_id))
    },
  }),
  route({
    ...backupDefaults,
    name: 'deleteBackup',
    method: 'DELETE',
    path: '/admin/backup/{backup_id}',
    summary: 'Delete backup',
    description: 'Only for people who have signed in.',
    audit: { action: 'backup.delete', object: 'backup_id' },
    params: BackupPath,
    reply: Backups,
    errors: ['SIGN_IN_NEEDED', 'BACKUP_NOT_FOUND'],
    services: ['backups'],
    handle: ({ params: { backup_id }, subject, services: { backups } }) => {
      signedInPerson(subject)
      backups.remove(backup_id)
      return toBackups(backups.state())
    },
  }),
]

const toResponse = ({ name, bytes, content }: { name: string; bytes: number; content: Readable }): Response =>
  new Response(Readable.toWeb(content), {
    headers: {
      'content-type': 'application/gzip',
      'content-length': String(bytes),
      'content-disposition': `attachment; filename="${name}"`,
      'cache-control': 'no-store',
    },
  })
