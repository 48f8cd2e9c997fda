// A mail without its addresses, in both forms.

export interface MailText {
  subject: string
  text: string
  html: string
}

export const escapeHtml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
