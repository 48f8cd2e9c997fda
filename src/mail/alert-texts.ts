// The text of the mail about alerts. It says how many of each kind there are and links to the page that says which: names
// and reasons can hold what a stranger wrote.
import type { AlertKind } from '../domain/alerts/alert.ts'
import { escapeHtml, type MailText } from './mail-body.ts'

export interface CountedKind {
  kind: AlertKind
  count: number
}

/** A sentence for one, and one for several. */
const SENTENCES: Record<AlertKind, (count: number) => string> = {
  source_failing: (it) => (it === 1 ? 'The runs of a connector fail.' : `The runs of ${it} connectors fail.`),
  credential_refused: (it) =>
    it === 1
      ? 'A source refuses the credential of a connector.'
      : `Sources refuse the credentials of ${it} connectors.`,
  permissions_failing: (it) =>
    it === 1 ? 'The permissions of a source cannot be read.' : `The permissions of ${it} sources cannot be read.`,
  source_paused: (it) =>
    it === 1 ? 'A connector has been paused for a week.' : `${it} connectors have been paused for a week.`,
  prune_held: (it) =>
    it === 1
      ? 'A connector waits for you to confirm that many documents are deleted.'
      : `${it} connectors wait for you to confirm that many documents are deleted.`,
  documents_failed: (it) =>
    it === 1
      ? 'Documents of a connector could not be read or indexed.'
      : `Documents of ${it} connectors could not be read or indexed.`,
  unmatched_people: (it) =>
    it === 1
      ? 'People who may read documents in a source have no account in Pharos.'
      : `People who may read documents in ${it} sources have no account in Pharos.`,
  removal_held: () => 'The directory asks for the removal of many people, and an administrator has to decide.',
  key_expiring: (it) => (it === 1 ? 'An API key expires soon.' : `${it} API keys expire soon.`),
  key_expired: (it) =>
    it === 1 ? 'An API key that was in use has expired.' : `${it} API keys that were in use have expired.`,
  mcp_credential_refused: (it) =>
    it === 1 ? 'An MCP server refuses its credentials.' : `${it} MCP servers refuse their credentials.`,
  certificate_expiring: (it) =>
    it === 1
      ? 'The certificate of a sign-in provider expires soon.'
      : `The certificates of ${it} sign-in providers expire soon.`,
  certificate_expired: (it) =>
    it === 1
      ? 'The certificate of a sign-in provider has expired.'
      : `The certificates of ${it} sign-in providers have expired.`,
  model_failing: (it) => (it === 1 ? 'A language model does not answer.' : `${it} language models do not answer.`),
  embedding_failing: () => 'The embedding model does not answer.',
  disk_nearly_full: () => 'The disk is nearly full.',
  disk_full: () => 'The disk is full: new documents and files are refused.',
  record_damaged: () => 'The database is incomplete or damaged.',
  backup_old: () => 'The newest backup is older than two weeks.',
  webhook_paused: (it) =>
    it === 1
      ? 'A webhook was paused because its deliveries failed.'
      : `${it} webhooks were paused because their deliveries failed.`,
}

const OPENED = 'This needs an administrator:'
const CLOSED = 'This is over:'
const ACTION = 'Open the overview'
const AFTER =
  'The overview says what is affected and what to do. You get this mail because you are an administrator of Pharos.'

export function alertMailText(
  { opened, closed }: { opened: readonly CountedKind[]; closed: readonly CountedKind[] },
  link: string,
): MailText {
  const parts = [
    { title: OPENED, sentences: sentencesOf(opened) },
    { title: CLOSED, sentences: sentencesOf(closed) },
  ].filter((it) => it.sentences.length > 0)
  const lines = parts.map(({ title, sentences }) => `${title}\n${sentences.map((it) => `- ${it}`).join('\n')}`)
  const html = parts.map(
    ({ title, sentences }) => `<p>${title}</p><ul>${sentences.map((it) => `<li>${it}</li>`).join('')}</ul>`,
  )
  return {
    subject: subjectOf(opened, closed),
    text: `${lines.join('\n\n')}\n\n${ACTION}:\n${link}\n\n${AFTER}\n`,
    html: `${html.join('')}<p><a href="${escapeHtml(link)}">${ACTION}</a></p><p>${escapeHtml(link)}</p><p>${AFTER}</p>`,
  }
}

const sentencesOf = (kinds: readonly CountedKind[]): string[] => kinds.map(({ kind, count }) => SENTENCES[kind](count))

function subjectOf(opened: readonly CountedKind[], closed: readonly CountedKind[]): string {
  const [first, second] = sentencesOf(opened.length > 0 ? opened : closed)
  if (first !== undefined && second === undefined)
    return opened.length > 0 ? `Pharos: ${withoutStop(first)}` : `Over: ${withoutStop(first)}`
  return opened.length > 0 ? 'Pharos needs an administrator' : 'Pharos: several alerts are over'
}

const withoutStop = (sentence: string): string => (sentence.endsWith('.') ? sentence.slice(0, -1) : sentence)
