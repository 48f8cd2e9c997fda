// Sends one mail to the SMTP server that the operator named.
import type { Transporter } from 'nodemailer'
import type { MailText } from './mail-body.ts'

export interface SmtpServer {
  host: string
  port: number
  /** `starttls` fails without it; `loopback` encrypts if the server can, and does not check who it is. */
  security: 'tls' | 'starttls' | 'loopback'
  user: string | null
  password: string | null
  /** The address of the sender. */
  from: string
}

export type SendSmtp = (to: string, text: MailText) => Promise<void>

/** Fails with an error of which `describeSmtpError` tells what may be logged. */
export function createSmtpSender(server: SmtpServer, timeoutMs: number): SendSmtp {
  let opened: Promise<Transporter> | undefined
  return async (to, text) => {
    opened ??= openTransport(server, timeoutMs)
    const transport = await opened
    await transport.sendMail({
      ...text,
      // Objects are not parsed: a text could name several addresses.
      from: { name: 'Pharos', address: server.from },
      to: { name: '', address: to },
      envelope: { from: server.from, to: [to] },
      headers: { 'Auto-Submitted': 'auto-generated' },
    })
  }
}

/** Loads the client with the first mail: without it a start is shorter. */
async function openTransport(
  { host, port, security, user, password }: SmtpServer,
  timeoutMs: number,
): Promise<Transporter> {
  const { createTransport } = await import('nodemailer')
  return createTransport({
    ...{ host, port, secure: security === 'tls', requireTLS: security === 'starttls' },
    ...(security === 'loopback' && { tls: { rejectUnauthorized: false } }),
    ...(user !== null && { auth: { user, pass: password ?? '' } }),
    ...{ connectionTimeout: timeoutMs, greetingTimeout: timeoutMs, socketTimeout: timeoutMs, dnsTimeout: timeoutMs },
    ...{ disableFileAccess: true, disableUrlAccess: true },
  })
}

export interface SmtpFailure {
  /** The cause, for the log. It holds no address and nothing that the server wrote. */
  reason: string
  /** Whether another attempt can succeed. */
  isTemporary: boolean
}

const REASONS: Record<string, string> = {
  EAUTH: 'the server refused the user name or the password of SMTP_URL',
  ETLS: 'the server offers no STARTTLS, or its certificate cannot be verified',
  ESOCKET: 'the connection failed, or the certificate of the server cannot be verified',
  EDNS: 'the name of the server cannot be resolved',
  ETIMEDOUT: 'the server did not answer in time',
  ECONNECTION: 'the server cannot be reached, or closed the connection',
  EENVELOPE: 'the server refused the sender or the recipient',
  EMESSAGE: 'the server refused the message',
}

export function describeSmtpError(error: unknown): SmtpFailure {
  const { code, responseCode } = readSmtpError(error)
  const status = responseCode === null ? '' : ` (${responseCode})`
  const isRefused = responseCode === null ? code === 'EAUTH' || code === 'ETLS' : responseCode >= 500
  return { reason: (REASONS[code] ?? 'the mail could not be sent') + status, isTemporary: !isRefused }
}

function readSmtpError(error: unknown): { code: string; responseCode: number | null } {
  if (!(error instanceof Error)) return { code: '', responseCode: null }
  const code = 'code' in error && typeof error.code === 'string' ? error.code : ''
  const responseCode = 'responseCode' in error && typeof error.responseCode === 'number' ? error.responseCode : null
  return { code, responseCode }
}
