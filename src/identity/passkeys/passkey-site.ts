// Where browsers give passkeys: under a name, over HTTPS; and at http://localhost for trials.
import { isIP } from 'node:net'

export interface PasskeySite {
  /** The name to which the passkeys belong. */
  rpID: string
  origin: string
}

/** Null if browsers give no passkeys at this address. */
export function passkeySiteOf(serviceUrl: string | null): PasskeySite | null {
  const url = serviceUrl === null ? null : URL.parse(serviceUrl)
  if (url === null) return null
  const { protocol, hostname, origin } = url
  const isAddress = hostname.startsWith('[') || isIP(hostname) !== 0
  const isSecure = protocol === 'https:' || (protocol === 'http:' && hostname === 'localhost')
  return isAddress || !isSecure ? null : { rpID: hostname, origin }
}
