// A real SMTP server that keeps the mails it accepts.

import type { AddressInfo } from 'node:net'
import { after } from 'node:test'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'
import { waitFor } from '../server.ts'

export interface ReceivedMail {
  to: string[]
  /** Headers and body, with soft line breaks removed. */
  text: string
  isEncrypted: boolean
}

export async function openSmtpServer(options: SMTPServerOptions = {}) {
  const mails: ReceivedMail[] = []
  const server = new SMTPServer({
    authOptional: true,
    ...options,
    onData(stream, session, done) {
      const chunks: Buffer[] = []
      stream.on('data', (it: Buffer) => chunks.push(it))
      stream.on('end', () => {
        const text = Buffer.concat(chunks).toString().replaceAll('=\r\n', '').replaceAll('=3D', '=')
        mails.push({ to: session.envelope.rcptTo.map((it) => it.address), text, isEncrypted: session.secure })
        done()
      })
    },
  })
  server.on('error', () => {})
  const { promise, resolve } = Promise.withResolvers<void>()
  server.listen(0, '127.0.0.1', resolve)
  await promise
  after(() => new Promise<void>((done) => server.close(() => done())))
  return {
    port: (server.server.address() as AddressInfo).port,
    mails,
    /** The newest mail to the address that no earlier call returned. */
    async next(to: string): Promise<ReceivedMail> {
      const find = () => mails.find((it) => it.to.includes(to))
      const mail = await waitFor(find, `a mail to ${to}`, 15_000)
      mails.splice(mails.indexOf(mail), 1)
      return mail
    },
  }
}

/** The address of the link in a mail. */
export const linkIn = ({ text }: ReceivedMail): string => /https?:\/\/[^\s"<]+/.exec(text)![0]
