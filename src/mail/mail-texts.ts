// The texts of all mails. They hold a link and no other data, so that nothing a stranger wrote reaches a mail.

import { alertMailText, type CountedKind } from './alert-texts.ts'
import { escapeHtml, type MailText } from './mail-body.ts'

export const MAIL_KINDS = ['invitation', 'reset', 'registration', 'account_exists'] as const
export type MailKind = (typeof MAIL_KINDS)[number]

const TEXTS: Record<MailKind, { subject: string; before: string; action: string; after: string }> = {
  invitation: {
    subject: 'Your invitation to Pharos',
    before: 'You are invited to Pharos, the search of your company. Open this link to create your account:',
    action: 'Create your account',
    after: 'The link works once, within 7 days. If you did not expect it, ignore this mail.',
  },
  reset: {
    subject: 'Choose a new password for Pharos',
    before: 'A new password was requested for your account. Open this link to choose it:',
    action: 'Choose a new password',
    after:
      'The link works once, within an hour. If you did not request it, ignore this mail: your password stays as it is.',
  },
  registration: {
    subject: 'Create your account for Pharos',
    before: 'An account was requested for this e-mail address. Open this link to create it:',
    action: 'Create your account',
    after: 'The link works once, within an hour. If you did not request it, ignore this mail.',
  },
  account_exists: {
    subject: 'You have an account for Pharos',
    before: 'An account was requested for this e-mail address, which has one already. Sign in here:',
    action: 'Sign in',
    after: 'If you forgot your password, that page has a link for it. If you did not request this, ignore this mail.',
  },
}

/** The content of a mail, apart from its link. */
export type MailContent =
  | { kind: MailKind }
  /** Alerts that were opened and closed, by kind. */
  | { kind: 'alerts'; opened: readonly CountedKind[]; closed: readonly CountedKind[] }

/** The link must be an address of this service. */
export function mailText(content: MailContent, link: string): MailText {
  if (content.kind === 'alerts') return alertMailText(content, link)
  const { subject, before, action, after } = TEXTS[content.kind]
  const html = `<p>${before}</p><p><a href="${escapeHtml(link)}">${action}</a></p><p>${escapeHtml(link)}</p><p>${after}</p>`
  return { subject, text: `${before}\n\n${link}\n\n${after}\n`, html }
}
