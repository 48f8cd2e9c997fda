// The page of this service to which a browser returns from elsewhere.

/** Accepts only paths of this service, however a browser normalizes them. */
export function isLocalPath(path: string): boolean {
  const base = 'http://here.invalid'
  if (!path.startsWith('/') || /[\\\p{Cc}]/u.test(path) || path.length > 2_000) return false
  const url = URL.parse(path, base)
  // A path with two slashes at its start names another host, also where dots were removed before: `/.//evil.example`.
  return url?.origin === base && !path.startsWith('//') && !url.pathname.startsWith('//')
}
