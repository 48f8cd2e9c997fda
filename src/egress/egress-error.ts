// Errors of outbound calls, with reason, host and a message that names the remedy.

const table = {
  url: ['EGRESS_REFUSED', '"{host}" is not an address that can be called.'],
  scheme: ['EGRESS_REFUSED', 'Only http and https addresses are called, not {scheme}.'],
  userinfo: [
    'EGRESS_REFUSED',
    'The address of {host} contains a user name or password. Send them in a header instead.',
  ],
  header: ['EGRESS_REFUSED', 'A request to {host} may not set this header: {header}.'],
  private: ['EGRESS_REFUSED', '{host} is not on the public internet. {wayOut}'],
  port: ['EGRESS_REFUSED', 'Port {port} of {host} is neither 80 nor 443. {wayOut}'],
  never: ['EGRESS_REFUSED', '{host} resolves to a metadata service or a link-local address. No setting opens it.'],
  own: ['EGRESS_REFUSED', '{host} on port {port} is this service or one of its back ends. No setting opens it.'],
  downgrade: [
    'EGRESS_REFUSED',
    '{host} redirects from https to http, to {target}. Enter the final address if that is intended.',
  ],
  carried: [
    'EGRESS_REFUSED',
    '{host} redirects a {method} request to {target}. Only GET and HEAD follow redirects to another origin.',
  ],
  elsewhere: [
    'EGRESS_REFUSED',
    '{host} redirects to another origin, {target}, which is not followed here. Enter the final address if that is intended.',
  ],
  resolve: ['EGRESS_FAILED', 'The name {host} has no address.'],
  connect: ['EGRESS_FAILED', 'There is no connection to {host} on port {port}.'],
  tls: ['EGRESS_FAILED', 'The TLS connection to {host} failed: {fault}.'],
  proxy: ['EGRESS_FAILED', 'The proxy in EGRESS_PROXY did not open {host} on port {port}: {fault}.'],
  protocol: ['EGRESS_FAILED', 'The response of {host} is incomplete or not valid HTTP.'],
  encoding: [
    'EGRESS_FAILED',
    '{host} uses the content encoding "{encoding}". Only one layer of gzip, deflate or br is supported.',
  ],
  headers: ['EGRESS_LIMIT', 'The response headers of {host} are larger than {limit} bytes.'],
  size: ['EGRESS_LIMIT', 'The response of {host} is larger than {limit} bytes.'],
  time: ['EGRESS_LIMIT', '{host} did not answer completely within {limit} ms.'],
  redirects: ['EGRESS_LIMIT', '{host} redirects more than {limit} times.'],
  closed: ['EGRESS_FAILED', 'The service is shutting down: {host} was not called.'],
  setting: ['EGRESS_SETTING', '{host}'],
} as const satisfies Record<string, readonly [code: string, message: string]>

export type EgressReason = keyof typeof table
export type EgressCode = (typeof table)[EgressReason][0]

/**
 * EGRESS_REFUSED: forbidden by policy, permanent. EGRESS_FAILED: network or peer error, may be transient. EGRESS_LIMIT:
 * too large or too slow.
 */
export class EgressError extends Error {
  readonly code: EgressCode
  readonly reason: EgressReason
  readonly host: string

  constructor(reason: EgressReason, host: string, facts: Record<string, string | number> = {}, options?: ErrorOptions) {
    const [code, message] = table[reason]
    const all: Record<string, string | number> = { host, ...facts }
    super(
      message.replace(/\{(\w+)\}/g, (_, name: string) => String(all[name] ?? '')),
      options,
    )
    this.code = code
    this.reason = reason
    this.host = host
  }
}
