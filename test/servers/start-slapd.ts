// Starts a real LDAP server: Debian's OpenLDAP on free ports, with a certificate that only the test trusts.
import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { freePort, ownFolder, type ServerProcess, startServerProcess } from './server-process.ts'

export const BASE = 'dc=example,dc=org'
export const ROOT = `cn=root,${BASE}`
export const ROOT_PASSWORD = 'a password with "quotes" and ü'
const PATH = `${process.env.PATH}:/usr/sbin:/usr/local/sbin`

export interface Slapd {
  /** `ldap://`, with StartTLS. */
  url: string
  secureUrl: string
  /** The certificate (PEM). */
  ca: string
  /** Applies changes in LDIF, by the server's administrator. */
  change(ldif: string): void
  end(): Promise<void>
  /** Starts it again with the same entries. */
  restart(): Promise<void>
}

/** With no entry but the base. */
export async function startSlapd(): Promise<Slapd> {
  const folder = ownFolder('slapd')
  const [port, securePort] = [await freePort(), await freePort()]
  const [url, secureUrl] = [`ldap://127.0.0.1:${port}`, `ldaps://127.0.0.1:${securePort}`]
  const [certificate, key] = [join(folder, 'certificate.pem'), join(folder, 'key.pem')]
  makeCertificate(certificate, key)
  mkdirSync(join(folder, 'data'))
  writeFileSync(join(folder, 'slapd.conf'), settingsOf(folder, { certificate, key }))
  const command = ['slapd', '-d', '0', '-f', join(folder, 'slapd.conf'), '-h', `${url}/ ${secureUrl}/`]
  const run = (): Promise<ServerProcess> =>
    startServerProcess({ command, cwd: folder, env: { PATH }, probe: () => accepts(port) })
  let server = await run()
  const change = (ldif: string) => {
    const words = ['-x', '-H', url, '-D', ROOT, '-w', ROOT_PASSWORD]
    execFileSync('ldapmodify', ['-a', ...words], { input: ldif, stdio: 'pipe', env: { ...process.env, PATH } })
  }
  change(`dn: ${BASE}\nobjectClass: dcObject\nobjectClass: organization\ndc: example\no: Example\n`)
  return {
    ...{ url, secureUrl, change, ca: readFileSync(certificate, 'utf8') },
    end: () => server.end(),
    async restart() {
      server = await run()
    },
  }
}

export function makeCertificate(certificate: string, key: string): void {
  const request = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', '/CN=Test directory']
  const names = ['-addext', 'subjectAltName=IP:127.0.0.1', '-keyout', key, '-out', certificate]
  execFileSync('openssl', [...request, ...names], { stdio: 'pipe' })
}

const accepts = (port: number) =>
  new Promise<void>((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port })
    socket.once('error', reject)
    socket.once('connect', () => {
      socket.destroy()
      resolve()
    })
  })

const settingsOf = (folder: string, { certificate, key }: { certificate: string; key: string }) => `
include /etc/ldap/schema/core.schema
include /etc/ldap/schema/cosine.schema
include /etc/ldap/schema/inetorgperson.schema
pidfile ${folder}/slapd.pid
modulepath /usr/lib/ldap
moduleload back_mdb
TLSCertificateFile ${certificate}
TLSCertificateKeyFile ${key}
allow bind_anon_cred bind_anon_dn
database mdb
suffix "${BASE}"
rootdn "${ROOT}"
rootpw "${ROOT_PASSWORD.replaceAll('"', '\\"')}"
directory ${folder}/data
access to attrs=userPassword by anonymous auth by * none
access to * by * read
`
