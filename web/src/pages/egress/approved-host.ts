export interface HostAndPort {
  host: string
  port: number | null
}

/** Approvals without a port are for these. */
const WEB_PORTS = [80, 443]

/** IPv6 addresses stand in brackets. */
export const hostText = ({ host, port }: HostAndPort): string => {
  const name = host.includes(':') ? `[${host}]` : host
  return port === null ? name : `${name}:${port}`
}

/** The approval that permits the address, as the API takes it. */
export const toApproval = ({ host, port }: HostAndPort): HostAndPort => ({
  host,
  port: port === null || WEB_PORTS.includes(port) ? null : port,
})
